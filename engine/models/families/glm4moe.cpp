/// GLM 4.5 and 4.6: rotary positions on a part of each head, whose heads may be normalised; experts behind
/// the first layers with more that every row goes to. Source: GLM-4.5 Team, "GLM-4.5: Agentic, Reasoning,
/// and Coding Foundation Models" (2025), section 2.1.
#include "engine/models/decoder.h"

namespace ingle::models::glm4moe_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {}));
    INGLE_TRY(readMixture(keys, spec, {.scores = kernels::ExpertScores::Sigmoid}));
    for (LayerSpec& layer : spec.layers) {
        layer.norms.beforeFfn = "post_attention_norm";
        attentionOf(layer).headNorm = HeadNormSpec{.presence = Presence::Optional};
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("glm4moe", sizes, metadata);
    synthesizeMixture("glm4moe", sizes, metadata);
    metadata.set("glm4moe.rope.dimension_count", int64_t{sizes.dim / sizes.numHeads / 4 * 2});
}

}  // namespace

extern const ModelFamily family{.arch = "glm4moe", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::glm4moe_family
