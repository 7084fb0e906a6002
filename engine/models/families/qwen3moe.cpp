/// Qwen3 with experts: every layer has them, and shares add up to 1.
/// Source: Yang et al., "Qwen3 Technical Report" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::qwen3moe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.hasFfnFactors = true}));
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    for (LayerSpec& layer : spec.layers) attentionOf(layer).headNorm = HeadNormSpec{};
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen3moe", sizes, metadata);
    synthesizeExperts("qwen3moe", sizes, metadata, 4);
    metadata.set("qwen3moe.expert_feed_forward_length", int64_t{sizes.ffnDim});
}

}  // namespace

extern const ModelFamily family{.arch = "qwen3moe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen3moe_family
