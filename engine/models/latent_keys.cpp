#include <algorithm>
#include <cmath>

#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

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

}  // namespace

Result<LatentAttentionSpec> readLatentAttention(const Keys& keys, const DecoderSpec& decoder,
                                                LatentQueries queries) {
    const auto withHeads =
        std::ranges::find_if(decoder.layers, [](const LayerSpec& layer) { return hasAttention(layer); });
    if (withHeads == decoder.layers.end()) return keys.cannotBe("attention.head_count_kv", 0);
    const auto& usual = std::get<AttentionSpec>(withHeads->mixer);
    const auto index = static_cast<uint32_t>(withHeads - decoder.layers.begin());
    LatentAttentionSpec spec{.numHeads = usual.numHeads};
    INGLE_TRY_ASSIGN(spec.rank, keys.u32("attention.kv_lora_rank"));
    if (queries == LatentQueries::Stated) {
        INGLE_TRY_ASSIGN(spec.queryRank, keys.u32("attention.q_lora_rank"));
    } else if (queries == LatentQueries::Optional) {
        INGLE_TRY_ASSIGN(spec.queryRank, keys.u32Or("attention.q_lora_rank", 0));
    }
    // Where the second projections are split, the usual lengths are those of the latent.
    INGLE_TRY_ASSIGN(const uint32_t keyDim, keys.u32Or("attention.key_length_mla", 0));
    INGLE_TRY_ASSIGN(const uint32_t valueDim, keys.u32Or("attention.value_length_mla", 0));
    INGLE_TRY_ASSIGN(spec.rotatedDim, keys.u32("rope.dimension_count"));
    const uint32_t wholeDim = keyDim > 0 ? keyDim : usual.keyDim;
    if (wholeDim < spec.rotatedDim) return keys.cannotBe("rope.dimension_count", spec.rotatedDim);
    if (wholeDim == spec.rotatedDim)
        return fail(ErrorCode::Unsupported, "{}: latent heads that are rotated as a whole are not supported",
                    keys.file().path);
    constexpr uint32_t kMaxRank = 1u << 16;
    if (spec.rank == 0 || spec.rank > kMaxRank) return keys.cannotBe("attention.kv_lora_rank", spec.rank);
    if (spec.queryRank > kMaxRank || (spec.queryRank == 0 && queries == LatentQueries::Stated))
        return keys.cannotBe("attention.q_lora_rank", spec.queryRank);
    if (uint64_t{spec.numHeads} * std::max({wholeDim, valueDim, spec.rank + spec.rotatedDim}) > UINT32_MAX)
        return keys.cannotBe("attention.head_count", spec.numHeads);
    spec.plainDim = wholeDim - spec.rotatedDim;
    spec.valueDim = valueDim > 0 ? valueDim : usual.valueDim;
    spec.isSplit = !keys.file().find(layerWeight(index, "attn_kv_b.weight"));
    // A key of ours, for folders; 0: as of the layers.
    INGLE_TRY_ASSIGN(spec.normEps, keys.f32Or("attention.latent_norm_rms_epsilon", 0));
    INGLE_TRY_ASSIGN(const Stretch stretch, readStretch(keys));
    spec.scale = stretch.ofScores * stretch.ofScores / std::sqrt(static_cast<float>(wholeDim));
    RopeSpec rope{.style = backend::RopeStyle::Interleaved};
    INGLE_TRY_ASSIGN(rope.frequencies,
                     readRopeFrequencies(keys, spec.rotatedDim, decoder.facts.trainedContext));
    rope.frequencies.magnitude *= stretch.ofRotation;
    spec.rope = std::move(rope);
    return spec;
}

void synthesizeLatentAttention(std::string_view arch, formats::Metadata& metadata) {
    const auto set = [&](std::string_view key, formats::MetaValue value) {
        metadata.set(fmt::format("{}.{}", arch, key), std::move(value));
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
    set("attention.latent_norm_rms_epsilon", 1e-5);
}

}  // namespace ingle::models
