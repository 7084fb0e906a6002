/// The language model of Qwen2-VL and Qwen2.5-VL: Qwen2, whose positions have coordinates that are all the
/// same in text. Source: Wang et al., "Qwen2-VL: Enhancing Vision-Language Model's Perception of the World
/// at Any Resolution" (2024), section 2.1.
#include "engine/models/decoder.h"

namespace ingle::models::qwen2vl_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    spec.hasOutputBias = false;
    INGLE_TRY(readRopeSections(keys, RopeSections::InOrder, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen2vl", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "qwen2vl", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen2vl_family
