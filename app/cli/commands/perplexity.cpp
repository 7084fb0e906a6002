#include "engine/lab/perplexity.h"

#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/model_options.h"
#include "app/cli/progress_line.h"
#include "app/cli/text_file.h"
#include "engine/lab/text_windows.h"

namespace ingle::cli::perplexity_command {
namespace {

struct Options {
    ModelOptions model;
    std::string file;
    std::string base;
    uint32_t window = 0;
};

void print(const char* what, const lab::PerplexityResult& result) {
    fmt::print("{} {:.4f} ± {:.4f} over {} tokens\n", what, result.perplexity, result.standardError,
               result.numTokens);
}

void print(const lab::DivergenceResult& result) {
    print("perplexity", result.perplexity);
    print("of the base", result.base);
    fmt::print("ratio {:.5f} ± {:.5f}\n", result.ratio, result.ratioError);
    fmt::print("divergence (KL) {:.6f} ± {:.6f}, median {:.6f}, 99 % below {:.6f}, largest {:.6f}\n",
               result.mean, result.meanError, result.median, result.worstPercent, result.largest);
    fmt::print("same likeliest token {:.2f} %, probability of the text's tokens changed by {:.2f} % (RMS)\n",
               result.sameBest * 100, result.rmsOfChange * 100);
}

Status perplexity(const Options& options) {
    INGLE_TRY_ASSIGN(const std::string text, readTextFile(options.file));
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model.model));
    INGLE_TRY_ASSIGN(const LoadOptions load, loadOptions(options.model));
    std::string base;
    if (!options.base.empty()) {
        INGLE_TRY_ASSIGN(base, resolveModel(options.base));
    }
    INGLE_TRY(confineTo({path, base}));
    ProgressLine line;
    const auto progress = [&line](double fraction, const char* phase) { line.show(fraction, phase); };
    if (!base.empty()) {
        const auto result = lab::divergence(path, base, load, text, options.window, progress);
        line.end();
        if (!result) return tl::unexpected(result.error());
        print(*result);
        return {};
    }
    const auto result = lab::perplexity(path, load, text, options.window, progress);
    line.end();
    if (!result) return tl::unexpected(result.error());
    print("perplexity", *result);
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_option("--file", options->file, "text to predict")->required();
    app.add_option("--window", options->window, "tokens of a window, of which the second half is predicted")
        ->check(CLI::Range(lab::TextWindows::kLeastWindow, 1U << 20));
    app.add_option(
        "--kl-divergence", options->base,
        "another model, mostly the one that MODEL was made of: how far apart they are is said, too");
    return [options] { return perplexity(*options); };
}

}  // namespace

extern const Command command{"perplexity", "measure how well a model predicts a text", define};

}  // namespace ingle::cli::perplexity_command
