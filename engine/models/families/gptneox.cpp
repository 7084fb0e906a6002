/// GPT-NeoX, Pythia, Dolly: LayerNorm, a part of each head is rotated; the feed-forward may read the layer's
/// input by a norm of its own. Source: Black et al., "GPT-NeoX-20B: An Open-Source Autoregressive Language
/// Model" (2022), section 2.1.
#include "engine/models/decoder.h"

namespace ingle::models::gptneox_family {
namespace {

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.norm = NormKind::Layer}));
    INGLE_TRY_ASSIGN(const backend::ActivationKind activation, readActivation(keys));
    INGLE_TRY_ASSIGN(const bool isParallel, keys.boolOr("use_parallel_residual", true));
    for (LayerSpec& layer : spec.layers) {
        layer.norms.ffnReadsLayersInput = isParallel;
        auto& ffn = std::get<FeedForwardSpec>(layer.ffn);
        ffn.form = FeedForwardSpec::Form::Sequential;
        ffn.activation = activation;
        attentionOf(layer).projections = AttentionSpec::Projections::Fused;
    }
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("gptneox", sizes, metadata, NormKind::Layer);
    metadata.set("gptneox.hidden_activation", std::string("gelu"));
    metadata.set("gptneox.use_parallel_residual", true);
    metadata.set("gptneox.rope.dimension_count", int64_t{sizes.dim / sizes.numHeads / 4 * 2});
}

}  // namespace

extern const ModelFamily family{.arch = "gptneox", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::gptneox_family
