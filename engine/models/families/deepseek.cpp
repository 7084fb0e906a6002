/// DeepSeek MoE: Llama's attention, and experts behind the first layers with more that every row goes to.
/// Source: Dai et al., "DeepSeekMoE: Towards Ultimate Expert Specialization in Mixture-of-Experts Language
/// Models" (2024), section 3.
#include "engine/models/decoder.h"

namespace ingle::models::deepseek_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY_ASSIGN(const float scale, keys.f32Or("attention.scale", 0));  // 0: as usual
    INGLE_TRY(readMixture(keys, spec));
    if (scale != 0) {
        for (LayerSpec& layer : spec.layers) attentionOf(layer).scale = scale;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("deepseek", sizes, metadata);
    synthesizeMixture("deepseek", sizes, metadata);
    metadata.set("deepseek.attention.scale", 0.2);
}

}  // namespace

extern const ModelFamily family{.arch = "deepseek", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::deepseek_family
