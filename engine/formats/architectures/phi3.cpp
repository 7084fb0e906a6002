/// Phi-3, Phi-3.5 and Phi-4: q, k and v in one matrix, as gate and up. Source: transformers,
/// modeling_phi3.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::phi3_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.self_attn.qkv_proj.weight", "blk.#.attn_qkv.weight"},
    {"model.layers.#.mlp.gate_up_proj.weight", "blk.#.ffn_up.weight"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.usualEpsilon = 1e-5}));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 0, 0));
    t.setCount("attention.sliding_window", window);
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Phi3ForCausalLM", .family = "phi3", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::phi3_architectures
