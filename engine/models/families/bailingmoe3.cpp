/// Ling 3: latent attention with a gate for each head where head_count_kv is not 0, else the delta rule with
/// a bounded decay for each channel; experts with clamped gates behind the first layers. Source: the model's
/// published configuration and code (Ling Team, 2026).
#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models::bailingmoe3_family {
namespace {

constexpr float kNoClamp = 1e-6F;  ///< up to which there is none

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec,
                     readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved, .mayLackHeads = true}));
    INGLE_TRY_ASSIGN(LatentAttentionSpec attention, readLatentAttention(keys, spec, LatentQueries::Optional));
    attention.hasOutputGate = true;
    INGLE_TRY_ASSIGN(ChannelDeltaSpec delta, readChannelDelta(keys, attention.numHeads));
    delta.isDirect = true;
    INGLE_TRY_ASSIGN(delta.lowest, keys.f32("kda.gate_lower_bound"));
    INGLE_TRY_ASSIGN(const bool isBounded, keys.boolOr("kda.safe_gate", true));
    if (!isBounded)
        return fail(ErrorCode::Unsupported, "{}: kda.safe_gate false is not supported", keys.file().path);
    if (!(delta.lowest < 0) || !std::isfinite(delta.lowest))
        return keys.cannotBe("kda.gate_lower_bound", delta.lowest);
    const uint32_t numLayers = spec.facts.numLayers;
    INGLE_TRY_ASSIGN(const auto clamps, keys.numberPerLayerOr("swiglu_clamp_exp", numLayers, 0));
    INGLE_TRY_ASSIGN(const auto sharedClamps, keys.numberPerLayerOr("swiglu_clamp_shexp", numLayers, 0));
    INGLE_TRY(readMixture(keys, spec, {.shared = MixtureTraits::Shared::Length}));
    for (uint32_t i = 0; i < numLayers; ++i) {
        LayerSpec& layer = spec.layers[i];
        if (ExpertsSpec* experts = expertsOf(layer)) {
            experts->clamp = clamps[i] > kNoClamp ? clamps[i] : 0;
            experts->sharedClamp = sharedClamps[i] > kNoClamp ? sharedClamps[i] : 0;
        }
        if (hasAttention(layer))
            layer.mixer = attention;
        else
            layer.mixer = delta;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("bailingmoe3", sizes, metadata);
    synthesizeMixture("bailingmoe3", sizes, metadata);
    synthesizeLatentAttention("bailingmoe3", metadata);
    std::vector<int64_t> heads;  // both mixers
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer) heads.push_back(layer % 2 == 0 ? 1 : 0);
    metadata.set("bailingmoe3.attention.head_count_kv", heads);
    metadata.set("bailingmoe3.ssm.conv_kernel", int64_t{4});
    metadata.set("bailingmoe3.kda.head_dim", int64_t{32});
    metadata.set("bailingmoe3.kda.gate_lower_bound", -5.0);
    metadata.set("bailingmoe3.kda.safe_gate", true);
    metadata.set("bailingmoe3.swiglu_clamp_exp", 1.5);
    metadata.set("bailingmoe3.swiglu_clamp_shexp", 1.5);
}

}  // namespace

extern const ModelFamily family{.arch = "bailingmoe3", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::bailingmoe3_family
