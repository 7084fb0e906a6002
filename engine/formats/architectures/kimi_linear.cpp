/// Kimi Linear: delta rules, and latent attention without positions. Source: transformers,
/// modeling_kimi_linear.py, configuration_kimi_linear.py; Moonshot's own configuration.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::kimi_linear_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.self_attn.q_conv1d.weight", "blk.#.ssm_conv1d_q.weight"},
    {"model.layers.#.self_attn.k_conv1d.weight", "blk.#.ssm_conv1d_k.weight"},
    {"model.layers.#.self_attn.v_conv1d.weight", "blk.#.ssm_conv1d_v.weight"},
    {"model.layers.#.self_attn.A_log", "blk.#.ssm_a", negatedExponential},
    {"model.layers.#.self_attn.dt_bias", "blk.#.ssm_dt.bias"},
    {"model.layers.#.self_attn.b_proj.weight", "blk.#.ssm_beta.weight"},
    {"model.layers.#.self_attn.f_a_proj.weight", "blk.#.ssm_f_a.weight"},
    {"model.layers.#.self_attn.f_b_proj.weight", "blk.#.ssm_f_b.weight"},
    {"model.layers.#.self_attn.g_a_proj.weight", "blk.#.ssm_g_a.weight"},
    {"model.layers.#.self_attn.g_b_proj.weight", "blk.#.ssm_g_b.weight"},
    {"model.layers.#.self_attn.o_norm.weight", "blk.#.ssm_norm.weight"},
    // As transformers saves layers without experts.
    {"model.layers.#.block_sparse_moe.gate_proj.weight", "blk.#.ffn_gate.weight"},
    {"model.layers.#.block_sparse_moe.up_proj.weight", "blk.#.ffn_up.weight"},
    {"model.layers.#.block_sparse_moe.down_proj.weight", "blk.#.ffn_down.weight"},
    {"model.layers.#.block_sparse_moe.gate.e_score_correction_bias", "blk.#.exp_probs_b.bias"},
    {"model.layers.#.block_sparse_moe.shared_experts.gate_proj.weight", "blk.#.ffn_gate_shexp.weight"},
    {"model.layers.#.block_sparse_moe.shared_experts.up_proj.weight", "blk.#.ffn_up_shexp.weight"},
    {"model.layers.#.block_sparse_moe.shared_experts.down_proj.weight", "blk.#.ffn_down_shexp.weight"},
};

/// Which layers attend: by their kinds, or by their numbers, the first of which is 1.
Result<std::vector<bool>> attendingLayers(const Config& config, uint32_t numLayers) {
    INGLE_TRY_ASSIGN(const auto named, layersOfKind(config, "full_attention", numLayers));
    if (named) return *named;
    constexpr std::string_view kKey = "linear_attn_config.full_attn_layers";
    const MetaValue* value = config.find(kKey);
    const auto* numbers = value ? std::get_if<std::vector<int64_t>>(value) : nullptr;
    if (!numbers)
        return fail(ErrorCode::Corrupt, "neither layer_types nor {} tell which layers attend", kKey);
    std::vector<bool> attending(numLayers, false);
    for (const int64_t number : *numbers) {
        if (number < 1 || number > numLayers)
            return fail(ErrorCode::Corrupt, "{} names layer {} of {}", kKey, number, numLayers);
        attending[static_cast<size_t>(number - 1)] = true;
    }
    return attending;
}

/// Of the delta rules, under their new names or those of Moonshot's configuration.
Status setDelta(Translation& t, const DecoderSizes& sizes) {
    const auto count = [&](std::string_view name, std::string_view own, uint32_t usual) -> Result<uint32_t> {
        INGLE_TRY_ASSIGN(const uint32_t stated,
                         t.config.u32Or(fmt::format("linear_attn_config.{}", own), usual));
        return t.config.u32Or(name, stated);
    };
    INGLE_TRY_ASSIGN(const uint32_t heads, count("linear_num_heads", "num_heads", 32));
    INGLE_TRY_ASSIGN(const uint32_t headDim, count("linear_head_dim", "head_dim", 128));
    INGLE_TRY_ASSIGN(const uint32_t kernel, count("linear_conv_kernel_dim", "short_conv_kernel_size", 4));
    if (heads != sizes.numHeads)
        return fail(ErrorCode::Unsupported,
                    "{} heads of the delta rule beside {} of attention are not supported", heads,
                    sizes.numHeads);
    t.setCount("ssm.conv_kernel", kernel);
    t.setCount("kda.head_dim", headDim);
    return {};
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectText(t.config, "moe_router_activation_func", "sigmoid", {"sigmoid"}));
    INGLE_TRY(expectFlag(t.config, "mla_use_nope", true, true));
    INGLE_TRY(expectFlag(t.config, "moe_renormalize", true, true));
    INGLE_TRY_ASSIGN(const uint32_t queryRank, t.config.u32Or("q_lora_rank", 0, 0));
    if (queryRank > 0) return fail(ErrorCode::Unsupported, "q_lora_rank {} is not supported", queryRank);
    const bool isOwn = t.config.find("model_max_length") != nullptr;
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.headDim = "",
                                        .context = isOwn ? "model_max_length" : "max_position_embeddings",
                                        .usualEpsilon = 1e-5}));
    INGLE_TRY_ASSIGN(const uint32_t plain, t.config.u32Or("qk_nope_head_dim", 128));
    INGLE_TRY_ASSIGN(const uint32_t rotated, t.config.u32Or("qk_rope_head_dim", 64));
    INGLE_TRY_ASSIGN(const uint32_t value, t.config.u32Or("v_head_dim", 128));
    INGLE_TRY_ASSIGN(const uint32_t rank, t.config.u32Or("kv_lora_rank", 512));
    INGLE_TRY_ASSIGN(const auto attending, attendingLayers(t.config, sizes.numLayers));
    std::vector<int64_t> heads;
    for (const bool attends : attending) heads.push_back(attends ? int64_t{sizes.numHeads} : 0);
    t.set("attention.head_count_kv", std::move(heads));
    t.setCount("attention.key_length", uint64_t{plain} + rotated);
    t.setCount("attention.value_length", value);
    t.setCount("attention.kv_lora_rank", rank);
    t.set("attention.latent_norm_rms_epsilon", 1e-6);  // whatever rms_norm_eps is
    t.setCount("rope.dimension_count", rotated);
    INGLE_TRY(setDelta(t, sizes));
    return setMixtureKeys(t,
                          {.scores = 2,
                           .numExperts = 256,
                           .numUsed = 8,
                           .numShared = 1,
                           .dim = 1024,
                           .numDense = 1,
                           .renormalises = true,
                           .scale = 2.446},
                          {.numExperts = "num_experts",
                           .numUsed = "num_experts_per_token",
                           .numShared = "num_shared_experts",
                           .groups = "num_expert_group",
                           .renormalises = ""});
}

constexpr Architecture kArchitectures[] = {
    {.name = "KimiLinearForCausalLM", .family = "kimi-linear", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::kimi_linear_architectures
