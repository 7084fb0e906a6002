/// The language model of Qwen3-VL with experts: that of qwen3moe. Source: the model as published with
/// transformers, src/transformers/models/qwen3_vl_moe/modeling_qwen3_vl_moe.py (2025).
#include "engine/models/decoder.h"

namespace ingle::models::qwen3vlmoe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    for (LayerSpec& layer : spec.layers) attentionOf(layer).headNorm = HeadNormSpec{};
    INGLE_TRY(readPictureLayers(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen3vlmoe", sizes, metadata);
    synthesizeExperts("qwen3vlmoe", sizes, metadata, 4);
    metadata.set("qwen3vlmoe.expert_feed_forward_length", int64_t{sizes.ffnDim});
}

}  // namespace

extern const ModelFamily family{.arch = "qwen3vlmoe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen3vlmoe_family
