#include "engine/lab/synth.h"
#include "app/cli/command.h"

namespace ingle::cli::synth_command {
namespace {

struct Options {
    lab::SynthOptions synth;
    std::string out;
};

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    models::SynthSizes& sizes = options->synth.sizes;
    app.add_option("--family", options->synth.family, "model family")->required();
    app.add_option("--dim", sizes.dim, "embedding length");
    app.add_option("--ffn", sizes.ffnDim, "feed-forward length");
    app.add_option("--layers", sizes.numLayers, "layers");
    app.add_option("--heads", sizes.numHeads, "heads");
    app.add_option("--kv-heads", sizes.numKvHeads, "key/value heads");
    app.add_option("--vocab", sizes.vocabSize, "vocabulary");
    app.add_option("--context", sizes.context, "trained context");
    app.add_option("--experts", sizes.numExperts, "experts of a mixture (0: dense)");
    app.add_option("--experts-used", sizes.numExpertsUsed, "experts that serve a token");
    app.add_option("--quant", options->synth.quant, "block format of the matrices");
    app.add_flag("--mtp", options->synth.hasHead, "with a head that predicts further tokens");
    app.add_option("--mtp-agreement", options->synth.headAgreement,
                   "with such a head, which is right for this share of all tokens")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--seed", options->synth.seed, "seed of the weights");
    app.add_option("-o,--out", options->out, "GGUF file to write")->required();
    return [options] { return lab::writeSynthModel(options->synth, options->out); };
}

}  // namespace

extern const Command command{"synth", "write a model with random weights", define};

}  // namespace ingle::cli::synth_command
