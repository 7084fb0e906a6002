/// Phi-1, 1.5 and 2. Source: transformers, modeling_phi.py, configuration_phi.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::phi_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"lm_head.bias", "output.bias"},
    {"model.layers.#.self_attn.dense.weight", "blk.#.attn_output.weight"},
    {"model.layers.#.self_attn.dense.bias", "blk.#.attn_output.bias"},
    {"model.layers.#.mlp.fc1.weight", "blk.#.ffn_up.weight"},
    {"model.layers.#.mlp.fc1.bias", "blk.#.ffn_up.bias"},
    {"model.layers.#.mlp.fc2.weight", "blk.#.ffn_down.weight"},
    {"model.layers.#.mlp.fc2.bias", "blk.#.ffn_down.bias"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "gelu_new", {"gelu_new", "gelu_pytorch_tanh"}));
    INGLE_TRY(expectFlag(t.config, "qk_layernorm", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.epsilon = "layer_norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5,
                                        .usualRotated = 0.5}));
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "PhiForCausalLM", .family = "phi2", .setKeys = setKeys, .tensors = kRules, .words = {"gpt-2"}},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::phi_architectures
