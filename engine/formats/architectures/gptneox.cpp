/// GPT-NeoX and Pythia. Source: transformers, modeling_gpt_neox.py, configuration_gpt_neox.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/grouped_heads.h"

namespace ingle::formats::gptneox_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"gpt_neox.embed_in.weight", "token_embd.weight"},
    {"embed_out.weight", "output.weight"},
    {"gpt_neox.final_layer_norm.weight", "output_norm.weight"},
    {"gpt_neox.final_layer_norm.bias", "output_norm.bias"},
    {"gpt_neox.layers.#.input_layernorm.weight", "blk.#.attn_norm.weight"},
    {"gpt_neox.layers.#.input_layernorm.bias", "blk.#.attn_norm.bias"},
    {"gpt_neox.layers.#.post_attention_layernorm.weight", "blk.#.ffn_norm.weight"},
    {"gpt_neox.layers.#.post_attention_layernorm.bias", "blk.#.ffn_norm.bias"},
    {"gpt_neox.layers.#.attention.query_key_value.weight", "blk.#.attn_*.weight", splitGroupedHeads},
    {"gpt_neox.layers.#.attention.query_key_value.bias", "blk.#.attn_*.bias", splitGroupedHeads},
    {"gpt_neox.layers.#.attention.dense.weight", "blk.#.attn_output.weight"},
    {"gpt_neox.layers.#.attention.dense.bias", "blk.#.attn_output.bias"},
    {"gpt_neox.layers.#.attention.rotary_emb.inv_freq", ""},
    {"gpt_neox.layers.#.attention.bias", ""},
    {"gpt_neox.layers.#.attention.masked_bias", ""},
    {"gpt_neox.layers.#.mlp.dense_h_to_4h.weight", "blk.#.ffn_up.weight"},
    {"gpt_neox.layers.#.mlp.dense_h_to_4h.bias", "blk.#.ffn_up.bias"},
    {"gpt_neox.layers.#.mlp.dense_4h_to_h.weight", "blk.#.ffn_down.weight"},
    {"gpt_neox.layers.#.mlp.dense_4h_to_h.bias", "blk.#.ffn_down.bias"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(setActivation(t, "hidden_act"));
    // Older configurations have names of their own for what is rotated, and by which base.
    INGLE_TRY_ASSIGN(const float rotated, t.config.f32Or("rotary_pct", 0.25));
    INGLE_TRY_ASSIGN(const float base, t.config.f32Or("rotary_emb_base", 10000));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.numKvHeads = "",
                                        .headDim = "",
                                        .epsilon = "layer_norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5,
                                        .usualContext = 2048,
                                        .usualRotated = rotated}));
    INGLE_TRY_ASSIGN(const bool isParallel, t.config.boolOr("use_parallel_residual", true));
    t.set("use_parallel_residual", isParallel);
    return setRope(t, sizes, base);
}

constexpr Architecture kArchitectures[] = {
    {.name = "GPTNeoXForCausalLM",
     .family = "gptneox",
     .setKeys = setKeys,
     .tensors = kRules,
     .joinsHeadsInGguf = true},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::gptneox_architectures
