/// Jamba: Mamba and attention, experts or a feed-forward. Source: transformers, modeling_jamba.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/state_space_config.h"

namespace ingle::formats::jamba_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.mamba.x_proj.weight", "blk.#.ssm_x.weight"},
    {"model.layers.#.mamba.dt_proj.weight", "blk.#.ssm_dt.weight"},
    {"model.layers.#.mamba.dt_proj.bias", "blk.#.ssm_dt.bias"},
    {"model.layers.#.mamba.D", "blk.#.ssm_d"},
    {"model.layers.#.mamba.in_proj.bias", "blk.#.ssm_in.bias"},
    {"model.layers.#.mamba.out_proj.bias", "blk.#.ssm_out.bias"},
    {"model.layers.#.mamba.dt_layernorm.weight", "blk.#.ssm_dt_norm.weight"},
    {"model.layers.#.mamba.b_layernorm.weight", "blk.#.ssm_b_norm.weight"},
    {"model.layers.#.mamba.c_layernorm.weight", "blk.#.ssm_c_norm.weight"},
    {"model.layers.#.feed_forward.router.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.feed_forward.experts.#.gate_proj.weight", "blk.#.ffn_gate_exps.weight", stackExpert},
    {"model.layers.#.feed_forward.experts.#.up_proj.weight", "blk.#.ffn_up_exps.weight", stackExpert},
    {"model.layers.#.feed_forward.experts.#.down_proj.weight", "blk.#.ffn_down_exps.weight", stackExpert},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "mamba_conv_bias", true, true));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.usualKvHeads = 8, .usualContext = 262144}));
    INGLE_TRY_ASSIGN(const uint32_t period, t.config.u32Or("attn_layer_period", 8));
    INGLE_TRY_ASSIGN(const uint32_t offset, t.config.u32Or("attn_layer_offset", 4));
    if (period == 0) return fail(ErrorCode::Corrupt, "attn_layer_period cannot be 0");
    std::vector<int64_t> heads;
    for (uint32_t layer = 0; layer < sizes.numLayers; ++layer)
        heads.push_back(layer % period == offset ? int64_t{sizes.numKvHeads} : 0);
    t.set("attention.head_count_kv", std::move(heads));
    INGLE_TRY_ASSIGN(const uint32_t kernel, t.config.u32Or("mamba_d_conv", 4));
    INGLE_TRY_ASSIGN(const uint32_t stateSize, t.config.u32Or("mamba_d_state", 16));
    INGLE_TRY_ASSIGN(const uint32_t expand, t.config.u32Or("mamba_expand", 2));
    INGLE_TRY_ASSIGN(const uint32_t rank, stepRank(t.config, "mamba_dt_rank", sizes.dim));
    t.setCount("ssm.conv_kernel", kernel);
    t.setCount("ssm.state_size", stateSize);
    t.setCount("ssm.inner_size", uint64_t{expand} * sizes.dim);
    t.setCount("ssm.time_step_rank", rank);
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32Or("num_experts", 16));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32Or("num_experts_per_tok", 2));
    if (numExperts < 2) return {};
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "JambaForCausalLM", .family = "jamba", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::jamba_architectures
