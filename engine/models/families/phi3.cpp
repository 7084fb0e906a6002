/// Phi-3, Phi-3.5 and Phi-4: Llama's layer with windows, q, k and v in one matrix, as gate and up; rotary
/// frequencies of the long variants depend on how long conversations may be. Sources: Abdin et al., "Phi-3
/// Technical Report" (2024), section 2; Ding et al., "LongRoPE" (2024).
#include "engine/models/decoder.h"

namespace ingle::models::phi3_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY(readWindows(keys, spec, std::vector<bool>(spec.facts.numLayers, true)));
    INGLE_TRY(readLongRope(keys, spec));
    for (LayerSpec& layer : spec.layers) {
        attentionOf(layer).projections = AttentionSpec::Projections::Fused;
        std::get<FeedForwardSpec>(layer.ffn).form = FeedForwardSpec::Form::GatedFused;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("phi3", sizes, metadata);
    metadata.set("phi3.attention.sliding_window", int64_t{sizes.context / 8});
}

}  // namespace

extern const ModelFamily family{.arch = "phi3", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::phi3_family
