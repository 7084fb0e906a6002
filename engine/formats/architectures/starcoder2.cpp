/// StarCoder2. Source: transformers, modeling_starcoder2.py, configuration_starcoder2.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::starcoder2_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.mlp.c_fc.weight", "blk.#.ffn_up.weight"},
    {"model.layers.#.mlp.c_fc.bias", "blk.#.ffn_up.bias"},
    {"model.layers.#.mlp.c_proj.weight", "blk.#.ffn_down.weight"},
    {"model.layers.#.mlp.c_proj.bias", "blk.#.ffn_down.bias"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "gelu_pytorch_tanh", {"gelu_pytorch_tanh"}));
    INGLE_TRY(expectFlag(t.config, "use_bias", true, true));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.epsilon = "norm_epsilon",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5}));
    // Up to the length of the window there is none.
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 0, 0));
    if (window > 0 && window < sizes.context) t.setCount("context_length", window);
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Starcoder2ForCausalLM",
     .family = "starcoder2",
     .setKeys = setKeys,
     .tensors = kRules,
     .sharesEmbedding = true,
     .words = {"starcoder"}},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::starcoder2_architectures
