/// MiMo V2: windows with sinks and positions of their own, experts. Source: the model's published
/// configuration and code (Xiaomi, 2025).
#include "engine/models/decoder.h"

namespace ingle::models::mimo2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base_swa", 10000));
    INGLE_TRY_ASSIGN(const float valueScale, keys.f32Or("attention.value_scale", 0));  // 0: none
    INGLE_TRY_ASSIGN(const float expertScale, keys.f32Or("expert_weights_scale", 0));
    if (!(base > 1)) return keys.cannotBe("rope.freq_base_swa", base);
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        // No key tells which layers have sinks, nor which lack experts.
        const auto has = [&](std::string_view name) {
            return keys.file().find(layerWeight(i, name)) != nullptr;
        };
        AttentionSpec& attention = attentionOf(layer);
        attention.hasQkvFactors = false;
        attention.qkvBias = Presence::Unused;
        attention.hasSinks = has("attn_sinks.weight");
        if (valueScale != 0) attention.outputScale = valueScale;
        if (windowed[i])
            attention.rope->frequencies =
                unscaledRope(base, 2 * static_cast<uint32_t>(attention.rope->frequencies.perPair.size()));
        if (has("ffn_gate.weight") && !has("ffn_gate_inp.weight")) layer.ffn = dense[i].ffn;
        ExpertsSpec* experts = expertsOf(layer);
        if (!experts) continue;
        experts->hasChoiceBias = true;
        experts->rule.scores = kernels::ExpertScores::Sigmoid;
        if (expertScale != 0) experts->rule.scale = expertScale;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("mimo2", sizes, metadata);
    synthesizeExperts("mimo2", sizes, metadata, 4);
    metadata.set("mimo2.expert_feed_forward_length", int64_t{sizes.ffnDim});
    metadata.set("mimo2.expert_weights_scale", 1.5);
    metadata.set("mimo2.attention.value_scale", 0.7);
    metadata.set("mimo2.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("mimo2.attention.sliding_window_pattern", int64_t{2});
    metadata.set("mimo2.rope.freq_base_swa", 10000.0);
}

}  // namespace

extern const ModelFamily family{.arch = "mimo2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::mimo2_family
