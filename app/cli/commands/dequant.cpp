#include "app/cli/command.h"
#include "engine/import/import.h"

namespace ingle::cli::dequant_command {
namespace {

struct Options {
    std::string type, in, out;
};

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("--type", options->type, "block format, e.g. Q4_K")->required();
    app.add_option("--in", options->in, "raw blocks")->required();
    app.add_option("--out", options->out, "float32 file to write")->required();
    return [options] { return importer::dequantFile(options->type, options->in, options->out); };
}

}  // namespace

extern const Command command{"dequant", "decode raw blocks of one format", define};

}  // namespace ingle::cli::dequant_command
