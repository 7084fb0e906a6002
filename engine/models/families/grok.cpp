/// Grok 1 and 2: a scaled embedding, capped scores, experts beside a feed-forward, norms behind both halves.
/// Source: the models' published configurations and code (xAI, 2024 and 2025).
#include <numbers>

#include "engine/models/decoder.h"

namespace ingle::models::grok_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(spec.embeddingScale, keys.f32Or("embedding_scale", 78.38367F));
    INGLE_TRY_ASSIGN(spec.logitScale, keys.f32Or("logit_scale", 0.57735026F));
    INGLE_TRY_ASSIGN(spec.logitCap, keys.f32Or("final_logit_softcapping", 0));
    INGLE_TRY_ASSIGN(const float scoreCap, keys.f32Or("attn_logit_softcapping", 30));
    INGLE_TRY_ASSIGN(const float scoreScale, keys.f32Or("attention.output_scale", 0.08838835F));
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        const auto has = [&](std::string_view name) {
            return keys.file().find(layerWeight(i, name)) != nullptr;
        };
        layer.norms.afterMixer = "attn_output_norm";
        layer.norms.afterFfn = has("post_ffw_norm.weight") ? "post_ffw_norm" : "layer_output_norm";
        AttentionSpec& attention = attentionOf(layer);
        attention.scale = scoreScale;
        attention.softCap = scoreCap;
        ExpertsSpec* experts = expertsOf(layer);
        if (!experts) return keys.cannotBe("expert_count", 0);
        experts->activation = backend::ActivationKind::Gelu;
        if (!has("ffn_up.weight")) continue;
        auto beside = std::get<FeedForwardSpec>(dense[i].ffn);
        beside.activation = backend::ActivationKind::Gelu;
        layer.ffn = FeedForwardBesideExpertsSpec{
            .dense = beside, .experts = *experts, .scale = std::numbers::sqrt2_v<float> / 2};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("grok", sizes, metadata);
    synthesizeExperts("grok", sizes, metadata, 4);
    metadata.set("grok.expert_feed_forward_length", int64_t{sizes.ffnDim});
    metadata.set("grok.embedding_scale", 12.0);
    metadata.set("grok.logit_scale", 0.5);
    metadata.set("grok.final_logit_softcapping", 30.0);
    metadata.set("grok.attn_logit_softcapping", 30.0);
    metadata.set("grok.attention.output_scale", 0.1);
}

}  // namespace

extern const ModelFamily family{.arch = "grok", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::grok_family
