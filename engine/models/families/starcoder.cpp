/// StarCoder 1 and SantaCoder: GPT-2 with one head of keys and values. Source: Li et al., "StarCoder: may
/// the source be with you!" (2023), section 5.1.
#include "engine/models/decoder.h"

namespace ingle::models::starcoder_family {
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
        AttentionSpec& attention = attentionOf(layer);
        attention.rope.reset();
        attention.projections = AttentionSpec::Projections::Fused;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("starcoder", sizes, metadata, NormKind::Layer);
    metadata.set("starcoder.hidden_activation", std::string("gelu"));
}

}  // namespace

extern const ModelFamily family{.arch = "starcoder", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::starcoder_family
