#include <unistd.h>

#include <csignal>
#include <iostream>
#include <random>

#include "app/cli/command.h"
#include "app/cli/model_options.h"
#include "app/cli/output_sink.h"

namespace ingle::cli::chat_command {
namespace {

volatile std::sig_atomic_t interrupted = 0;

struct Options {
    ModelOptions model;
    SamplerParams sampler;
    Guesses guesses = GenerateRequest{}.guesses;
    std::string system;
    CLI::Option* seed = nullptr;
};

/// One answer; Ctrl+C stops it. A fresh seed per answer, unless the person fixed one. `note` is the last one
/// told.
Status answer(Engine& engine, std::vector<ChatMessage>& messages, SamplerParams sampler, Guesses guesses,
              std::string& note) {
    TextSink sink;
    interrupted = 0;
    INGLE_TRY(runToEnd(engine, {.messages = messages, .sampler = sampler, .guesses = guesses}, sink,
                       [] { return interrupted != 0; }));
    fmt::print("\n");
    if (sink.dropped() > 0) fmt::print("(the model no longer sees the {} oldest messages)\n", sink.dropped());
    if (!sink.note().empty() && sink.note() != note) fmt::print(stderr, "{}\n", sink.note());
    note = sink.note();
    messages.push_back({Role::Assistant, sink.parts()});
    return {};
}

Status chat(const Options& options) {
    INGLE_TRY_ASSIGN(const auto engine, loadEngine(options.model));
    const bool interactive = isatty(STDIN_FILENO) != 0;
    if (interactive) {
        fmt::print("{} · {} · Ctrl+C stops an answer, Ctrl+D leaves\n", engine->info().name,
                   engine->info().device);
    }
    std::string note = engine->info().promptNote;
    if (!note.empty()) fmt::print(stderr, "{}\n", note);
    std::vector<ChatMessage> messages;
    if (!options.system.empty()) messages.push_back(textMessage(Role::System, options.system));
    // Installed without SA_RESTART: Ctrl+C at the prompt ends reading and leaves.
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    sigaction(SIGINT, &action, nullptr);
    std::random_device entropy;
    for (std::string line;;) {
        if (interactive) fmt::print("\n> ");
        std::fflush(stdout);
        if (!std::getline(std::cin, line)) break;
        if (line.empty()) continue;
        messages.push_back(textMessage(Role::User, line));
        SamplerParams sampler = options.sampler;
        if (options.seed->count() == 0) sampler.seed = entropy();
        if (const Status status = answer(*engine, messages, sampler, options.guesses, note); !status) {
            if (!interactive) return status;
            fmt::print(stderr, "ingle: {}\n", status.error().message);
            messages.pop_back();
        }
    }
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model, ModelArgument::Optional);
    app.add_option("--system", options->system, "system message");
    addGuesses(app, options->guesses, options->model.load);
    addSamplerOptions(app, options->sampler);
    options->seed = app.get_option("--seed");
    return [options] { return chat(*options); };
}

}  // namespace

extern const Command command{"chat", "chat in the terminal", define};

}  // namespace ingle::cli::chat_command
