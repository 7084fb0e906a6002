/// Keys of config.json that change what a model computes, in one family or another.
#include <algorithm>

#include "engine/formats/checkpoint/config.h"

namespace ingle::formats {
namespace {

/// With the number, or flag, that changes nothing.
struct TellingKey {
    std::string_view key;
    double harmless = 0;
};

constexpr TellingKey kTellingKeys[] = {
    // What is capped, clamped and scaled.
    {"attn_logit_softcapping"},
    {"final_logit_softcapping"},
    {"router_logit_softcapping"},
    {"clip_qkv"},
    {"logit_scale", 1},
    {"logits_scaling", 1},
    {"lm_head_multiplier", 1},
    {"embedding_multiplier", 1},
    {"residual_multiplier", 1},
    {"attention_multiplier", 1},
    {"key_multiplier", 1},
    {"attention_in_multiplier", 1},
    {"attention_out_multiplier", 1},
    {"ssm_in_multiplier", 1},
    {"ssm_out_multiplier", 1},
    {"scale_emb", 1},
    {"scale_depth"},
    {"query_pre_attn_scalar"},
    {"swiglu_limit"},
    {"swiglu_alpha", 1.702},
    // What attention does.
    {"use_bidirectional_attention"},
    {"alibi"},
    {"use_alibi"},
    {"attention_chunk_size"},
    {"attn_temperature_tuning"},
    {"no_rope_layers"},
    {"attention_output_gate"},
    {"attn_output_gate"},
    // Which halves read what.
    {"parallel_attn"},
    {"use_parallel_residual"},
    {"apply_residual_connection_post_layernorm"},
    {"num_kv_shared_layers"},
    {"altup_num_inputs", 1},
    {"laurel_rank"},
    // Who computes.
    {"n_group", 1},
    {"topk_group", 1},
    {"routed_scaling_factor", 1},
    {"moe_routed_scaling_factor", 1},
    {"router_scaling_factor", 1},
    {"route_scale", 1},
    {"moe_router_logit_softcapping"},
    {"hyper_connection_count"},
};

bool isHarmless(const MetaValue& value, double harmless) {
    if (const auto* flag = std::get_if<bool>(&value)) return !*flag && harmless == 0;
    if (const auto* number = std::get_if<int64_t>(&value)) return static_cast<double>(*number) == harmless;
    if (const auto* number = std::get_if<double>(&value)) return *number == harmless;
    return false;
}

}  // namespace

Status expectUnderstood(const Config& config) {
    const auto& values = config.all();
    for (const auto& [key, harmless] : kTellingKeys) {
        const auto found = values.find(key);
        if (found == values.end() || config.wasAsked(key) || isHarmless(found->second, harmless)) continue;
        return fail(ErrorCode::Unsupported, "'{}' is not supported for such models", key);
    }
    // Positions of a kind of layers that nobody has asked for.
    for (const auto& [key, value] : values) {
        if (key.starts_with("rope_parameters.") && key.ends_with(".rope_theta") && !config.wasAsked(key))
            return fail(ErrorCode::Unsupported, "'{}' is not supported for such models", key);
    }
    return {};
}

}  // namespace ingle::formats
