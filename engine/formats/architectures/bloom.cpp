/// BLOOM. Source: transformers, modeling_bloom.py, configuration_bloom.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::bloom_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"transformer.word_embeddings_layernorm.weight", "token_embd_norm.weight"},
    {"transformer.word_embeddings_layernorm.bias", "token_embd_norm.bias"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "apply_residual_connection_post_layernorm", false, false));
    constexpr uint32_t kUsualContext = 2048;
    // Earlier configurations have other names.
    const bool isEarly = !t.config.find("hidden_size");
    const bool hasHeads = t.config.find("n_head") != nullptr;
    INGLE_TRY_ASSIGN(
        const DecoderSizes sizes,
        setDecoderKeys(t, {.numLayers = t.config.find("n_layer") ? "n_layer" : "num_hidden_layers",
                           .dim = isEarly ? "n_embed" : "hidden_size",
                           .ffnDim = "",
                           .numHeads = hasHeads ? "n_head" : "num_attention_heads",
                           .numKvHeads = "",
                           .headDim = "",
                           .context = "seq_length",
                           .epsilon = "layer_norm_epsilon",
                           .epsilonKey = "attention.layer_norm_epsilon",
                           .usualEpsilon = 1e-5,
                           .usualContext = kUsualContext}));
    t.setCount("feed_forward_length", uint64_t{4} * sizes.dim);
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "BloomForCausalLM",
     .family = "bloom",
     .setKeys = setKeys,
     .tensors = kRules,
     .sharesEmbedding = true,
     .joinsHeadsInGguf = true},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::bloom_architectures
