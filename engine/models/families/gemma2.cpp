/// Gemma 2: branches are normalised before and behind, every other layer sees a window, and scores and logits
/// are capped. Source: Gemma Team, "Gemma 2: Improving Open Language Models at a Practical Size" (2024),
/// section 2.
#include "engine/models/gemma.h"

namespace ingle::models::gemma2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY_ASSIGN(const auto windowed, readWindowed(keys, spec.facts.numLayers, 2));
    INGLE_TRY_ASSIGN(const uint32_t window, keys.u32Or("attention.sliding_window", 4096));
    INGLE_TRY_ASSIGN(const float softCap, keys.f32Or("attn_logit_softcapping", 50));
    INGLE_TRY_ASSIGN(spec.logitCap, keys.f32Or("final_logit_softcapping", 30));
    makeGemma(spec, 46);
    for (uint32_t i = 0; i < spec.facts.numLayers; ++i) {
        AttentionSpec& attention = attentionOf(spec.layers[i]);
        attention.softCap = softCap;
        if (windowed[i]) attention.window = window;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("gemma2", sizes, metadata);
    metadata.set("gemma2.attention.sliding_window", int64_t{sizes.context / 8});
    metadata.set("gemma2.attention.sliding_window_pattern", int64_t{2});
    metadata.set("gemma2.attn_logit_softcapping", 50.0);
    metadata.set("gemma2.final_logit_softcapping", 30.0);
}

}  // namespace

extern const ModelFamily family{.arch = "gemma2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::gemma2_family
