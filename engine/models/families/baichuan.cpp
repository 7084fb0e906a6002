/// Baichuan and Baichuan 2: the 7B models, known by their 32 layers, are like Llama; the 13B models, by their
/// 40, have linear biases in place of rotary positions. No other model has positions, as in llama.cpp.
/// Source: Yang et al., "Baichuan 2: Open Large-scale Language Models" (2023), section 2.3.
#include "engine/models/decoder.h"

namespace ingle::models::baichuan_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    constexpr uint32_t kLayersOf7B = 32, kLayersOf13B = 40;
    if (spec.facts.numLayers == kLayersOf7B) return spec;
    for (LayerSpec& layer : spec.layers) {
        AttentionSpec& attention = attentionOf(layer);
        attention.rope.reset();
        if (spec.facts.numLayers == kLayersOf13B) attention.alibiSlopes = alibiSlopes(attention.numHeads, 8);
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("baichuan", sizes, metadata);
}

}  // namespace

extern const ModelFamily family{.arch = "baichuan", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::baichuan_family
