/// ChatGLM-6B, the first: a prompt whose tokens all see each other, positions in it and behind it, and
/// residuals that carry on what was normalised. Its later siblings are chatglm.cpp. Sources: Du et al., "GLM:
/// General Language Model Pretraining with Autoregressive Blank Infilling" (2022), section 2; Wang et al.,
/// "DeepNet: Scaling Transformers to 1,000 Layers" (2022), for alpha; modeling_chatglm.py of
/// THUDM/chatglm-6b.
#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models::chatglm1_family {
namespace {

constexpr std::string_view kPrefixEnd = "prefix_end_token_id";

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    // A step takes the longest prompt.
    if (spec.facts.trainedContext == 0) return keys.cannotBe("context_length", 0);
    INGLE_TRY_ASSIGN(const uint32_t prefixEnd, keys.u32(kPrefixEnd));
    if (prefixEnd >= spec.facts.vocabSize) return keys.cannotBe(kPrefixEnd, prefixEnd);
    spec.facts.prefixEnd = static_cast<TokenId>(prefixEnd);
    for (LayerSpec& layer : spec.layers) {
        layer.normedResidual = std::sqrt(2 * static_cast<float>(spec.facts.numLayers));
        AttentionSpec& attention = attentionOf(layer);
        if (attention.numKvHeads != attention.numHeads)
            return keys.cannotBe("attention.head_count_kv", attention.numKvHeads);
        if (attention.keyDim != 4 * attention.rope->frequencies.perPair.size())
            return keys.cannotBe("rope.dimension_count", 2 * attention.rope->frequencies.perPair.size());
        attention.rope->positions = backend::RopePositions::TwoForEach;
        attention.mask = backend::Mask::Prefix;
        attention.projections = AttentionSpec::Projections::FusedByHead;
        attention.qkvBias = attention.outputBias = Presence::Required;
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = backend::ActivationKind::Gelu;
        ffn.bias = Presence::Required;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("chatglm1", sizes, metadata, NormKind::Layer);
    metadata.set("chatglm1.attention.head_count_kv", int64_t{sizes.numHeads});
    metadata.set("chatglm1.rope.dimension_count", int64_t{sizes.dim / sizes.numHeads / 2});
    metadata.set("chatglm1.prefix_end_token_id", int64_t{1});
}

}  // namespace

extern const ModelFamily family{
    .arch = "chatglm1", .kind = FamilyKind::WholePrompt, .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::chatglm1_family
