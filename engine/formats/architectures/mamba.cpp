/// Mamba, Falcon Mamba and Mamba-2. Sources: transformers, modeling_mamba.py, modeling_falcon_mamba.py,
/// modeling_mamba2.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/state_space_config.h"

namespace ingle::formats::mamba_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.mixer.x_proj.weight", "blk.#.ssm_x.weight"},
    {"model.layers.#.mixer.dt_proj.weight", "blk.#.ssm_dt.weight"},
    {"model.layers.#.mixer.dt_proj.bias", "blk.#.ssm_dt.bias"},
    {"model.layers.#.mixer.D", "blk.#.ssm_d"},
};

/// What they have in common; the context is as long as one likes. The width.
Result<uint32_t> setSizes(Translation& t) {
    constexpr uint32_t kContext = 1 << 20;
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "use_conv_bias", true, true));
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.config.u32("num_hidden_layers"));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("hidden_size"));
    INGLE_TRY_ASSIGN(const float epsilon, t.config.f32Or("layer_norm_epsilon", 1e-5F));
    INGLE_TRY_ASSIGN(const uint32_t kernel, t.config.u32Or("conv_kernel", 4));
    t.setCount("block_count", numLayers);
    t.setCount("embedding_length", dim);
    t.setCount("context_length", kContext);
    t.setCount("feed_forward_length", 0);
    t.setCount("attention.head_count", 0);
    t.setCount("ssm.conv_kernel", kernel);
    t.set("attention.layer_norm_rms_epsilon", double{epsilon});
    return dim;
}

Status setMamba(Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t dim, setSizes(t));
    INGLE_TRY_ASSIGN(const uint32_t stateSize, t.config.u32Or("state_size", 16));
    INGLE_TRY_ASSIGN(const uint32_t expand, t.config.u32Or("expand", 2));
    INGLE_TRY_ASSIGN(const uint32_t inner, t.config.u32Or("intermediate_size", expand * dim));
    INGLE_TRY_ASSIGN(const uint32_t rank, stepRank(t.config, "time_step_rank", dim));
    t.setCount("ssm.state_size", stateSize);
    t.setCount("ssm.inner_size", inner);
    t.setCount("ssm.time_step_rank", rank);
    return {};
}

Status setFalconMamba(Translation& t) {
    INGLE_TRY(setMamba(t));
    INGLE_TRY_ASSIGN(const float epsilon, t.config.f32Or("mixer_rms_eps", 1e-6F));
    t.set("ssm.dt_b_c_rms", true);
    t.set("ssm.dt_b_c_rms_epsilon", double{epsilon});
    return {};
}

Status setMamba2(Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t dim, setSizes(t));
    INGLE_TRY(expectNoStepLimit(t.config));
    INGLE_TRY_ASSIGN(const uint32_t stateSize, t.config.u32Or("state_size", 128));
    INGLE_TRY_ASSIGN(const uint32_t expand, t.config.u32Or("expand", 2));
    INGLE_TRY_ASSIGN(const uint32_t heads, t.config.u32Or("num_heads", 128));
    INGLE_TRY_ASSIGN(const uint32_t groups, t.config.u32Or("n_groups", 8));
    t.setCount("ssm.state_size", stateSize);
    t.setCount("ssm.inner_size", uint64_t{expand} * dim);
    t.setCount("ssm.time_step_rank", heads);
    t.setCount("ssm.group_count", groups);
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "MambaForCausalLM",
     .family = "mamba",
     .setKeys = setMamba,
     .tensors = kRules,
     .sharesEmbedding = true},
    {.name = "FalconMambaForCausalLM",
     .family = "mamba",
     .setKeys = setFalconMamba,
     .tensors = kRules,
     .sharesEmbedding = true},
    {.name = "Mamba2ForCausalLM", .family = "mamba2", .setKeys = setMamba2},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::mamba_architectures
