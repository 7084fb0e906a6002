#include "app/cli/command.h"
#include "app/cli/model_options.h"
#include "app/cli/output_sink.h"

namespace ingle::cli {
namespace {

struct Options {
    ModelOptions model;
    GenerateRequest request;
    std::string prompt;
    std::string system;
    bool raw = false;
};

Status run(Options options) {
    INGLE_TRY_ASSIGN(const auto engine, loadEngine(options.model));
    if (options.raw) {
        options.request.rawPrompt = options.prompt;
    } else {
        if (!options.system.empty())
            options.request.messages.push_back(textMessage(Role::System, options.system));
        options.request.messages.push_back(textMessage(Role::User, options.prompt));
    }
    TextSink sink;
    INGLE_TRY(runToEnd(*engine, std::move(options.request), sink));
    fmt::print("\n");
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_option("-p,--prompt", options->prompt, "the question")->required();
    app.add_option("-n", options->request.maxTokens, "most tokens to write (default: until the model ends)");
    app.add_option("--system", options->system, "system message");
    app.add_option("--stop", options->request.stops, "text that ends the answer (may be repeated)")
        ->allow_extra_args(false);
    app.add_flag("--raw", options->raw, "continue the prompt itself, without a chat format");
    addSamplerOptions(app, options->request.sampler);
    return [options] { return run(*options); };
}

}  // namespace

extern const Command run_command;
const Command run_command{"run", "write one answer to standard output", define};

}  // namespace ingle::cli
