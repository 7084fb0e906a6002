/// Ling 3: delta rules with a bounded decay, and latent attention with a gate for each head. Source:
/// transformers, modeling_bailing_hybrid.py, configuration_bailing_hybrid.py.
#include <cmath>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/layer_kinds.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::bailing_architectures {
namespace {

/// One number for each head where a layer attends, else one for each of their numbers.
Status placeGate(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    INGLE_TRY_ASSIGN(const uint32_t heads, t.config.u32("num_attention_heads"));
    std::string name = place.name;
    return t.place(stored,
                   name.replace(name.find('*'), 1, shape.numRows() == heads ? "attn_gate" : "ssm_g_a"));
}

/// exp(x), one number a row.
Status exponential(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(auto numbers, t.numbersOf(stored));
    for (float& number : numbers) number = std::exp(number);
    return t.make(place.name, tensor::Shape::of(1, numbers.size()), numbers);
}

constexpr TensorRule kRules[] = {
    {"model.word_embeddings.weight", "token_embd.weight"},
    {"model.layers.#.attention.q_proj.weight", "blk.#.attn_q.weight"},
    {"model.layers.#.attention.k_proj.weight", "blk.#.attn_k.weight"},
    {"model.layers.#.attention.v_proj.weight", "blk.#.attn_v.weight"},
    {"model.layers.#.attention.dense.weight", "blk.#.attn_output.weight"},
    {"model.layers.#.attention.g_proj.weight", "blk.#.*.weight", placeGate},
    {"model.layers.#.attention.f_proj.weight", "blk.#.ssm_f_a.weight"},
    {"model.layers.#.attention.b_proj.weight", "blk.#.ssm_beta.weight"},
    {"model.layers.#.attention.q_conv1d.weight", "blk.#.ssm_conv1d_q.weight"},
    {"model.layers.#.attention.k_conv1d.weight", "blk.#.ssm_conv1d_k.weight"},
    {"model.layers.#.attention.v_conv1d.weight", "blk.#.ssm_conv1d_v.weight"},
    {"model.layers.#.attention.A_log", "blk.#.ssm_a", exponential},
    {"model.layers.#.attention.dt_bias", "blk.#.ssm_dt.bias"},
    {"model.layers.#.attention.o_norm.weight", "blk.#.ssm_norm.weight"},
    {"model.layers.#.attention.q_a_proj.weight", "blk.#.attn_q_a.weight"},
    {"model.layers.#.attention.q_a_layernorm.weight", "blk.#.attn_q_a_norm.weight"},
    {"model.layers.#.attention.q_b_proj.weight", "blk.#.attn_q_b.weight"},
    {"model.layers.#.attention.kv_a_proj_with_mqa.weight", "blk.#.attn_kv_a_mqa.weight"},
    {"model.layers.#.attention.kv_a_layernorm.weight", "blk.#.attn_kv_a_norm.weight"},
    {"model.layers.#.attention.kv_b_proj.weight", "blk.#.attn_kv_b.weight"},
    {"model.layers.#.mlp.gate.expert_bias", "blk.#.exp_probs_b.bias"},
};

/// Which layers attend: by their kinds, or the last of each group.
Status setLayers(Translation& t, const DecoderSizes& sizes) {
    INGLE_TRY_ASSIGN(const uint32_t group, t.config.u32Or("layer_group_size", 6));
    INGLE_TRY_ASSIGN(const auto named, layersOfKind(t.config, "full_attention", sizes.numLayers));
    if (group == 0) return fail(ErrorCode::Corrupt, "layer_group_size cannot be 0");
    std::vector<int64_t> heads;
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer) {
        const bool attends = named ? (*named)[layer] : (layer + 1) % group == 0;
        heads.push_back(attends ? int64_t{sizes.numHeads} : 0);
    }
    t.set("attention.head_count_kv", std::move(heads));
    return {};
}

Status setDelta(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "kda_safe_gate", true, true));
    INGLE_TRY_ASSIGN(const float lowest, t.config.f32Or("kda_lower_bound", -5));
    INGLE_TRY_ASSIGN(const uint32_t usual, t.config.u32Or("head_dim", 128));
    INGLE_TRY_ASSIGN(const uint32_t headDim, t.config.u32Or("linear_head_dim", usual));
    INGLE_TRY_ASSIGN(const uint32_t kernel, t.config.u32Or("short_conv_kernel_size", 4));
    t.setCount("ssm.conv_kernel", kernel);
    t.setCount("kda.head_dim", headDim);
    t.set("kda.gate_lower_bound", double{lowest});
    t.set("kda.safe_gate", true);
    return {};
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    const bool isOwn = t.config.find("model_max_length") != nullptr;
    INGLE_TRY_ASSIGN(DecoderSizes sizes,
                     setDecoderKeys(t, {.headDim = "",
                                        .context = isOwn ? "model_max_length" : "max_position_embeddings",
                                        .usualHeads = 32,
                                        .usualContext = 262144}));
    INGLE_TRY_ASSIGN(const uint32_t plain, t.config.u32Or("qk_nope_head_dim", 128));
    INGLE_TRY_ASSIGN(const uint32_t rotated, t.config.u32Or("qk_rope_head_dim", 64));
    INGLE_TRY_ASSIGN(const uint32_t value, t.config.u32Or("v_head_dim", 128));
    INGLE_TRY_ASSIGN(const uint32_t rank, t.config.u32Or("kv_lora_rank", 512));
    INGLE_TRY_ASSIGN(const uint32_t queryRank, t.config.u32Or("q_lora_rank", 0, 0));
    sizes.rotatedDims = rotated;
    t.setCount("attention.key_length", uint64_t{plain} + rotated);
    t.setCount("attention.value_length", value);
    t.setCount("attention.kv_lora_rank", rank);
    if (queryRank > 0) t.setCount("attention.q_lora_rank", queryRank);
    t.set("attention.latent_norm_rms_epsilon", 1e-6);  // whatever rms_norm_eps is
    t.setCount("rope.dimension_count", rotated);
    INGLE_TRY(setLayers(t, sizes));
    INGLE_TRY(setDelta(t));
    INGLE_TRY(setMixtureKeys(t,
                             {.scores = 2,
                              .numExperts = 512,
                              .numUsed = 8,
                              .numShared = 1,
                              .dim = 768,
                              .numDense = 2,
                              .groups = 8,
                              .groupsUsed = 4,
                              .renormalises = true,
                              .scale = 2.5},
                             {.numExperts = "num_experts",
                              .numUsed = "num_experts_per_token",
                              .numShared = "num_shared_experts",
                              .groups = "num_expert_group",
                              .renormalises = "moe_renormalize"}));
    INGLE_TRY_ASSIGN(const uint32_t numShared, t.model.metadata.u32("bailingmoe3.expert_shared_count"));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.model.metadata.u32("bailingmoe3.expert_feed_forward_length"));
    t.setCount("expert_shared_feed_forward_length", uint64_t{numShared} * dim);
    return setRope(t, sizes, 6e6);
}

constexpr Architecture kArchitectures[] = {
    {.name = "BailingHybridForCausalLM", .family = "bailingmoe3", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::bailing_architectures
