/// Nemotron-H and Nemotron 3: one mixer, feed-forward or group of experts in a layer. Source: transformers,
/// modeling_nemotron_h.py, configuration_nemotron_h.py; NVIDIA's configurations of both, which have the kinds
/// of layers as letters.
#include <algorithm>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/mixture_config.h"
#include "engine/formats/checkpoint/state_space_config.h"

namespace ingle::formats::nemotron_h_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"model.layers.#.mixer.q_proj.weight", "blk.#.attn_q.weight"},
    {"model.layers.#.mixer.k_proj.weight", "blk.#.attn_k.weight"},
    {"model.layers.#.mixer.v_proj.weight", "blk.#.attn_v.weight"},
    {"model.layers.#.mixer.o_proj.weight", "blk.#.attn_output.weight"},
    {"model.layers.#.mixer.up_proj.weight", "blk.#.ffn_up.weight"},
    {"model.layers.#.mixer.down_proj.weight", "blk.#.ffn_down.weight"},
    {"model.layers.#.mixer.gate.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.mixer.gate.e_score_correction_bias", "blk.#.exp_probs_b.bias"},
    {"model.layers.#.mixer.experts.#.up_proj.weight", "blk.#.ffn_up_exps.weight", stackExpert},
    {"model.layers.#.mixer.experts.#.down_proj.weight", "blk.#.ffn_down_exps.weight", stackExpert},
    {"model.layers.#.mixer.shared_experts.up_proj.weight", "blk.#.ffn_up_shexp.weight"},
    {"model.layers.#.mixer.shared_experts.down_proj.weight", "blk.#.ffn_down_shexp.weight"},
    {"model.layers.#.mixer.fc1_latent_proj.weight", "blk.#.ffn_latent_down.weight"},
    {"model.layers.#.mixer.fc2_latent_proj.weight", "blk.#.ffn_latent_up.weight"},
};

/// What predicts further tokens.
constexpr std::string_view kPredicting[] = {"mtp."};

enum class LayerKind : uint8_t { Mamba, Attention, FeedForward, Experts };

struct NamedKind {
    char letter;
    std::string_view name, otherName;
    LayerKind kind;
};
constexpr NamedKind kKinds[] = {{'M', "mamba", "linear_attention", LayerKind::Mamba},
                                {'*', "attention", "full_attention", LayerKind::Attention},
                                {'-', "mlp", "mlp", LayerKind::FeedForward},
                                {'E', "moe", "moe", LayerKind::Experts}};

/// Of each layer, by hybrid_override_pattern or layers_block_type.
Result<std::vector<LayerKind>> kindsOf(const Config& config) {
    std::vector<LayerKind> kinds;
    const auto add = [&](const auto& found, std::string_view what) -> Status {
        if (found == std::end(kKinds))
            return fail(ErrorCode::Unsupported, "layers of the kind \"{}\" are not supported", shown(what));
        kinds.push_back(found->kind);
        return {};
    };
    const MetaValue* named = config.find("layers_block_type");
    if (const auto* names = named ? std::get_if<std::vector<std::string>>(named) : nullptr) {
        for (const std::string& name : *names) {
            const auto isIt = [&](const NamedKind& kind) {
                return name == kind.name || name == kind.otherName;
            };
            INGLE_TRY(add(std::ranges::find_if(kKinds, isIt), name));
        }
        return kinds;
    }
    INGLE_TRY_ASSIGN(const std::string letters, config.string("hybrid_override_pattern"));
    for (const char letter : letters)
        INGLE_TRY(add(std::ranges::find(kKinds, letter, &NamedKind::letter), std::string(1, letter)));
    return kinds;
}

/// Those whose kinds are not known are refused by the other one.
bool hasExperts(const Config& config) {
    const auto kinds = kindsOf(config);
    return kinds && std::ranges::find(*kinds, LayerKind::Experts) != kinds->end();
}

Status setMamba(Translation& t) {
    INGLE_TRY(expectText(t.config, "mamba_hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "use_conv_bias", true, true));
    INGLE_TRY(expectNoStepLimit(t.config));
    // transformers makes steps no shorter since its version 5, NVIDIA's code does not.
    constexpr float kUsualStep = 0.001F;
    for (const char* key : {"time_step_min", "mamba_dt_min"}) {
        INGLE_TRY_ASSIGN(const float shortest, t.config.f32Or(key, kUsualStep));
        if (shortest != kUsualStep)
            return fail(ErrorCode::Unsupported, "{} {} is not supported for such models", key, shortest);
    }
    INGLE_TRY_ASSIGN(const uint32_t heads, t.config.u32Or("mamba_num_heads", 128));
    INGLE_TRY_ASSIGN(const uint32_t headDim, t.config.u32Or("mamba_head_dim", 64));
    t.setCount("ssm.time_step_rank", heads);
    t.setCount("ssm.inner_size", uint64_t{heads} * headDim);
    constexpr NamedCount kCounts[] = {{"ssm.conv_kernel", "conv_kernel", 4},
                                      {"ssm.state_size", "ssm_state_size", 128},
                                      {"ssm.group_count", "n_groups", 8}};
    return setCounts(t, kCounts);
}

/// The width of what comes in place of a mixer in layers without one.
Status setLayers(Translation& t, uint32_t expertDim) {
    INGLE_TRY(expectText(t.config, "mlp_hidden_act", "relu2", {"relu2"}));
    INGLE_TRY(expectFlag(t.config, "use_bias", false, false));
    INGLE_TRY(expectFlag(t.config, "mlp_bias", false, false));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    INGLE_TRY_ASSIGN(const auto kinds, kindsOf(t.config));
    const bool isEarly = t.config.find("attention_head_dim") != nullptr;
    INGLE_TRY_ASSIGN(const uint32_t width, t.config.u32Or("intermediate_size", 21504));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("hidden_size"));
    INGLE_TRY_ASSIGN(const uint32_t heads, t.config.u32Or("num_attention_heads", 32));
    INGLE_TRY_ASSIGN(const uint32_t kvHeads, t.config.u32Or("num_key_value_heads", 8));
    INGLE_TRY_ASSIGN(const uint32_t headDim,
                     t.config.u32Or(isEarly ? "attention_head_dim" : "head_dim", 128));
    INGLE_TRY_ASSIGN(const uint32_t context, t.config.u32Or("max_position_embeddings", 4096));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 0, 0));
    INGLE_TRY_ASSIGN(const float epsilon, t.config.f32Or("layer_norm_epsilon", 1e-5F));
    std::vector<int64_t> keys, widths;
    for (const LayerKind kind : kinds) {
        keys.push_back(kind == LayerKind::Attention ? int64_t{kvHeads} : 0);
        widths.push_back(kind == LayerKind::FeedForward ? int64_t{width}
                         : kind == LayerKind::Experts   ? int64_t{expertDim}
                                                        : 0);
    }
    t.setCount("block_count", kinds.size());
    t.setCount("embedding_length", dim);
    t.setCount("context_length", window > 0 && window < context ? window : context);
    t.setCount("attention.head_count", heads);
    t.setCount("attention.key_length", headDim);
    t.setCount("attention.value_length", headDim);
    t.setCount("rope.dimension_count", headDim);
    t.set("attention.layer_norm_rms_epsilon", double{epsilon});
    t.set("attention.layer_norm_epsilon", double{epsilon});
    t.set("attention.head_count_kv", std::move(keys));
    t.set("feed_forward_length", std::move(widths));
    return setMamba(t);
}

Status setDense(Translation& t) {
    return setLayers(t, 0);
}

Status setMixture(Translation& t) {
    constexpr uint32_t kUsualDim = 7688;
    INGLE_TRY_ASSIGN(const uint32_t expertDim, t.config.u32Or("moe_intermediate_size", kUsualDim));
    INGLE_TRY_ASSIGN(const uint32_t shared, t.config.u32Or("moe_shared_expert_intermediate_size", kUsualDim));
    INGLE_TRY_ASSIGN(const uint32_t latent, t.config.u32Or("moe_latent_size", 0, 0));
    INGLE_TRY(setLayers(t, expertDim));
    INGLE_TRY(setMixtureKeys(
        t,
        {.scores = 2, .numExperts = 8, .numUsed = 2, .numShared = 1, .dim = kUsualDim, .renormalises = true},
        {.numDense = ""}));
    t.setCount("expert_shared_count", 1);
    t.setCount("expert_shared_feed_forward_length", shared);
    if (latent > 0) t.setCount("moe_latent_size", latent);
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "NemotronHForCausalLM",
     .family = "nemotron_h",
     .setKeys = setDense,
     .tensors = kRules,
     .ignored = kPredicting},
    {.name = "NemotronHForCausalLM",
     .family = "nemotron_h_moe",
     .setKeys = setMixture,
     .tensors = kRules,
     .ignored = kPredicting,
     .suits = hasExperts},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::nemotron_h_architectures
