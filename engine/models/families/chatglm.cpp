/// ChatGLM2, ChatGLM3 and GLM-4-9B: the first half of each head is rotated, and q, k and v, as gate and up,
/// lie in one matrix. Source: Team GLM, "ChatGLM: A Family of Large Language Models from GLM-130B to GLM-4"
/// (2024), section 2.
#include "engine/models/decoder.h"

namespace ingle::models::chatglm_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    for (LayerSpec& layer : spec.layers) {
        attentionOf(layer).projections = AttentionSpec::Projections::Fused;
        std::get<FeedForwardSpec>(layer.ffn).form = FeedForwardSpec::Form::GatedFused;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("chatglm", sizes, metadata);
    metadata.set("chatglm.rope.dimension_count", int64_t{sizes.dim / sizes.numHeads / 2});
}

}  // namespace

extern const ModelFamily family{.arch = "chatglm", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::chatglm_family
