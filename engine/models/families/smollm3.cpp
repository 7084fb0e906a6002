/// SmolLM3: Llama's layer, of which every fourth has no positions. Source: Bakouch et al., "SmolLM3: smol,
/// multilingual, long-context reasoner" (2025); Yang et al., "RoPE to NoPE and Back Again" (2025).
#include "engine/models/decoder.h"

namespace ingle::models::smollm3_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    constexpr uint32_t kPeriod = 4;
    for (uint32_t i = kPeriod - 1; i < spec.facts.numLayers; i += kPeriod)
        attentionOf(spec.layers[i]).rope.reset();
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("smollm3", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "smollm3", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::smollm3_family
