/// DeepSeek V2, V2 Lite and V3, GLM-4.7 Flash and Youtu; neighbours are rotated. Sources: transformers,
/// modeling_deepseek_v2.py, modeling_deepseek_v3.py, modeling_glm4_moe_lite.py,
/// modeling_youtu.py.
#include <cmath>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/mixture_config.h"

namespace ingle::formats::deepseek_architectures {
namespace {

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

/// What holds where config.json is silent.
struct UsualLatent {
    uint32_t plain = 128, rotated = 64, value = 128;
    uint32_t rank = 512, queryRank = 1536;
    double epsilon = 1e-6;
    uint32_t context = 0;  ///< 0: it never is
};

Result<DecoderSizes> setLatent(Translation& t, const UsualLatent& usual = {}) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "attention_bias", false, false));
    INGLE_TRY_ASSIGN(
        DecoderSizes sizes,
        setDecoderKeys(t, {.headDim = "", .usualEpsilon = usual.epsilon, .usualContext = usual.context}));
    INGLE_TRY_ASSIGN(const uint32_t plain, t.config.u32Or("qk_nope_head_dim", usual.plain));
    INGLE_TRY_ASSIGN(const uint32_t rotated, t.config.u32Or("qk_rope_head_dim", usual.rotated));
    INGLE_TRY_ASSIGN(const uint32_t value, t.config.u32Or("v_head_dim", usual.value));
    INGLE_TRY_ASSIGN(const uint32_t rank, t.config.u32Or("kv_lora_rank", usual.rank));
    INGLE_TRY_ASSIGN(const uint32_t queryRank, t.config.u32Or("q_lora_rank", usual.queryRank, 0));
    sizes.rotatedDims = rotated;
    t.setCount("attention.head_count_kv", sizes.numHeads);
    t.setCount("attention.key_length", uint64_t{plain} + rotated);
    t.setCount("attention.value_length", value);
    t.setCount("rope.dimension_count", rotated);
    t.setCount("attention.kv_lora_rank", rank);
    if (queryRank > 0) t.setCount("attention.q_lora_rank", queryRank);
    t.set("attention.latent_norm_rms_epsilon", 1e-6);  // whatever rms_norm_eps is
    INGLE_TRY(setPositions(t, sizes));
    return sizes;
}

Status setV2(Translation& t) {
    INGLE_TRY(setLatent(t));
    // Groups are chosen there by their best expert, in the family by their best two.
    INGLE_TRY(expectText(t.config, "topk_method", "greedy", {"greedy"}));
    // The class of the model does not look at it; DeepSeek's own code does.
    INGLE_TRY(expectFlag(t.config, "norm_topk_prob", false, false));
    INGLE_TRY(setMixtureKeys(t, {.scores = 1, .numExperts = 64, .numShared = 2, .dim = 1407}));
    // All experts are chosen among, whatever n_group says.
    for (const char* key : {"expert_group_count", "expert_group_used_count"}) t.setCount(key, 1);
    return {};
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

/// Youtu, without experts.
Status setYoutu(Translation& t) {
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setLatent(t, {.context = 131072}));
    // Other engines want these keys, too.
    INGLE_TRY_ASSIGN(const uint32_t width, t.config.u32("intermediate_size"));
    t.setCount("leading_dense_block_count", sizes.numLayers);
    t.setCount("expert_feed_forward_length", width);
    t.setCount("expert_shared_count", 0);
    return expectFlag(t.config, "rope_interleave", true, true);
}

Status setGlmLite(Translation& t) {
    INGLE_TRY(
        setLatent(t, {.plain = 192, .value = 256, .queryRank = 768, .epsilon = 1e-5, .context = 202752}));
    INGLE_TRY(expectFlag(t.config, "rope_interleave", true, true));
    return setMixtureKeys(t, {.scores = 2,
                              .numExperts = 64,
                              .numUsed = 4,
                              .numShared = 1,
                              .dim = 1536,
                              .numDense = 1,
                              .renormalises = true,
                              .scale = 1.8});
}

constexpr Architecture kArchitectures[] = {
    {.name = "DeepseekV2ForCausalLM", .family = "deepseek2", .setKeys = setV2},
    {.name = "DeepseekV3ForCausalLM", .family = "deepseek2", .setKeys = setV3},
    {.name = "YoutuForCausalLM", .family = "deepseek2", .setKeys = setYoutu, .sharesEmbedding = true},
    {.name = "Glm4MoeLiteForCausalLM", .family = "deepseek2", .setKeys = setGlmLite},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::deepseek_architectures
