#include "engine/lab/perplexity.h"

#include <fstream>
#include <iterator>

#include "app/cli/command.h"
#include "app/cli/model_options.h"

namespace ingle::cli {
namespace {

struct Options {
    ModelOptions model;
    std::string file;
    uint32_t window = 0;
};

Status perplexity(const Options& options) {
    std::ifstream file(options.file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) return fail(ErrorCode::Io, "{}: cannot be read", options.file);
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model.model));
    INGLE_TRY_ASSIGN(const LoadOptions load, loadOptions(options.model));
    const auto progress = [](double fraction, const char*) {
        fmt::print(stderr, "\r{:3.0f} %", fraction * 100);
    };
    const auto result = lab::perplexity(path, load, text, options.window, progress);
    fmt::print(stderr, "\r     \r");
    if (!result) return tl::unexpected(result.error());
    fmt::print("perplexity {:.4f} ± {:.4f} over {} tokens\n", result->perplexity, result->standardError,
               result->numTokens);
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_option("--file", options->file, "text to predict")->required();
    app.add_option("--window", options->window, "tokens of a window, of which the second half is predicted")
        ->check(CLI::Range(2, 1 << 20));
    return [options] { return perplexity(*options); };
}

}  // namespace

extern const Command perplexity_command;
const Command perplexity_command{"perplexity", "measure how well a model predicts a text", define};

}  // namespace ingle::cli
