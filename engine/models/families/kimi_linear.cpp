/// Kimi Linear: latent attention without positions where head_count_kv is not 0, else the delta rule with a
/// decay for each channel; experts behind the first layers with more that every row goes to. Source: Kimi
/// Team, "Kimi Linear: An Expressive, Efficient Attention Architecture" (2025), section 3.
#include "engine/models/decoder.h"

namespace ingle::models::kimi_linear_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec,
                     readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved, .mayLackHeads = true}));
    INGLE_TRY_ASSIGN(LatentAttentionSpec attention, readLatentAttention(keys, spec, LatentQueries::Optional));
    attention.rope.reset();
    attention.hasQueryFactors = false;
    INGLE_TRY_ASSIGN(const ChannelDeltaSpec delta, readChannelDelta(keys, attention.numHeads));
    INGLE_TRY(readMixture(keys, spec, {.renormalises = true}));
    for (LayerSpec& layer : spec.layers) {
        if (ExpertsSpec* experts = expertsOf(layer)) experts->rule.renormalise = true;
        if (hasAttention(layer))
            layer.mixer = attention;
        else
            layer.mixer = delta;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("kimi-linear", sizes, metadata);
    synthesizeMixture("kimi-linear", sizes, metadata);
    synthesizeLatentAttention("kimi-linear", metadata);
    std::vector<int64_t> heads;  // both mixers
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer) heads.push_back(layer % 2 == 0 ? 1 : 0);
    metadata.set("kimi-linear.attention.head_count_kv", heads);
    metadata.set("kimi-linear.ssm.conv_kernel", int64_t{4});
    metadata.set("kimi-linear.kda.head_dim", int64_t{32});
}

}  // namespace

extern const ModelFamily family{.arch = "kimi-linear", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::kimi_linear_family
