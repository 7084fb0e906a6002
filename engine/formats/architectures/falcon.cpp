/// Falcon; those of 40B and 180B have a norm for each half of a layer, and several heads of keys. Source:
/// transformers, modeling_falcon.py, configuration_falcon.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::falcon_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"transformer.h.#.ln_attn.weight", "blk.#.attn_norm_2.weight"},
    {"transformer.h.#.ln_attn.bias", "blk.#.attn_norm_2.bias"},
    {"transformer.h.#.ln_mlp.weight", "blk.#.attn_norm.weight"},
    {"transformer.h.#.ln_mlp.bias", "blk.#.attn_norm.bias"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "alibi", false, false));
    INGLE_TRY(setActivation(t, "activation"));
    INGLE_TRY_ASSIGN(const bool isNew, t.config.boolOr("new_decoder_architecture", false));
    INGLE_TRY_ASSIGN(const bool sharesKeys, t.config.boolOr("multi_query", true));
    INGLE_TRY(expectFlag(t.config, "parallel_attn", true, true));
    INGLE_TRY_ASSIGN(const uint32_t numNorms,
                     t.config.u32Or("num_ln_in_parallel_attn", isNew ? 2 : 1, isNew ? 2 : 1));
    if (numNorms != 1 && !isNew)
        return fail(ErrorCode::Unsupported, "num_ln_in_parallel_attn {} is not supported for such models",
                    numNorms);
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.ffnDim = "",
                                        .numKvHeads = "num_kv_heads",
                                        .headDim = "",
                                        .epsilon = "layer_norm_epsilon",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5,
                                        .usualContext = 2048}));
    if (!isNew) t.setCount("attention.head_count_kv", sharesKeys ? 1 : sizes.numHeads);
    INGLE_TRY_ASSIGN(const uint32_t inner, t.config.u32Or("ffn_hidden_size", 4 * sizes.dim, 4 * sizes.dim));
    t.setCount("feed_forward_length", inner);
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "FalconForCausalLM",
     .family = "falcon",
     .setKeys = setKeys,
     .tensors = kRules,
     .sharesEmbedding = true,
     .joinsHeadsInGguf = true},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::falcon_architectures
