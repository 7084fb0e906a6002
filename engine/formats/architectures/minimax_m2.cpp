/// MiniMax M2. Source: transformers, modeling_minimax_m2.py, configuration_minimax_m2.py; MiniMax's own
/// configuration.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::minimax_m2_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.block_sparse_moe.e_score_correction_bias", "blk.#.exp_probs_b.bias"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectText(t.config, "scoring_func", "sigmoid", {"sigmoid"}));
    INGLE_TRY(expectText(t.config, "qk_norm_type", "per_layer", {"per_layer"}));
    INGLE_TRY(expectFlag(t.config, "use_qk_norm", true, true));
    INGLE_TRY_ASSIGN(const uint32_t shared, t.config.u32Or("shared_intermediate_size", 0));
    if (shared != 0)
        return fail(ErrorCode::Unsupported, "shared_intermediate_size {} is not supported", shared);
    INGLE_TRY_ASSIGN(const uint32_t headDim, t.config.u32Or("head_dim", 128));
    INGLE_TRY_ASSIGN(const uint32_t rotated, t.config.u32Or("rotary_dim", headDim, headDim));
    if (headDim == 0) return fail(ErrorCode::Corrupt, "head_dim cannot be 0");
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualRotated = static_cast<double>(rotated) / headDim}));
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32Or("num_local_experts", 256));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32Or("num_experts_per_tok", 8));
    INGLE_TRY_ASSIGN(const uint32_t width, t.config.u32("intermediate_size"));
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("expert_feed_forward_length", width);
    t.setCount("expert_gating_func", 2);
    return setRope(t, sizes, 5e6);
}

constexpr Architecture kArchitectures[] = {
    {.name = "MiniMaxM2ForCausalLM", .family = "minimax-m2", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::minimax_m2_architectures
