/// Qwen1.5-MoE and Qwen2-MoE: shares are what the softmax over all experts says, and one expert, with a gate
/// of its own, serves every token. Source: Yang et al., "Qwen2 Technical Report" (2024), section 2.2.2.
#include "engine/models/decoder.h"

namespace ingle::models::qwen2moe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY_ASSIGN(const uint32_t sharedDim, readSharedExpertDim(keys));
    for (LayerSpec& layer : spec.layers) {
        attentionOf(layer).qkvBias = Presence::Required;
        ExpertsSpec* experts = expertsOf(layer);
        if (!experts) continue;
        experts->rule.renormalise = false;
        experts->sharedDim = sharedDim ? sharedDim : experts->dim;
        experts->sharedIsGated = true;
    }
    INGLE_TRY(readExpertDim(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen2moe", sizes, metadata);
    synthesizeExperts("qwen2moe", sizes, metadata, 4);
    metadata.set("qwen2moe.expert_feed_forward_length", int64_t{sizes.ffnDim});
    metadata.set("qwen2moe.expert_shared_feed_forward_length", int64_t{sizes.ffnDim});
}

}  // namespace

extern const ModelFamily family{.arch = "qwen2moe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen2moe_family
