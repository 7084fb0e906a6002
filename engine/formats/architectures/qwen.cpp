/// Qwen2, Qwen2.5, Qwen3, and those with experts. Sources: transformers, modeling_qwen2.py,
/// modeling_qwen3.py, modeling_qwen2_moe.py, modeling_qwen3_moe.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats {
namespace {

constexpr TensorRule kExpertRules[] = {
    {"model.layers.#.mlp.gate.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.mlp.experts.#.gate_proj.weight", "blk.#.ffn_gate_exps.weight", stackExpert},
    {"model.layers.#.mlp.experts.#.up_proj.weight", "blk.#.ffn_up_exps.weight", stackExpert},
    {"model.layers.#.mlp.experts.#.down_proj.weight", "blk.#.ffn_down_exps.weight", stackExpert},
    {"model.layers.#.mlp.shared_expert.gate_proj.weight", "blk.#.ffn_gate_shexp.weight"},
    {"model.layers.#.mlp.shared_expert.up_proj.weight", "blk.#.ffn_up_shexp.weight"},
    {"model.layers.#.mlp.shared_expert.down_proj.weight", "blk.#.ffn_down_shexp.weight"},
    {"model.layers.#.mlp.shared_expert_gate.weight", "blk.#.ffn_gate_inp_shexp.weight"},
};

Status setQwen(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    // Where windows are used, they are of some layers; up to their length there are none.
    INGLE_TRY_ASSIGN(const bool hasWindows, t.config.boolOr("use_sliding_window", false));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 0));
    if (hasWindows && window > 0 && window < sizes.context) t.setCount("context_length", window);
    return setRope(t, sizes);
}

Status setExperts(Translation& t, bool sharesAddUp) {
    INGLE_TRY(setQwen(t));
    INGLE_TRY(expectFlag(t.config, "norm_topk_prob", sharesAddUp, sharesAddUp));
    INGLE_TRY_ASSIGN(const uint32_t step, t.config.u32Or("decoder_sparse_step", 1));
    const MetaValue* dense = t.config.find("mlp_only_layers");
    if (step != 1 || dense)
        return fail(ErrorCode::Unsupported, "experts in some layers only are not supported for such models");
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32("num_experts"));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32("num_experts_per_tok"));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("moe_intermediate_size"));
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("expert_feed_forward_length", dim);
    return {};
}

Status setQwen2Moe(Translation& t) {
    INGLE_TRY(setExperts(t, false));
    INGLE_TRY_ASSIGN(const uint32_t shared, t.config.u32("shared_expert_intermediate_size"));
    t.setCount("expert_shared_feed_forward_length", shared);
    return {};
}

Status setQwen3Moe(Translation& t) {
    return setExperts(t, true);
}

constexpr Architecture kArchitectures[] = {
    {.name = "Qwen2ForCausalLM", .family = "qwen2", .setKeys = setQwen},
    {.name = "Qwen3ForCausalLM", .family = "qwen3", .setKeys = setQwen},
    {.name = "Qwen2MoeForCausalLM", .family = "qwen2moe", .setKeys = setQwen2Moe, .tensors = kExpertRules},
    {.name = "Qwen3MoeForCausalLM", .family = "qwen3moe", .setKeys = setQwen3Moe, .tensors = kExpertRules},
};

}  // namespace

extern const ArchitectureGroup qwen_architectures;
const ArchitectureGroup qwen_architectures{kArchitectures};

}  // namespace ingle::formats
