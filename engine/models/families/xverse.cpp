/// XVERSE: Llama's layer. Source: the model's published configuration and code (XVERSE Technology, 2023).
#include "engine/models/decoder.h"

namespace ingle::models::xverse_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    return readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved});
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("xverse", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "xverse", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::xverse_family
