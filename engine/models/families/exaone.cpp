/// EXAONE 3 and 3.5: Llama's layer whose rotary pairs are halves. Source: LG AI Research, "EXAONE 3.0 7.8B
/// Instruction Tuned Language Model" (2024), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::exaone_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    return readDecoder(keys, {});
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("exaone", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "exaone", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::exaone_family
