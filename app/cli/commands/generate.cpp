#include "app/cli/command.h"
#include "app/cli/model_options.h"
#include "app/cli/output_sink.h"

namespace ingle::cli::generate_command {
namespace {

struct Options {
    ModelOptions model;
    GenerateRequest request;
    std::string tokens;
    bool greedy = false;
};

Status generate(Options options) {
    INGLE_TRY_ASSIGN(options.request.rawTokens, parseTokens(options.tokens));
    if (options.greedy) options.request.sampler.temperature = 0;
    INGLE_TRY_ASSIGN(const auto engine, loadEngine(options.model));
    IdSink sink;
    const uint32_t wanted = options.request.maxTokens;
    INGLE_TRY(runToEnd(*engine, std::move(options.request), sink));
    if (sink.numIds() == wanted) return {};
    return fail(ErrorCode::InvalidArgument, "the context of {} tokens is full after {} of {} ids",
                engine->info().contextTokens, sink.numIds(), wanted);
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_option("--tokens", options->tokens, "ids to continue, exactly: 1,2,3")->required();
    app.add_option("-n", options->request.maxTokens, "how many ids")
        ->required()
        ->check(CLI::Range(1, 1 << 20));
    app.add_flag("--greedy", options->greedy, "always the highest logit");
    addGuesses(app, options->request.guesses, options->model.load);
    addSamplerOptions(app, options->request.sampler);
    return [options] { return generate(*options); };
}

}  // namespace

extern const Command command{"generate", "print exactly n further token ids", define};

}  // namespace ingle::cli::generate_command
