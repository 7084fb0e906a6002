/// Hunyuan with experts, of which one serves every row. Source: Tencent, "Hunyuan-A13B Technical Report"
/// (2025), section 2.
#include "engine/models/hunyuan.h"

namespace ingle::models::hunyuan_moe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readHunyuan(keys));
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    INGLE_TRY_ASSIGN(const uint32_t sharedDim, readSharedExpertDim(keys));
    for (LayerSpec& layer : spec.layers)
        if (ExpertsSpec* experts = expertsOf(layer)) experts->sharedDim = sharedDim;
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("hunyuan-moe", sizes, metadata);
    metadata.set("hunyuan-moe.rope.scaling.alpha", 0.0);
    synthesizeExperts("hunyuan-moe", sizes, metadata, 4);
    metadata.set("hunyuan-moe.expert_feed_forward_length", int64_t{sizes.ffnDim});
    metadata.set("hunyuan-moe.expert_shared_feed_forward_length", int64_t{sizes.ffnDim});
}

}  // namespace

extern const ModelFamily family{.arch = "hunyuan-moe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::hunyuan_moe_family
