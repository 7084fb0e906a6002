/// The language model of Qwen3-VL: Qwen3, whose positions have coordinates that are all the same in text.
/// Source: the model as published with transformers, src/transformers/models/qwen3_vl/modeling_qwen3_vl.py
/// (2025).
#include "engine/models/decoder.h"

namespace ingle::models::qwen3vl_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    for (LayerSpec& layer : spec.layers) attentionOf(layer).headNorm = HeadNormSpec{};
    INGLE_TRY(readPictureLayers(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen3vl", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "qwen3vl", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen3vl_family
