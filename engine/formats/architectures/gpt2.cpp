/// GPT-2, whose matrices lie transposed, and StarCoder 1 (GPT-BigCode). Sources: transformers,
/// modeling_gpt2.py, modeling_gpt_bigcode.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/grouped_heads.h"
#include "engine/formats/checkpoint/transposed_experts.h"

namespace ingle::formats::gpt2_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"transformer.h.#.attn.c_attn.weight", "blk.#.attn_*.weight", splitTransposedHeads},
    {"transformer.h.#.attn.c_attn.bias", "blk.#.attn_*.bias", splitHeads},
    {"transformer.h.#.attn.c_proj.weight", "blk.#.attn_output.weight", placeTransposed},
    {"transformer.h.#.mlp.c_fc.weight", "blk.#.ffn_up.weight", placeTransposed},
    {"transformer.h.#.mlp.c_proj.weight", "blk.#.ffn_down.weight", placeTransposed},
};

constexpr TensorRule kBigCodeRules[] = {
    {"transformer.h.#.attn.c_attn.weight", "blk.#.attn_*.weight", splitGroupedHeads},
    {"transformer.h.#.attn.c_attn.bias", "blk.#.attn_*.bias", splitGroupedHeads},
    {"transformer.h.#.attn.c_proj.weight", "blk.#.attn_output.weight"},
    {"transformer.h.#.mlp.c_fc.weight", "blk.#.ffn_up.weight"},
    {"transformer.h.#.mlp.c_proj.weight", "blk.#.ffn_down.weight"},
};

Status setSizes(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "scale_attn_weights", true, true));
    INGLE_TRY(expectFlag(t.config, "add_cross_attention", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.numLayers = "n_layer",
                                        .dim = "n_embd",
                                        .ffnDim = "",
                                        .numHeads = "n_head",
                                        .numKvHeads = "",
                                        .headDim = "",
                                        .context = "n_positions",
                                        .epsilon = "layer_norm_epsilon",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5,
                                        .usualContext = 1024}));
    INGLE_TRY_ASSIGN(const uint32_t inner, t.config.u32Or("n_inner", 4 * sizes.dim, 4 * sizes.dim));
    t.setCount("feed_forward_length", inner);
    return {};
}

Status setGpt2(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "scale_attn_by_inverse_layer_idx", false, false));
    INGLE_TRY(setActivation(t, "activation_function", "gelu_new"));
    return setSizes(t);
}

Status setBigCode(Translation& t) {
    INGLE_TRY(setActivation(t, "activation_function", "gelu_pytorch_tanh"));
    INGLE_TRY(setSizes(t));
    INGLE_TRY_ASSIGN(const bool sharesKeys, t.config.boolOr("multi_query", true));
    if (sharesKeys) t.setCount("attention.head_count_kv", 1);
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "GPT2LMHeadModel",
     .family = "gpt2",
     .setKeys = setGpt2,
     .tensors = kRules,
     .sharesEmbedding = true,
     .joinsHeadsInGguf = true,
     .words = {"gpt-2"}},
    {.name = "GPTBigCodeForCausalLM",
     .family = "starcoder",
     .setKeys = setBigCode,
     .tensors = kBigCodeRules,
     .sharesEmbedding = true,
     .joinsHeadsInGguf = true,
     .words = {"starcoder"}},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::gpt2_architectures
