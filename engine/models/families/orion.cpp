/// Orion: Llama's layer with LayerNorm. Source: Chen et al., "Orion-14B: Open-source Multilingual Large
/// Language Models" (2024), section 3.
#include "engine/models/decoder.h"

namespace ingle::models::orion_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    return readDecoder(keys, {.norm = NormKind::Layer});
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("orion", sizes, metadata, NormKind::Layer);
}

}  // namespace

extern const ModelFamily family{.arch = "orion", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::orion_family
