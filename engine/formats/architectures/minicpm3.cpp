/// MiniCPM 3. Source: transformers, modeling_minicpm3.py, configuration_minicpm3.py.
#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::minicpm3_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.self_attn.q_a_proj.weight", "blk.#.attn_q_a.weight"},
    {"model.layers.#.self_attn.q_a_layernorm.weight", "blk.#.attn_q_a_norm.weight"},
    {"model.layers.#.self_attn.q_b_proj.weight", "blk.#.attn_q_b.weight"},
    {"model.layers.#.self_attn.kv_a_proj_with_mqa.weight", "blk.#.attn_kv_a_mqa.weight"},
    {"model.layers.#.self_attn.kv_a_layernorm.weight", "blk.#.attn_kv_a_norm.weight"},
    {"model.layers.#.self_attn.kv_b_proj.weight", "blk.#.attn_kv_b.weight"},
};

/// The family knows the usual ones, and no others.
Status expectScale(const Config& config, std::string_view key, float known) {
    INGLE_TRY_ASSIGN(const float value, config.f32Or(key, known));
    if (value == known) return {};
    return fail(ErrorCode::Unsupported, "{} = {} is not supported for such models", key, value);
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    INGLE_TRY(expectScale(t.config, "scale_emb", 12));
    INGLE_TRY(expectScale(t.config, "scale_depth", 1.4F));
    INGLE_TRY(expectScale(t.config, "dim_model_base", 256));
    INGLE_TRY_ASSIGN(DecoderSizes sizes, setDecoderKeys(t, {.headDim = ""}));
    INGLE_TRY_ASSIGN(const uint32_t plain, t.config.u32Or("qk_nope_head_dim", 64));
    INGLE_TRY_ASSIGN(const uint32_t rotated, t.config.u32Or("qk_rope_head_dim", 32));
    INGLE_TRY_ASSIGN(const uint32_t value, t.config.u32Or("v_head_dim", sizes.headDim, sizes.headDim));
    INGLE_TRY_ASSIGN(const uint32_t rank, t.config.u32Or("kv_lora_rank", 256));
    INGLE_TRY_ASSIGN(const uint32_t queryRank, t.config.u32Or("q_lora_rank", 768));
    sizes.rotatedDims = rotated;
    t.setCount("attention.head_count_kv", sizes.numHeads);
    t.setCount("attention.key_length", uint64_t{plain} + rotated);
    t.setCount("attention.value_length", value);
    t.setCount("rope.dimension_count", rotated);
    t.setCount("attention.kv_lora_rank", rank);
    t.set("attention.latent_norm_rms_epsilon", 1e-6);  // whatever rms_norm_eps is
    t.setCount("attention.q_lora_rank", queryRank);
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "MiniCPM3ForCausalLM", .family = "minicpm3", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::minicpm3_architectures
