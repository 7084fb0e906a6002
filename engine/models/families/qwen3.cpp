/// Qwen3: Qwen2's layer without biases, with q and k normalised head by head.
/// Source: Yang et al., "Qwen3 Technical Report" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.hasFfnFactors = true}));
    for (LayerSpec& layer : spec.layers) attentionOf(layer).headNorm = HeadNormSpec{};
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen3", sizes, metadata);
}

}  // namespace

extern const ModelFamily qwen3_family;
const ModelFamily qwen3_family{.arch = "qwen3", .open = openDecoder<read>, .synthesize = synthesize};

}  // namespace ingle::models
