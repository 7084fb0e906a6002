/// PLaMo 3: what attention and feed-forward add is normalised, too, as are the heads of q and k; most layers
/// have a window. Source: the model's published configuration and code (Preferred Networks, 2025).
#include "engine/models/decoder.h"

namespace ingle::models::plamo3_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 8));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY(readWindowedHeads(keys, spec, windowed));
    for (LayerSpec& layer : spec.layers) {
        layer.norms.afterMixer = "post_attention_norm";
        layer.norms.afterFfn = "post_ffw_norm";
        std::get<FeedForwardSpec>(layer.ffn).form = FeedForwardSpec::Form::GatedFused;
        attentionOf(layer).projections = AttentionSpec::Projections::Fused;
        attentionOf(layer).hasQkvFactors = false;
        attentionOf(layer).headNorm = HeadNormSpec{};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("plamo3", sizes, metadata);
    metadata.set("plamo3.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("plamo3.attention.sliding_window_pattern", int64_t{2});
    metadata.set("plamo3.attention.key_length_swa", int64_t{sizes.dim / sizes.numHeads});
    metadata.set("plamo3.attention.value_length_swa", int64_t{sizes.dim / sizes.numHeads});
    metadata.set("plamo3.rope.dimension_count_swa", int64_t{sizes.dim / sizes.numHeads});
    metadata.set("plamo3.rope.freq_base_swa", 10000.0);
}

}  // namespace

extern const ModelFamily family{.arch = "plamo3", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::plamo3_family
