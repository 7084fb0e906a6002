/// Qwen3.5: three layers of gated delta nets to one of gated attention. Its positions have coordinates
/// that are all the same in text. Source: the model's published configuration and code (Qwen team, 2026).
#include "engine/models/qwen_hybrid.h"

namespace ingle::models::qwen35_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.hasFfnFactors = true}));
    INGLE_TRY(readGatedDelta(keys, spec, {.pairing = backend::HeadPairing::Tiled}));
    INGLE_TRY(readRopeSections(keys, RopeSections::Interleaved, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen35", sizes, metadata);
    synthesizeGatedDelta("qwen35", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "qwen35", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen35_family
