/// DeepSeek V2, V2 Lite, V3 and R1, Kimi K2, GLM 4.7 Flash: latent attention, and experts behind the first
/// layers. Sources: DeepSeek-AI, "DeepSeek-V2" (2024), section 2.1; "DeepSeek-V3 Technical Report" (2024),
/// section 2.1.
#include <algorithm>
#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models::deepseek2_family {
namespace {

/// V2 Lite and its kin have no latent of queries, nor a key that says so: they are known by their sizes.
bool isLite(const ModelFacts& facts) {
    return facts.numLayers == 26 || facts.numLayers == 27 ||
           (facts.numLayers == 48 && facts.vocabSize == 128256);
}

/// YaRN's factors of scores and of cos and sin. With the multiplier, which files hold as a tenth, all of it
/// is in the scores.
struct Stretch {
    float ofScores = 1;
    float ofRotation = 1;
};

Result<Stretch> readStretch(const Keys& keys) {
    Stretch stretch;
    INGLE_TRY_ASSIGN(const std::string type, keys.stringOr("rope.scaling.type", "linear"));
    INGLE_TRY_ASSIGN(const float factor, keys.f32Or("rope.scaling.factor", 0));
    INGLE_TRY_ASSIGN(const float multiplier, keys.f32Or("rope.scaling.yarn_log_multiplier", 0));
    if (type != "yarn" || !(factor > 0)) return stretch;
    const float usual = 1 + 0.1F * std::log(factor);
    stretch.ofScores = multiplier != 0 ? 1 + multiplier * std::log(factor) : usual;
    // readRopeFrequencies() knows no multiplier.
    stretch.ofRotation = multiplier != 0 ? 1 / usual : 1;
    return stretch;
}

/// The same for all layers. `numHeads`, `keyDim` and `valueDim` as a usual decoder's keys say.
Result<LatentAttentionSpec> readLatentAttention(const Keys& keys, const DecoderSpec& decoder) {
    const auto& usual = std::get<AttentionSpec>(decoder.layers[0].mixer);
    LatentAttentionSpec spec{.numHeads = usual.numHeads};
    INGLE_TRY_ASSIGN(spec.rank, keys.u32("attention.kv_lora_rank"));
    if (!isLite(decoder.facts)) {
        INGLE_TRY_ASSIGN(spec.queryRank, keys.u32("attention.q_lora_rank"));
    }
    // Where the second projections are split, the usual lengths are those of the latent.
    INGLE_TRY_ASSIGN(const uint32_t keyDim, keys.u32Or("attention.key_length_mla", 0));
    INGLE_TRY_ASSIGN(const uint32_t valueDim, keys.u32Or("attention.value_length_mla", 0));
    INGLE_TRY_ASSIGN(spec.rotatedDim, keys.u32("rope.dimension_count"));
    const uint32_t wholeDim = keyDim > 0 ? keyDim : usual.keyDim;
    if (wholeDim <= spec.rotatedDim) return keys.cannotBe("rope.dimension_count", spec.rotatedDim);
    constexpr uint32_t kMaxRank = 1u << 16;
    if (spec.rank == 0 || spec.rank > kMaxRank) return keys.cannotBe("attention.kv_lora_rank", spec.rank);
    if (spec.queryRank > kMaxRank || (spec.queryRank == 0 && !isLite(decoder.facts)))
        return keys.cannotBe("attention.q_lora_rank", spec.queryRank);
    if (uint64_t{spec.numHeads} * std::max({wholeDim, valueDim, spec.rank + spec.rotatedDim}) > UINT32_MAX)
        return keys.cannotBe("attention.head_count", spec.numHeads);
    spec.plainDim = wholeDim - spec.rotatedDim;
    spec.valueDim = valueDim > 0 ? valueDim : usual.valueDim;
    spec.isSplit = !keys.file().find("blk.0.attn_kv_b.weight");
    INGLE_TRY_ASSIGN(const Stretch stretch, readStretch(keys));
    spec.scale = stretch.ofScores * stretch.ofScores / std::sqrt(static_cast<float>(wholeDim));
    spec.rope.style = backend::RopeStyle::Interleaved;
    INGLE_TRY_ASSIGN(spec.rope.frequencies,
                     readRopeFrequencies(keys, spec.rotatedDim, decoder.facts.trainedContext));
    spec.rope.frequencies.magnitude *= stretch.ofRotation;
    return spec;
}

Result<kernels::ExpertScores> readScores(const Keys& keys) {
    INGLE_TRY_ASSIGN(const uint32_t function, keys.u32Or("expert_gating_func", 0));
    if (function <= 1) return kernels::ExpertScores::Softmax;
    if (function == 2) return kernels::ExpertScores::Sigmoid;
    return fail(ErrorCode::Unsupported, "{}: expert_gating_func {} is not supported", keys.file().path,
                function);
}

/// Experts in all layers but the first ones.
Status readLateExperts(const Keys& keys, DecoderSpec& spec) {
    const std::vector<LayerSpec> dense = spec.layers;
    INGLE_TRY_ASSIGN(const uint32_t numDense, keys.u32Or("leading_dense_block_count", 0));
    INGLE_TRY_ASSIGN(const kernels::ExpertScores scores, readScores(keys));
    INGLE_TRY_ASSIGN(const bool renormalise, keys.boolOr("expert_weights_norm", false));
    INGLE_TRY_ASSIGN(const float scale, keys.f32Or("expert_weights_scale", 0));
    INGLE_TRY_ASSIGN(const uint32_t groups, keys.u32Or("expert_group_count", 0));
    INGLE_TRY_ASSIGN(const uint32_t groupsUsed, keys.u32Or("expert_group_used_count", 0));
    INGLE_TRY_ASSIGN(const uint32_t numShared, keys.u32Or("expert_shared_count", 0));
    INGLE_TRY(readExperts(keys, spec));
    INGLE_TRY(readExpertDim(keys, spec));
    for (uint32_t i = 0; i < spec.layers.size(); ++i) {
        ExpertsSpec* experts = expertsOf(spec.layers[i]);
        if (!experts) continue;
        if (i < numDense) {
            spec.layers[i].ffn = dense[i].ffn;
            continue;
        }
        const uint64_t sharedDim = uint64_t{numShared} * experts->dim;
        if (sharedDim > UINT32_MAX) return keys.cannotBe("expert_shared_count", numShared);
        experts->sharedDim = static_cast<uint32_t>(sharedDim);
        experts->hasChoiceBias = true;
        experts->rule.scores = scores;
        experts->rule.renormalise = renormalise;
        experts->rule.scale = scale != 0 ? scale : 1;
        if (groups <= 1) continue;
        if (experts->numExperts % groups != 0) return keys.cannotBe("expert_group_count", groups);
        if (groupsUsed == 0 || groupsUsed > groups)
            return keys.cannotBe("expert_group_used_count", groupsUsed);
        experts->rule.groups = groups;
        experts->rule.groupsUsed = groupsUsed;
    }
    return {};
}

Result<DecoderSpec> read(const Keys& keys) {
    INGLE_TRY_ASSIGN(DecoderSpec spec, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY_ASSIGN(const LatentAttentionSpec attention, readLatentAttention(keys, spec));
    for (LayerSpec& layer : spec.layers) layer.mixer = attention;
    INGLE_TRY(readLateExperts(keys, spec));
    return spec;
}

void synthesize(const SynthSizes& sizes, formats::Metadata& metadata) {
    synthesizeDecoder("deepseek2", sizes, metadata);
    synthesizeExperts("deepseek2", sizes, metadata, 4);
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("deepseek2.{}", key), std::move(value));
    };
    // Whole blocks of 32 wherever a matrix is as wide.
    constexpr int64_t kRank = 64, kPlainDim = 32, kRotatedDim = 16;
    set("attention.head_count_kv", int64_t{1});
    set("attention.kv_lora_rank", kRank);
    set("attention.q_lora_rank", kRank);
    set("rope.dimension_count", kRotatedDim);
    set("attention.key_length", kRank + kRotatedDim);
    set("attention.value_length", kRank);
    set("attention.key_length_mla", kPlainDim + kRotatedDim);
    set("attention.value_length_mla", kPlainDim);
    set("rope.scaling.yarn_log_multiplier", 0.0);
    set("leading_dense_block_count", int64_t{1});
    set("expert_feed_forward_length", int64_t{sizes.ffnDim});
    set("expert_gating_func", int64_t{2});
    set("expert_weights_norm", true);
    set("expert_weights_scale", 2.5);
    set("expert_shared_count", int64_t{1});
    set("expert_group_count", int64_t{2});
    set("expert_group_used_count", int64_t{1});
}

}  // namespace

extern const ModelFamily family{.arch = "deepseek2", .describe = read, .synthesize = synthesize};

}  // namespace ingle::models::deepseek2_family
