/// ModernBERT: norms before each half, rotary positions, and two layers with a window to either side to one
/// without. Source: Warner et al., "Smarter, Better, Faster, Longer: A Modern Bidirectional Encoder" (2024),
/// section 2.
#include "engine/models/decoder.h"

namespace ingle::models::modern_bert_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::LayerUnbiased}));
    spec.embeddingNorm = NormKind::LayerUnbiased;
    spec.hasOutputBias = false;
    INGLE_TRY_ASSIGN(const backend::ActivationKind activation, readActivation(keys));
    INGLE_TRY_ASSIGN(const backend::ActivationKind ofClassifier,
                     readActivation(keys, "classifier.activation"));
    spec.classifier = {.pooling = Pooling::Mean, .activation = ofClassifier};
    INGLE_TRY_ASSIGN(const uint32_t window, keys.u32Or("attention.sliding_window", 0));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base_swa", 10000));
    if (!(base > 1)) return keys.cannotBe("rope.freq_base_swa", base);
    // Of each three layers the first has none.
    std::vector<bool> windowed(spec.layers.size());
    for (uint32_t i = 0; i < windowed.size(); ++i) windowed[i] = window > 0 && i % 3 != 0;
    if (keys.isArray("attention.sliding_window_pattern")) {
        INGLE_TRY_ASSIGN(windowed, readWindowed(keys, spec.facts.numLayers, 3));
    }
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        LayerSpec& layer = spec.layers[i];
        if (i == 0 && !keys.file().find("blk.0.attn_norm.weight")) layer.norms.beforeMixer = {};
        AttentionSpec& attention = attentionOf(layer);
        attention.projections = AttentionSpec::Projections::Fused;
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::GatedFused;
        ffn.activation = activation;
        if (!windowed[i]) continue;
        attention.window = window / 2 + 1;  // to either side, the token itself among them
        RopeFrequencies& frequencies = attention.rope->frequencies;
        frequencies = unscaledRope(base, 2 * static_cast<uint32_t>(frequencies.perPair.size()));
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("modern-bert", sizes, metadata, NormKind::Layer);
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("modern-bert.{}", key), std::move(value));
    };
    set("attention.head_count_kv", int64_t{sizes.numHeads});
    set("attention.causal", false);
    set("attention.sliding_window", int64_t{sizes.context / 8});
    set("rope.freq_base_swa", 1e4);
    set("pooling_type", int64_t{static_cast<uint32_t>(Pooling::Mean)});
    set("hidden_activation", std::string("gelu"));
}

}  // namespace

extern const ModelFamily family{
    .arch = "modern-bert", .kind = FamilyKind::Encoder, .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::modern_bert_family
