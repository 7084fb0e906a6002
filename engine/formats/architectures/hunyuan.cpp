/// Hunyuan 1, dense and with experts, of which one serves every row, and 3. Sources: transformers,
/// modeling_hunyuan_v1_dense.py, modeling_hunyuan_v1_moe.py, modeling_hy_v3.py.
#include <cmath>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::hunyuan_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.self_attn.query_layernorm.weight", "blk.#.attn_q_norm.weight"},
    {"model.layers.#.self_attn.key_layernorm.weight", "blk.#.attn_k_norm.weight"},
    {"model.layers.#.mlp.gate.wg.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.mlp.router.gate.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.mlp.expert_bias", "blk.#.exp_probs_b"},
    {"model.layers.#.mlp.shared_mlp.gate_proj.weight", "blk.#.ffn_gate_shexp.weight"},
    {"model.layers.#.mlp.shared_mlp.up_proj.weight", "blk.#.ffn_up_shexp.weight"},
    {"model.layers.#.mlp.shared_mlp.down_proj.weight", "blk.#.ffn_down_shexp.weight"},
};

/// "alpha" raises the base of rotations once and for all, though it stands beside the type "dynamic".
Status setPositions(Translation& t, const DecoderSizes& sizes) {
    INGLE_TRY(setRope(t, sizes));
    const bool isNew = t.config.find("rope_parameters.rope_theta") != nullptr;
    INGLE_TRY_ASSIGN(const float alpha,
                     t.config.f32Or(isNew ? "rope_parameters.alpha" : "rope_scaling.alpha", 0, 0));
    INGLE_TRY_ASSIGN(const float base, t.model.metadata.f32(fmt::format("{}.rope.freq_base", t.family())));
    const double dim = sizes.headDim;
    if (alpha > 0 && dim > 2) t.set("rope.freq_base", base * std::pow(double{alpha}, dim / (dim - 2)));
    return {};
}

Result<DecoderSizes> setSizes(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "use_qk_norm", true, true));
    INGLE_TRY(expectFlag(t.config, "use_cla", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualEpsilon = 1e-5, .usualContext = 2048}));
    INGLE_TRY(setPositions(t, sizes));
    return sizes;
}

Status setDense(Translation& t) {
    INGLE_TRY(setSizes(t));
    return {};
}

/// A number, or one for each layer, all of which are the same.
Result<uint32_t> sameForAll(const Config& config, std::string_view key, uint32_t usual) {
    const MetaValue* value = config.find(key);
    const auto* list = value ? std::get_if<std::vector<int64_t>>(value) : nullptr;
    if (!list) return config.u32Or(key, usual);
    for (const int64_t number : *list) {
        if (number != list->front() || number < 0 || number > UINT32_MAX)
            return fail(ErrorCode::Unsupported, "{} names other numbers than {}, which is not supported", key,
                        list->front());
    }
    return static_cast<uint32_t>(list->front());
}

Status setMixture(Translation& t) {
    INGLE_TRY(setSizes(t));
    INGLE_TRY_ASSIGN(const uint32_t width, t.config.u32("intermediate_size"));
    INGLE_TRY_ASSIGN(const uint32_t numExperts, sameForAll(t.config, "num_experts", 1));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, sameForAll(t.config, "moe_topk", 1));
    INGLE_TRY_ASSIGN(const uint32_t numShared, sameForAll(t.config, "num_shared_expert", 1));
    INGLE_TRY_ASSIGN(const uint32_t dim, sameForAll(t.config, "moe_intermediate_size", width));
    if (numShared != 1 || dim != width)
        return fail(ErrorCode::Unsupported, "{} experts for every row, {} wide beside {}, are not supported",
                    numShared, width, dim);
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("expert_feed_forward_length", width);
    t.setCount("expert_shared_feed_forward_length", width);
    return {};
}

Status setThird(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualEpsilon = 1e-5, .usualContext = 131072}));
    INGLE_TRY(setMixtureKeys(t,
                             {.scores = 2,
                              .numExperts = 192,
                              .numUsed = 8,
                              .numShared = 1,
                              .dim = 1536,
                              .numDense = 1,
                              .renormalises = true,
                              .scale = 2.826},
                             {.numExperts = "num_experts",
                              .numShared = "num_shared_experts",
                              .renormalises = "",
                              .scale = "router_scaling_factor"}));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.model.metadata.u32("hy_v3.expert_feed_forward_length"));
    INGLE_TRY_ASSIGN(const uint32_t numShared, t.model.metadata.u32("hy_v3.expert_shared_count"));
    t.setCount("expert_shared_feed_forward_length", uint64_t{numShared} * dim);
    return setRope(t, sizes, 11158840);
}

constexpr Architecture kArchitectures[] = {
    {.name = "HunYuanDenseV1ForCausalLM", .family = "hunyuan-dense", .setKeys = setDense, .tensors = kRules},
    {.name = "HunYuanMoEV1ForCausalLM", .family = "hunyuan-moe", .setKeys = setMixture, .tensors = kRules},
    {.name = "HYV3ForCausalLM", .family = "hy_v3", .setKeys = setThird, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::hunyuan_architectures
