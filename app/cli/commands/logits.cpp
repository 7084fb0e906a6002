#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/model_options.h"
#include "app/cli/picture_options.h"
#include "app/cli/result_file.h"

namespace ingle::cli::logits_command {
namespace {

struct Options {
    ModelOptions model;
    std::string tokens;
    std::string projector;
    PictureOptions pictures;
    std::string prompt;
    std::string out;
    uint32_t chunk = 0;
};

Status ofTokens(const Options& options, ResultFile& file) {
    INGLE_TRY_ASSIGN(const std::vector<TokenId> tokens, parseTokens(options.tokens));
    INGLE_TRY_ASSIGN(const auto engine, loadEngine(options.model));
    return engine->logits(tokens, options.chunk, [&](std::span<const float> row) { file.write(row); });
}

Status ofPrompt(const Options& options, ResultFile& file) {
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model.model));
    INGLE_TRY_ASSIGN(LoadOptions load, loadOptions(options.model));
    load.visionFile = options.projector;
    INGLE_TRY_ASSIGN(const std::vector<Picture> pictures, readPictures(options.pictures));
    INGLE_TRY(confineTo({path, options.projector}));
    INGLE_TRY_ASSIGN(const std::vector<EncodedPicture> encoded,
                     encodePictures(options.projector, load, options.pictures, pictures));
    return logitsWithPictures(path, load, options.prompt, encoded, options.chunk,
                              [&](std::span<const float> row) { file.write(row); });
}

Status logits(const Options& options) {
    INGLE_TRY_ASSIGN(ResultFile file, ResultFile::create(options.out));
    INGLE_TRY(options.projector.empty() ? ofTokens(options, file) : ofPrompt(options, file));
    return file.finish();
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    CLI::Option* tokens = app.add_option("--tokens", options->tokens, "ids to feed, exactly: 1,2,3");
    CLI::Option* projector = app.add_option("--mmproj", options->projector,
                                            "vision file of the model, for --prompt with pictures");
    CLI::Option* prompt = app.add_option(
        "--prompt", options->prompt,
        "text to feed instead of --tokens; each <__media__> is the next --image, and only text gets rows");
    CLI::Option* image = addPictureOptions(app, options->pictures);
    prompt->needs(projector)->needs(image)->excludes(tokens);
    projector->needs(prompt);
    image->needs(prompt);
    app.add_option("--out", options->out, "file for float32 [numTokens, numVocab]")->required();
    app.add_option("--chunk", options->chunk, "tokens per step")->check(CLI::Range(1, 4096));
    return [options, tokens, prompt]() -> Status {
        if (tokens->count() + prompt->count() == 0)
            return fail(ErrorCode::InvalidArgument, "--tokens or --prompt is needed");
        return logits(*options);
    };
}

}  // namespace

extern const Command command{"logits", "write the logits after each of the given tokens", define};

}  // namespace ingle::cli::logits_command
