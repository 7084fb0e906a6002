/// Falcon: attention and feed-forward read the layer's input; those of 40B have a norm each. Source:
/// Almazrouei et al., "The Falcon Series of Open Language Models" (2023), section 4.
#include "engine/models/decoder.h"

namespace ingle::models::falcon_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    INGLE_TRY_ASSIGN(const backend::ActivationKind activation, readActivation(keys));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        layer.norms.beforeFfn = {};
        if (keys.file().find(layerWeight(i, "attn_norm_2.weight")))
            layer.norms = {
                .beforeMixer = "attn_norm_2", .beforeFfn = "attn_norm", .ffnReadsLayersInput = true};
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = activation;
        attentionOf(layer).projections = AttentionSpec::Projections::Fused;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("falcon", sizes, metadata, NormKind::Layer);
    metadata.set("falcon.hidden_activation", std::string("gelu"));
}

}  // namespace

extern const ModelFamily family{.arch = "falcon", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::falcon_family
