/// Qwen3.5 with experts. Source: the model's published configuration and code (Qwen team, 2026).
#include "engine/models/qwen_hybrid.h"

namespace ingle::models::qwen35moe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.hasFfnFactors = true}));
    INGLE_TRY(readGatedDelta(keys, spec, {.pairing = backend::HeadPairing::Tiled}));
    INGLE_TRY(readRopeSections(keys, RopeSections::Interleaved, spec));
    INGLE_TRY(readGatedExperts(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("qwen35moe", sizes, metadata);
    synthesizeGatedDelta("qwen35moe", sizes, metadata);
    synthesizeGatedExperts("qwen35moe", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "qwen35moe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::qwen35moe_family
