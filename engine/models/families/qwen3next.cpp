/// Qwen3-Next: three layers of gated delta nets to one of gated attention, experts in all of them. Source:
/// the model's published configuration and code (Qwen team, 2025).
#include "engine/models/qwen_hybrid.h"

namespace ingle::models::qwen3next_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.hasFfnFactors = true}));
    // Older files keep everything by key heads.
    using Files = GatedDeltaSpec::Files;
    INGLE_TRY(readGatedDelta(keys, spec, {.files = Files::RatesByKeyHead, .hasFactors = false}));
    for (uint32_t layer = 0; layer < spec.facts.numLayers; ++layer) {
        auto* delta = std::get_if<GatedDeltaSpec>(&spec.layers[layer].mixer);
        if (delta && !keys.file().find(layerWeight(layer, "attn_qkv.weight")))
            delta->files = Files::AllByKeyHead;
    }
    INGLE_TRY(readGatedExperts(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen3next", sizes, metadata);
    synthesizeGatedDelta("qwen3next", sizes, metadata);
    synthesizeGatedExperts("qwen3next", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "qwen3next", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen3next_family
