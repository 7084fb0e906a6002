/// DeepSeek V2, V2 Lite and V3; neighbours are rotated. Sources: transformers, modeling_deepseek_v2.py,
/// modeling_deepseek_v3.py.
#include <cmath>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::deepseek_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.self_attn.q_a_proj.weight", "blk.#.attn_q_a.weight"},
    {"model.layers.#.self_attn.q_a_layernorm.weight", "blk.#.attn_q_a_norm.weight"},
    {"model.layers.#.self_attn.q_b_proj.weight", "blk.#.attn_q_b.weight"},
    {"model.layers.#.self_attn.kv_a_proj_with_mqa.weight", "blk.#.attn_kv_a_mqa.weight"},
    {"model.layers.#.self_attn.kv_a_layernorm.weight", "blk.#.attn_kv_a_norm.weight"},
    {"model.layers.#.self_attn.kv_b_proj.weight", "blk.#.attn_kv_b.weight"},
    {"model.layers.#.mlp.gate.e_score_correction_bias", "blk.#.exp_probs_b.bias"},
    {"model.layers.#.mlp.shared_experts.gate_proj.weight", "blk.#.ffn_gate_shexp.weight"},
    {"model.layers.#.mlp.shared_experts.up_proj.weight", "blk.#.ffn_up_shexp.weight"},
    {"model.layers.#.mlp.shared_experts.down_proj.weight", "blk.#.ffn_down_shexp.weight"},
};

/// 0.1 m ln(factor) + 1
double magnitudeOf(double factor, double multiplier) {
    return factor > 1 ? 0.1 * multiplier * std::log(factor) + 1 : 1;
}

/// Positions; what YaRN makes of scores and of rotations is told apart.
Status setPositions(Translation& t, const DecoderSizes& sizes) {
    INGLE_TRY(setRope(t, sizes));
    const std::string type = fmt::format("{}.rope.scaling.type", t.family());
    if (!t.model.metadata.find(type)) return {};
    INGLE_TRY_ASSIGN(const std::string scaling, t.model.metadata.string(type));
    if (scaling != "yarn") return {};
    const bool isNew = t.config.find("rope_parameters.factor") != nullptr;
    const auto number = [&](std::string_view name) {
        return t.config.f32Or(fmt::format("{}.{}", isNew ? "rope_parameters" : "rope_scaling", name), 0, 0);
    };
    INGLE_TRY_ASSIGN(const float factor, number("factor"));
    INGLE_TRY_ASSIGN(const float rotation, number("mscale"));
    INGLE_TRY_ASSIGN(const float scores, number("mscale_all_dim"));
    if (scores == 0 || rotation == 0)
        return fail(ErrorCode::Unsupported, "YaRN with mscale {} and mscale_all_dim {} is not supported",
                    rotation, scores);
    t.set("rope.scaling.yarn_log_multiplier", 0.1 * scores);
    t.set("rope.scaling.attn_factor", magnitudeOf(factor, rotation) / magnitudeOf(factor, scores));
    return {};
}

Result<DecoderSizes> setLatent(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    INGLE_TRY_ASSIGN(DecoderSizes sizes, setDecoderKeys(t, {.headDim = ""}));
    INGLE_TRY_ASSIGN(const uint32_t plain, t.config.u32Or("qk_nope_head_dim", 128));
    INGLE_TRY_ASSIGN(const uint32_t rotated, t.config.u32Or("qk_rope_head_dim", 64));
    INGLE_TRY_ASSIGN(const uint32_t value, t.config.u32Or("v_head_dim", 128));
    INGLE_TRY_ASSIGN(const uint32_t rank, t.config.u32Or("kv_lora_rank", 512));
    INGLE_TRY_ASSIGN(const uint32_t queryRank, t.config.u32Or("q_lora_rank", 1536, 0));
    sizes.rotatedDims = rotated;
    t.setCount("attention.head_count_kv", sizes.numHeads);
    t.setCount("attention.key_length", uint64_t{plain} + rotated);
    t.setCount("attention.value_length", value);
    t.setCount("rope.dimension_count", rotated);
    t.setCount("attention.kv_lora_rank", rank);
    if (queryRank > 0) t.setCount("attention.q_lora_rank", queryRank);
    INGLE_TRY(setPositions(t, sizes));
    return sizes;
}

Status setV2(Translation& t) {
    INGLE_TRY(setLatent(t));
    // Groups are chosen there by their best expert, in the family by their best two.
    INGLE_TRY(expectText(t.config, "topk_method", "greedy", {"greedy"}));
    return setMixtureKeys(t, {.scores = 1, .numExperts = 64, .numShared = 2, .dim = 1407});
}

Status setV3(Translation& t) {
    INGLE_TRY(setLatent(t));
    INGLE_TRY(expectFlag(t.config, "rope_interleave", true, true));
    return setMixtureKeys(t, {.scores = 2,
                              .numExperts = 256,
                              .numUsed = 8,
                              .numShared = 1,
                              .dim = 2048,
                              .numDense = 3,
                              .groups = 8,
                              .groupsUsed = 4,
                              .renormalises = true,
                              .scale = 2.5});
}

constexpr Architecture kArchitectures[] = {
    {.name = "DeepseekV2ForCausalLM", .family = "deepseek2", .setKeys = setV2, .tensors = kRules},
    {.name = "DeepseekV3ForCausalLM", .family = "deepseek2", .setKeys = setV3, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::deepseek_architectures
