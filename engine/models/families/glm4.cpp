/// GLM-4-0414: what attention and feed-forward add is normalised, too; a part of each head is rotated.
/// Source: the model as published with transformers, src/transformers/models/glm4/modular_glm4.py.
#include <algorithm>

#include "engine/models/decoder.h"

namespace ingle::models::glm4_family {
namespace {

constexpr std::string_view kSections = "rope.dimension_sections";

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    // Where positions have several components (of images), halves are rotated. Those of text are all the
    // same.
    std::vector<uint32_t> sections;
    if (keys.isArray(kSections)) {
        INGLE_TRY_ASSIGN(sections, keys.perLayer(kSections, 4));
    }
    const bool rotatesHalves = std::ranges::any_of(sections, [](uint32_t count) { return count > 0; });
    for (LayerSpec& layer : spec.layers) {
        if (rotatesHalves) attentionOf(layer).rope->style = backend::RopeStyle::HalfSplit;
        layer.norms.afterMixer = "post_attention_norm";
        layer.norms.afterFfn = "post_ffw_norm";
        std::get<FeedForwardSpec>(layer.ffn).form = FeedForwardSpec::Form::GatedFused;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("glm4", sizes, metadata);
    metadata.set("glm4.rope.dimension_count", int64_t{sizes.dim / sizes.numHeads / 2});
}

}  // namespace

extern const ModelFamily family{.arch = "glm4", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::glm4_family
