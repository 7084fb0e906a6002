/// LFM2 with experts behind the first layers. Source: Liquid AI, "LFM2 Technical Report" (2025), section 2.
#include "engine/models/decoder.h"
#include "engine/models/limits.h"

namespace ingle::models::lfm2moe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.mayLackHeads = true}));
    INGLE_TRY_ASSIGN(const uint32_t kernel, keys.u32("shortconv.l_cache"));
    if (kernel < kLeastKernel || kernel > kMaxKernel) return keys.cannotBe("shortconv.l_cache", kernel);
    INGLE_TRY(readMixture(keys, spec, {.renormalises = true}));
    spec.finalNorm = "token_embd_norm";
    for (LayerSpec& layer : spec.layers) {
        if (ExpertsSpec* experts = expertsOf(layer)) experts->rule.renormalise = true;
        if (hasAttention(layer)) {
            attentionOf(layer).headNorm = HeadNormSpec{};
        } else {
            layer.mixer = ShortConvSpec{.kernel = kernel, .width = spec.facts.dim};
        }
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("lfm2moe", sizes, metadata);
    synthesizeMixture("lfm2moe", sizes, metadata);
    std::vector<int64_t> heads;
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer)
        heads.push_back(int64_t{layer % 3 == 1 ? sizes.numKvHeads : 0});
    metadata.set("lfm2moe.attention.head_count_kv", heads);
    metadata.set("lfm2moe.shortconv.l_cache", int64_t{3});
}

}  // namespace

extern const ModelFamily family{.arch = "lfm2moe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::lfm2moe_family
