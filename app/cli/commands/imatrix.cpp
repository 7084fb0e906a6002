#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/fresh_file.h"
#include "app/cli/model_options.h"
#include "app/cli/progress_line.h"
#include "app/cli/text_file.h"
#include "engine/lab/column_sums.h"
#include "engine/lab/text_windows.h"

namespace ingle::cli::imatrix_command {
namespace {

struct Options {
    ModelOptions model;
    std::string file;
    std::string target;
    uint32_t window = 0;
};

Status imatrix(const Options& options) {
    INGLE_TRY_ASSIGN(const std::string text, readTextFile(options.file));
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model.model));
    INGLE_TRY_ASSIGN(const LoadOptions load, loadOptions(options.model));
    return writeFresh(options.target, [&](const std::string& folder, const std::string& file) -> Status {
        INGLE_TRY(confineTo({path}, {.readable = {}, .writable = {folder}}));
        ProgressLine line;
        const auto sums =
            lab::columnSums(path, load, text, options.window,
                            [&](double fraction, const char* phase) { line.show(fraction, phase); });
        line.end();
        if (!sums) return tl::unexpected(sums.error());
        INGLE_TRY(importer::writeImportance(*sums, options.file, file));
        fmt::print("{} matrices, {} windows of {} tokens\n", sums->matrices.size(), sums->numWindows,
                   sums->windowTokens);
        return {};
    });
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_option("--file", options->file, "text to read: like what the model will be used for")->required();
    app.add_option("-o,--out", options->target, "GGUF file to write")->required();
    app.add_option("--window", options->window, "tokens that are read from one empty state")
        ->check(CLI::Range(lab::TextWindows::kLeastWindow, 1U << 20));
    return [options] { return imatrix(*options); };
}

}  // namespace

extern const Command command{"imatrix", "measure which columns of a model matter, for import --imatrix",
                             define};

}  // namespace ingle::cli::imatrix_command
