#include <unistd.h>

#include <csignal>
#include <random>
#include <utility>

#include "app/cli/chat_lines.h"
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

/// Shows the engine a picture that belongs to the next question, and says what it takes.
Result<Part> shown(Engine& engine, const ChatLine& line, size_t number, bool interactive) {
    if (line.problem) return tl::unexpected<Error>(*line.problem);
    if (!engine.info().seesPictures)
        return fail(ErrorCode::Unsupported, "{} has no vision file, so it cannot see pictures",
                    engine.info().name);
    const std::string name = fmt::format("{:064x}", number);
    INGLE_TRY_ASSIGN(const PictureFacts facts, engine.takePicture(name, *line.picture));
    if (interactive)
        fmt::print("({} × {} pixels, {} tokens; now ask about it)\n", facts.width, facts.height,
                   facts.tokens);
    return Part{PartKind::Image, line.text, name};
}

Status chat(const Options& options) {
    INGLE_TRY_ASSIGN(ChatLines lines, ChatLines::start());
    INGLE_TRY_ASSIGN(const auto engine, loadEngine(options.model));
    const bool interactive = isatty(STDIN_FILENO) != 0;
    if (interactive) {
        fmt::print("{} · {} · Ctrl+C stops an answer, Ctrl+D leaves{}\n", engine->info().name,
                   engine->info().device, engine->info().seesPictures ? ", /image FILE shows a picture" : "");
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
    const auto tell = [&](const Error& error) -> Status {
        if (!interactive) return tl::unexpected<Error>(error);
        fmt::print(stderr, "ingle: {}\n", error.message);
        return {};
    };
    std::vector<Part> pictures;  // of the next question
    size_t numPictures = 0;
    while (true) {
        if (interactive) fmt::print("\n> ");
        std::fflush(stdout);
        const auto line = lines.next();
        if (!line) break;
        if (line->picture || line->problem) {
            auto picture = shown(*engine, *line, numPictures++, interactive);
            if (picture)
                pictures.push_back(*std::move(picture));
            else
                INGLE_TRY(tell(picture.error()));
            continue;
        }
        ChatMessage question{Role::User, pictures};
        question.parts.push_back({PartKind::Text, line->text, {}});
        messages.push_back(std::move(question));
        SamplerParams sampler = options.sampler;
        if (options.seed->count() == 0) sampler.seed = entropy();
        const Status status = answer(*engine, messages, sampler, options.guesses, note);
        if (!status) {
            INGLE_TRY(tell(status.error()));
            messages.pop_back();
        } else {
            pictures.clear();
        }
    }
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model, ModelArgument::Optional);
    app.add_option("--system", options->system, "system message");
    app.add_option("--mmproj", options->model.load.visionFile,
                   "vision file of the model (default: one that fits beside it)");
    addGuesses(app, options->guesses, options->model.load);
    addSamplerOptions(app, options->sampler);
    options->seed = app.get_option("--seed");
    return [options] { return chat(*options); };
}

}  // namespace

extern const Command command{"chat", "chat in the terminal", define};

}  // namespace ingle::cli::chat_command
