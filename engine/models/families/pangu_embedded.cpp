/// openPangu Embedded: Llama's layer whose rotary pairs are halves. Source: the model's published
/// configuration and code (Huawei, 2025).
#include "engine/models/decoder.h"

namespace ingle::models::pangu_embedded_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    return readDecoder(keys, {.hasRopeFactors = false});
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("pangu-embedded", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "pangu-embedded", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::pangu_embedded_family
