/// Nanbeige: Llama's layer. Source: the model's published configuration and code (Nanbeige LLM Lab, 2023).
#include "engine/models/decoder.h"

namespace ingle::models::nanbeige_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    return readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved, .hasFfnFactors = true});
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("nanbeige", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "nanbeige", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::nanbeige_family
