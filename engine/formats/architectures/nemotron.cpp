/// Nemotron and Minitron, whose gains are stored less 1. Source: transformers, modeling_nemotron.py,
/// configuration_nemotron.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::nemotron_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.norm.weight", "output_norm.weight", addOne},
    {"model.layers.#.input_layernorm.weight", "blk.#.attn_norm.weight", addOne},
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.ffn_norm.weight", addOne},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "relu2", {"relu2"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.epsilon = "norm_eps",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5,
                                        .usualRotated = 0.5}));
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "NemotronForCausalLM", .family = "nemotron", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::nemotron_architectures
