/// Qwen2 and Qwen2.5: Llama's layer with biases on q, k, v and half-split rotary pairs.
/// Source: Yang et al., "Qwen2 Technical Report" (2024), section 2.2.
#include "engine/models/decoder.h"

namespace ingle::models::qwen2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    for (LayerSpec& layer : spec.layers) attentionOf(layer).qkvBias = Presence::Required;
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen2", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "qwen2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen2_family
