/// Ling Lite and Plus: Llama's attention, experts in every layer with more that every row goes to. Source:
/// Ling Team, "Every FLOP Counts: Scaling a 300B Mixture-of-Experts LING LLM without Premium GPUs" (2025),
/// section 2.
#include "engine/models/decoder.h"

namespace ingle::models::bailingmoe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY(readMixture(keys, spec, {.hasDenseLayers = false}));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("bailingmoe", sizes, metadata);
    synthesizeMixture("bailingmoe", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "bailingmoe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::bailingmoe_family
