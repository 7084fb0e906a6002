/// The talker of Qwen3-TTS: Qwen3, whose positions have components that are all the same in text. Source:
/// the model's published configuration and code (Qwen team, 2026).
#include "engine/models/decoder.h"

namespace ingle::models::qwen3tts_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    for (LayerSpec& layer : spec.layers) attentionOf(layer).headNorm = HeadNormSpec{};
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen3tts", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "qwen3tts", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen3tts_family
