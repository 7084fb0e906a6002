/// GPT-2: learned positions, LayerNorm and biases everywhere, q, k and v in one matrix, a feed-forward
/// without gate. Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019),
/// section 2.3.
#include "engine/models/decoder.h"

namespace ingle::models::gpt2_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    INGLE_TRY_ASSIGN(const backend::ActivationKind activation, readActivation(keys));
    if (spec.facts.trainedContext == 0) return keys.cannotBe("context_length", 0);
    spec.learnsPositions = true;
    for (LayerSpec& layer : spec.layers) {
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = activation;
        ffn.bias = Presence::Required;
        AttentionSpec& attention = attentionOf(layer);
        attention.rope.reset();
        attention.projections = AttentionSpec::Projections::Fused;
        attention.qkvBias = attention.outputBias = Presence::Required;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("gpt2", sizes, metadata, NormKind::Layer);
    metadata.set("gpt2.hidden_activation", std::string("gelu"));
}

}  // namespace

extern const ModelFamily family{.arch = "gpt2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::gpt2_family
