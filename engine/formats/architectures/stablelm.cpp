/// StableLM 3B and StableLM 2. Source: transformers, modeling_stablelm.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::stablelm_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.self_attn.q_layernorm.norms.#.weight", "blk.#.attn_q_norm.weight", stackExpert},
    {"model.layers.#.self_attn.k_layernorm.norms.#.weight", "blk.#.attn_k_norm.weight", stackExpert},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const float rotated, t.config.f32Or("rope_pct", 0.25F));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.epsilon = "layer_norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5,
                                        .usualRotated = rotated}));
    INGLE_TRY_ASSIGN(const bool isParallel, t.config.boolOr("use_parallel_residual", false));
    t.set("use_parallel_residual", isParallel);
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "StableLmForCausalLM", .family = "stablelm", .setKeys = setKeys, .tensors = kRules},
    {.name = "StableLMEpochForCausalLM", .family = "stablelm", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::stablelm_architectures
