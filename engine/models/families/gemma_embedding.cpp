/// EmbeddingGemma: Gemma 3 whose tokens see those behind them, too. Source: Schechter Vera et al.,
/// "EmbeddingGemma: Powerful and Lightweight Text Representations" (2025), section 2.
#include "engine/models/gemma.h"

namespace ingle::models::gemma_embedding_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 6));
    INGLE_TRY_ASSIGN(const uint32_t window, keys.u32("attention.sliding_window"));
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base_swa", 10000));
    if (!(base > 1)) return keys.cannotBe("rope.freq_base_swa", base);
    makeGemma(spec, 0);
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        AttentionSpec& attention = attentionOf(spec.layers[i]);
        attention.mask = backend::Mask::Full;
        attention.headNorm = HeadNormSpec{};
        if (!windowed[i]) continue;
        attention.window = window / 2 + 1;  // to either side, the token itself among them
        RopeFrequencies& frequencies = attention.rope->frequencies;
        frequencies = unscaledRope(base, 2 * static_cast<uint32_t>(frequencies.perPair.size()));
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("gemma-embedding", sizes, metadata);
    metadata.set("gemma-embedding.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("gemma-embedding.attention.sliding_window_pattern", int64_t{2});
    metadata.set("gemma-embedding.rope.freq_base_swa", 1e4);
    metadata.set("gemma-embedding.pooling_type", int64_t{static_cast<uint32_t>(Pooling::Mean)});
}

}  // namespace

extern const ModelFamily family{
    .arch = "gemma-embedding", .kind = FamilyKind::Encoder, .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::gemma_embedding_family
