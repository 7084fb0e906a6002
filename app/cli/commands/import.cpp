#include "engine/import/import.h"

#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/fresh_file.h"
#include "app/cli/interruption.h"
#include "app/cli/model_options.h"
#include "app/cli/progress_line.h"

namespace ingle::cli::import_command {
namespace {

/// In the process that may write one folder only.
Status importCaged(const importer::ImportOptions& options, const std::string& folder) {
    INGLE_TRY(confineImport({options.source, options.importance}, folder));
    endByInterruption();
    ProgressLine line;
    const importer::ImportEvents events{
        .progress = [&](double fraction, const char* phase) { line.show(fraction, phase); },
        .notice = [](const std::string& sentence) { fmt::print(stderr, "note: {}\n", sentence); },
        .isCancelled = isInterrupted};
    const Status status = importer::importModel(options, events);
    line.end();
    return status;
}

Status run(importer::ImportOptions options) {
    INGLE_TRY_ASSIGN(options.source, resolveModel(options.source));
    return writeFresh(options.target, [&](const std::string& folder, const std::string& file) {
        importer::ImportOptions inFolder = options;
        inFolder.target = file;
        inFolder.replaces = options.target;
        return importCaged(inFolder, folder);
    });
}

Action define(CLI::App& app) {
    auto options = std::make_shared<importer::ImportOptions>();
    app.add_option("SRC", options->source, "model file of any format, or the name of a model in the library")
        ->required();
    app.add_option("-o,--out", options->target,
                   "file to write: .flm is FastLLM's, .bin llama2.c's, anything else GGUF")
        ->required();
    app.add_option(
           "--quant", options->quant,
           "F32, F16, BF16, Q8_0, Q4_0, Q4_K_S, Q4_K_M, Q5_K_S, Q5_K_M or Q6_K (default: as stored); all "
           "there are: " +
               importer::mixNames())
        ->check([](const std::string& name) {
            return name.empty() ? "there is no such type; all there are: " + importer::mixNames()
                                : std::string();
        });
    app.add_option("--imatrix", options->importance,
                   "importance matrix of this model, GGUF or llama.cpp's older form");
    app.add_option_function<std::vector<std::string>>(
           "--tensor-type",
           [options](const std::vector<std::string>& wanted) {
               for (const std::string& each : wanted) {
                   const size_t equals = each.rfind('=');
                   if (equals == std::string::npos)
                       throw CLI::ValidationError("--tensor-type", "\"" + each + "\" is not PATTERN=TYPE");
                   options->tensorTypes.push_back({each.substr(0, equals), each.substr(equals + 1)});
               }
           },
           "PATTERN=TYPE: tensors whose name matches the regular expression are stored as TYPE, for example "
           "attn_v=Q6_K; may be given several times")
        ->expected(1)
        ->take_all();
    app.add_option("--threads", options->threads, "CPU threads (default: physical cores)")
        ->check(CLI::Range(1, 256));
    return [options] { return run(*options); };
}

}  // namespace

extern const Command command{"import", "write a model of any format as GGUF, quantised if asked for", define};

}  // namespace ingle::cli::import_command
