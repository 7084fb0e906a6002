/// Qwen3: Qwen2's layer without biases, with q and k normalised head by head. Also Qwen3-Embedding and
/// Qwen3-Reranker.
/// Source: Yang et al., "Qwen3 Technical Report" (2025), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::qwen3_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.hasFfnFactors = true}));
    for (LayerSpec& layer : spec.layers) attentionOf(layer).headNorm = HeadNormSpec{};
    spec.classifier.makesShares = true;
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen3", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "qwen3", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen3_family
