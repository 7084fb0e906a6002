/// Maple: Qwen3's mixture with a clamped gate, windows, and rotary positions only in the layers that have
/// them. Source: the model's published configuration and code (2026).
#include "engine/models/decoder.h"

namespace ingle::models::maple_family {
namespace {

constexpr float kNoClamp = 1e-6F;  ///< up to which there is none

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 4));
    INGLE_TRY(readWindows(keys, spec, windowed));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base", 10000));
    INGLE_TRY_ASSIGN(const float windowedBase, keys.f32Or("rope.freq_base_swa", base));
    INGLE_TRY_ASSIGN(const auto clamps, keys.numberPerLayerOr("swiglu_clamp_exp", spec.facts.numLayers, 7));
    if (!(windowedBase > 1)) return keys.cannotBe("rope.freq_base_swa", windowedBase);
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        AttentionSpec& attention = attentionOf(spec.layers[i]);
        attention.headNorm = HeadNormSpec{};
        if (windowed[i])
            attention.rope->frequencies = unscaledRope(
                windowedBase, 2 * static_cast<uint32_t>(attention.rope->frequencies.perPair.size()));
        else
            attention.rope.reset();
        ExpertsSpec* experts = expertsOf(spec.layers[i]);
        if (!experts) return keys.cannotBe("expert_count", 0);
        experts->clamp = clamps[i] > kNoClamp ? clamps[i] : 0;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("maple", sizes, metadata);
    synthesizeExperts("maple", sizes, metadata, 4);
    metadata.set("maple.expert_feed_forward_length", int64_t{sizes.ffnDim});
    metadata.set("maple.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("maple.attention.sliding_window_pattern", int64_t{2});
    metadata.set("maple.rope.freq_base_swa", 10000.0);
    metadata.set("maple.swiglu_clamp_exp", 1.5);
}

}  // namespace

extern const ModelFamily family{.arch = "maple", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::maple_family
