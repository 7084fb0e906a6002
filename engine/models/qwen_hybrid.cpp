#include "engine/models/qwen_hybrid.h"

#include <algorithm>

#include "engine/formats/value_heads.h"
#include "engine/models/state_space_keys.h"

namespace ingle::models {

Status readGatedDelta(const Keys& keys, DecoderSpec& spec, const GatedDeltaSpec& kind) {
    INGLE_TRY_ASSIGN(const StateSpaceSizes sizes, readStateSpaceSizes(keys));
    GatedDeltaSpec delta = kind;
    delta.kernel = sizes.kernel;
    delta.keyDim = sizes.stateSize;
    delta.numKeyHeads = sizes.groups;
    delta.numValueHeads = sizes.heads;
    delta.valueDim = sizes.inner / sizes.heads;
    INGLE_TRY_ASSIGN(const bool areConsecutive, keys.boolOr(formats::kConsecutiveValueHeads, false));
    if (areConsecutive) delta.pairing = backend::HeadPairing::Consecutive;
    const uint32_t numLayers = spec.facts.numLayers;
    INGLE_TRY_ASSIGN(const uint32_t interval, keys.u32Or("full_attention_interval", 4));
    if (interval == 0) return keys.cannotBe("full_attention_interval", interval);
    std::vector<uint32_t> isRecurrent;
    for (uint32_t layer = 0; layer < numLayers; ++layer)
        isRecurrent.push_back(layer % interval < interval - 1 ? 1 : 0);
    INGLE_TRY_ASSIGN(isRecurrent, keys.perLayerOr("attention.recurrent_layers", isRecurrent));
    for (uint32_t layer = 0; layer < numLayers; ++layer) {
        LayerSpec& to = spec.layers[layer];
        to.norms.beforeFfn = "post_attention_norm";
        if (isRecurrent[layer]) {
            to.mixer = delta;
        } else {
            attentionOf(to).headNorm = HeadNormSpec{};
            attentionOf(to).projections = AttentionSpec::Projections::GatedQueries;
        }
    }
    return {};
}

Status readGatedExperts(const Keys& keys, DecoderSpec& spec) {
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    INGLE_TRY_ASSIGN(const uint32_t sharedDim, readSharedExpertDim(keys));
    for (LayerSpec& layer : spec.layers) {
        ExpertsSpec* experts = expertsOf(layer);
        if (!experts) continue;
        experts->sharedDim = sharedDim;
        experts->sharedIsGated = true;
    }
    return {};
}

void synthesizeGatedDelta(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata) {
    const auto set = [&](std::string_view key, int64_t value) {
        metadata.set(fmt::format("{}.{}", arch, key), value);
    };
    const uint32_t headDim = sizes.dim / sizes.numHeads;
    set("full_attention_interval", std::min(sizes.numLayers, 4u));
    set("ssm.conv_kernel", 4);
    set("ssm.state_size", headDim);
    set("ssm.group_count", sizes.numHeads % 2 == 0 ? sizes.numHeads / 2 : sizes.numHeads);
    set("ssm.time_step_rank", sizes.numHeads);
    set("ssm.inner_size", int64_t{sizes.numHeads} * headDim);
}

void synthesizeGatedExperts(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeExperts(arch, sizes, metadata, 4);
    metadata.set(fmt::format("{}.expert_feed_forward_length", arch), int64_t{sizes.ffnDim});
    metadata.set(fmt::format("{}.expert_shared_feed_forward_length", arch), int64_t{sizes.ffnDim});
}

}  // namespace ingle::models
