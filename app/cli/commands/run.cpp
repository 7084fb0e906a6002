#include <algorithm>

#include "app/cli/command.h"
#include "app/cli/interruption.h"
#include "app/cli/model_options.h"
#include "app/cli/output_sink.h"
#include "app/cli/picture_options.h"
#include "app/cli/text_file.h"

namespace ingle::cli::run_command {
namespace {

struct Options {
    ModelOptions model;
    GenerateRequest request;
    std::string prompt;
    std::string system;
    std::string grammarFile;
    PictureOptions pictures;
    bool raw = false;
    bool stats = false;
};

/// On standard error, since standard output is the answer alone.
void printStats(const GenerateStats& stats) {
    const auto speed = [](uint32_t tokens, double milliseconds) {
        return milliseconds > 0 ? tokens * 1e3 / milliseconds : 0;
    };
    const uint32_t readTokens = stats.promptTokens - std::min(stats.promptTokens, stats.cachedTokens);
    fmt::print(stderr, "prompt   {:>6} tokens  {:>8.2f} s  {:>7.1f} tokens/s\n", readTokens,
               stats.prefillMs / 1e3, speed(readTokens, stats.prefillMs));
    fmt::print(stderr, "answer   {:>6} tokens  {:>8.2f} s  {:>7.1f} tokens/s\n", stats.newTokens,
               stats.decodeMs / 1e3, speed(stats.newTokens, stats.decodeMs));
    fmt::print(stderr, "guesses  {:>6} of which {} were right\n", stats.guessedTokens, stats.takenTokens);
}

/// A schema that is given as text begins like one; anything else names a file.
Result<std::string> schemaText(const std::string& given) {
    const size_t begin = given.find_first_not_of(" \n\r\t");
    if (begin == std::string::npos || given[begin] == '{') return given;
    return readTextFile(given);
}

/// The question, and before it the pictures that it is about, which get numbers as names.
Result<ChatMessage> question(Engine& engine, const Options& options, const std::vector<Picture>& pictures) {
    ChatMessage message{Role::User, {}};
    for (const Picture& picture : pictures) {
        const std::string name = fmt::format("{:064x}", message.parts.size());
        INGLE_TRY(engine.takePicture(name, picture));
        message.parts.push_back({PartKind::Image, options.pictures.images[message.parts.size()], name});
    }
    message.parts.push_back({PartKind::Text, options.prompt, {}});
    return message;
}

Status run(Options options) {
    INGLE_TRY_ASSIGN(const std::vector<Picture> pictures, readPictures(options.pictures));
    INGLE_TRY_ASSIGN(options.request.jsonSchema, schemaText(options.request.jsonSchema));
    if (!options.grammarFile.empty()) {
        INGLE_TRY_ASSIGN(options.request.grammar, readTextFile(options.grammarFile));
    }
    INGLE_TRY_ASSIGN(const auto engine, loadEngine(options.model));
    if (options.raw) {
        options.request.rawPrompt = options.prompt;
    } else {
        if (!options.system.empty())
            options.request.messages.push_back(textMessage(Role::System, options.system));
        INGLE_TRY_ASSIGN(ChatMessage asked, question(*engine, options, pictures));
        options.request.messages.push_back(std::move(asked));
    }
    TextSink sink;
    INGLE_TRY(runToEnd(*engine, std::move(options.request), sink, isInterrupted));
    fmt::print("\n");
    if (options.stats) {
        std::fflush(stdout);
        printStats(sink.stats());
    }
    if (!sink.violation().empty())
        return fail(ErrorCode::Corrupt, "the answer does not follow its schema: {}", sink.violation());
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_option("-p,--prompt", options->prompt, "the question")->required();
    addImages(app, options->pictures);
    app.add_option("--mmproj", options->model.load.visionFile,
                   "vision file of the model (default: one that fits beside it)");
    app.add_option("-n", options->request.maxTokens, "most tokens to write (default: until the model ends)");
    app.add_option("--system", options->system, "system message");
    app.add_option("--stop", options->request.stops, "text that ends the answer (may be repeated)")
        ->allow_extra_args(false);
    app.add_option("--json-schema", options->request.jsonSchema,
                   "write JSON that follows this schema: a file, or the schema itself");
    app.add_option("--grammar", options->grammarFile, "write what follows this grammar: a file in GBNF");
    app.add_flag("--raw", options->raw, "continue the prompt itself, without a chat format")
        ->excludes(app.get_option("--image"));
    app.add_flag("--stats", options->stats, "how fast it was, on standard error");
    addGuesses(app, options->request.guesses, options->model.load);
    addSamplerOptions(app, options->request.sampler);
    return [options] { return run(*options); };
}

}  // namespace

extern const Command command{"run", "write one answer to standard output", define};

}  // namespace ingle::cli::run_command
