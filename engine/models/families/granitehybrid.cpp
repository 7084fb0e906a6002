/// Granite 4: Mamba-2, and attention where head_count_kv is not 0; experts with one more that serves every
/// row, or a feed-forward. Source: the model's published configuration and code (IBM, 2025).
#include "engine/models/granite.h"

namespace ingle::models::granitehybrid_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec,
                     readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved, .mayLackHeads = true}));
    INGLE_TRY_ASSIGN(const MambaSpec mamba, readMamba(keys));
    INGLE_TRY_ASSIGN(const bool isRotated, keys.boolOr("rope.scaling.finetuned", true));
    INGLE_TRY(readGraniteScales(keys, spec));
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY_ASSIGN(const uint32_t sharedDim, readSharedExpertDim(keys));
    for (LayerSpec& layer : spec.layers) {
        if (ExpertsSpec* experts = expertsOf(layer)) experts->sharedDim = sharedDim;
        if (!hasAttention(layer)) {
            layer.mixer = mamba;
            continue;
        }
        if (!isRotated) attentionOf(layer).rope.reset();
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("granitehybrid", sizes, metadata);
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("granitehybrid.{}", key), std::move(value));
    };
    std::vector<int64_t> heads;
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer)
        heads.push_back(int64_t{layer % 3 == 1 ? sizes.numKvHeads : 0});
    set("attention.head_count_kv", heads);
    set("attention.scale", 0.125);
    set("rope.scaling.finetuned", false);
    set("embedding_scale", 12.0);
    set("residual_scale", 0.22);
    set("logit_scale", 6.0);
    set("ssm.conv_kernel", int64_t{4});
    set("ssm.state_size", int64_t{sizes.dim / sizes.numHeads});
    set("ssm.time_step_rank", int64_t{2 * sizes.numHeads});
    set("ssm.group_count", int64_t{1});
    set("ssm.inner_size", int64_t{2 * sizes.dim});
    synthesizeExperts("granitehybrid", sizes, metadata);
    set("expert_shared_feed_forward_length", int64_t{sizes.ffnDim});
}

}  // namespace

extern const ModelFamily family{.arch = "granitehybrid", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::granitehybrid_family
