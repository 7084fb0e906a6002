/// What the configurations of decoders have in common.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/formats/checkpoint/translation.h"

namespace ingle::formats {
namespace {

// More than any model has; they keep what is made of them small.
constexpr uint32_t kMaxLayers = 1 << 12;
constexpr uint32_t kMaxHeadDim = 1 << 16;

/// A value of the rotary positions under its new or its old name.
class RopeConfig {
  public:
    RopeConfig(const Config& config, std::string_view prefix) : m_config(config) {
        const std::string begin = fmt::format("{}.", prefix);
        const bool isNew = std::ranges::any_of(
            config.all(), [&](const auto& entry) { return entry.first.starts_with(begin); });
        m_prefix = isNew ? begin : "rope_scaling.";
    }

    std::string key(std::string_view name) const { return m_prefix + std::string(name); }
    bool has(std::string_view name) const { return m_config.find(key(name)) != nullptr; }
    Result<float> number(std::string_view name) const { return m_config.f32(key(name)); }
    // Of these None is as good as nothing.
    Result<float> numberOr(std::string_view name, float fallback) const {
        return m_config.f32Or(key(name), fallback, fallback);
    }
    Result<uint32_t> countOr(std::string_view name, uint32_t fallback) const {
        return m_config.u32Or(key(name), fallback, fallback);
    }
    Result<bool> flagOr(std::string_view name, bool fallback) const {
        return m_config.boolOr(key(name), fallback);
    }
    Result<std::string> type() const {
        for (const std::string_view name : {"rope_type", "type"})
            if (has(name)) return m_config.string(key(name));
        return std::string("default");
    }
    /// One number for each rotated pair.
    Result<std::vector<float>> numbers(std::string_view name, size_t count) const {
        const MetaValue* value = m_config.find(key(name));
        std::vector<float> out;
        if (const auto* doubles = value ? std::get_if<std::vector<double>>(value) : nullptr)
            out.assign(doubles->begin(), doubles->end());
        if (const auto* integers = value ? std::get_if<std::vector<int64_t>>(value) : nullptr)
            out.assign(integers->begin(), integers->end());
        if (out.size() != count)
            return fail(ErrorCode::Corrupt, "'{}' holds {} numbers for {} rotated pairs", key(name),
                        out.size(), count);
        return out;
    }

  private:
    const Config& m_config;
    std::string m_prefix;
};

/// Waves longer than the original context are stretched, short ones stay, and those between are in part. The
/// divisor of each frequency. Source: transformers, _compute_llama3_parameters.
Result<std::vector<float>> llama3Divisors(const RopeConfig& rope, uint32_t dims, double base, double factor) {
    INGLE_TRY_ASSIGN(const double low, rope.number("low_freq_factor"));
    INGLE_TRY_ASSIGN(const double high, rope.number("high_freq_factor"));
    INGLE_TRY_ASSIGN(const double original, rope.number("original_max_position_embeddings"));
    if (!(low > 0) || !(high >= low) || !(original > 0))
        return fail(ErrorCode::Corrupt, "rotary positions cannot be stretched from {} to {} over {}", low,
                    high, original);
    std::vector<float> divisors;
    for (uint32_t pair = 0; pair < dims / 2; ++pair) {
        const double wave = 2 * std::numbers::pi * std::pow(base, 2.0 * pair / dims);
        // Where both are one, as Llama 4 has it, nothing lies between.
        const double kept = high == low ? (original / wave >= low ? 1.0 : 0.0)
                                        : std::clamp((original / wave - low) / (high - low), 0.0, 1.0);
        divisors.push_back(static_cast<float>(1 / ((1 - kept) / factor + kept)));
    }
    return divisors;
}

/// 0.1 m ln(factor) + 1
double yarnMagnitude(double factor, double multiplier) {
    return factor > 1 ? 0.1 * multiplier * std::log(factor) + 1 : 1;
}

/// YaRN between whole pairs is what families compute; between pairs as they come, divisors say it.
std::vector<float> yarnDivisors(uint32_t dims, double base, double factor, double original, double fast,
                                double slow) {
    const auto pairOf = [&](double rotations) {
        return dims * std::log(original / (2 * std::numbers::pi * rotations)) / (2 * std::log(base));
    };
    const double low = std::max(pairOf(fast), 0.0), high = std::min(pairOf(slow), dims - 1.0);
    std::vector<float> divisors;
    for (uint32_t pair = 0; pair < dims / 2; ++pair) {
        const double keep = 1 - std::clamp((pair - low) / std::max(high - low, 0.001), 0.0, 1.0);
        divisors.push_back(static_cast<float>(1 / ((1 - keep) / factor + keep)));
    }
    return divisors;
}

Status setYarn(Translation& translation, const RopeConfig& rope, const DecoderSizes& sizes, float base,
               float factor) {
    INGLE_TRY_ASSIGN(const uint32_t original,
                     rope.countOr("original_max_position_embeddings", sizes.context));
    INGLE_TRY_ASSIGN(const float fast, rope.numberOr("beta_fast", 32));
    INGLE_TRY_ASSIGN(const float slow, rope.numberOr("beta_slow", 1));
    if (fast != 32 || slow != 1)
        return fail(ErrorCode::Unsupported, "YaRN between {} and {} rotations is not supported", slow, fast);
    double magnitude = yarnMagnitude(factor, 1);
    if (rope.has("attention_factor")) {
        INGLE_TRY_ASSIGN(magnitude, rope.number("attention_factor"));
    } else if (rope.has("mscale") && rope.has("mscale_all_dim")) {
        INGLE_TRY_ASSIGN(const double scale, rope.number("mscale"));
        INGLE_TRY_ASSIGN(const double all, rope.number("mscale_all_dim"));
        if (scale != 0 && all != 0) magnitude = yarnMagnitude(factor, scale) / yarnMagnitude(factor, all);
    }
    INGLE_TRY_ASSIGN(const bool isTruncated, rope.flagOr("truncate", true));
    if (!isTruncated && base > 1 && original > 0) {
        translation.set("rope.scaling.attn_factor", magnitude);
        const auto divisors = yarnDivisors(sizes.rotatedDims, base, factor, original, fast, slow);
        return translation.make("rope_freqs.weight", tensor::Shape::of(divisors.size()), divisors);
    }
    translation.set("rope.scaling.type", std::string("yarn"));
    translation.set("rope.scaling.factor", double{factor});
    translation.setCount("rope.scaling.original_context_length", original);
    // The family multiplies by its usual magnitude.
    translation.set("rope.scaling.attn_factor", magnitude / yarnMagnitude(factor, 1));
    return {};
}

Status setLongRope(Translation& translation, const RopeConfig& rope, const DecoderSizes& sizes) {
    // Phi-3 states it outside.
    INGLE_TRY_ASSIGN(const uint32_t outside, translation.config.u32Or("original_max_position_embeddings",
                                                                      sizes.context, sizes.context));
    INGLE_TRY_ASSIGN(const uint32_t original, rope.countOr("original_max_position_embeddings", outside));
    if (original < 2)
        return fail(ErrorCode::Corrupt, "original_max_position_embeddings cannot be {}", original);
    for (const auto& [name, tensor] : {std::pair("long_factor", "rope_factors_long.weight"),
                                       std::pair("short_factor", "rope_factors_short.weight")}) {
        INGLE_TRY_ASSIGN(const auto factors, rope.numbers(name, sizes.rotatedDims / 2));
        INGLE_TRY(translation.make(tensor, tensor::Shape::of(factors.size()), factors));
    }
    const double within = original;
    const double stretch = sizes.context / within;
    double magnitude = stretch > 1 ? std::sqrt(1 + std::log(stretch) / std::log(within)) : 1;
    if (rope.has("attention_factor")) {
        INGLE_TRY_ASSIGN(magnitude, rope.number("attention_factor"));
    }
    translation.setCount("rope.scaling.original_context_length", original);
    translation.set("rope.scaling.attn_factor", magnitude);
    return {};
}

}  // namespace

Status setCounts(Translation& translation, std::span<const NamedCount> counts) {
    for (const NamedCount& count : counts) {
        INGLE_TRY_ASSIGN(const uint32_t value, translation.config.u32Or(count.from, count.usual));
        translation.setCount(count.key, value);
    }
    return {};
}

Result<DecoderSizes> setDecoderKeys(Translation& translation, const DecoderNames& names) {
    const Config& config = translation.config;
    const auto countOr = [&](std::string_view key, uint32_t usual) {
        return usual ? config.u32Or(key, usual) : config.u32(key);
    };
    DecoderSizes sizes{};
    INGLE_TRY_ASSIGN(sizes.numLayers, countOr(names.numLayers, names.usualLayers));
    INGLE_TRY_ASSIGN(sizes.dim, countOr(names.dim, names.usualDim));
    INGLE_TRY_ASSIGN(sizes.numHeads, countOr(names.numHeads, names.usualHeads));
    const uint32_t usualKvHeads = names.usualKvHeads ? names.usualKvHeads : sizes.numHeads;
    INGLE_TRY_ASSIGN(sizes.numKvHeads, config.u32Or(names.numKvHeads, usualKvHeads, sizes.numHeads));
    if (sizes.numLayers > kMaxLayers)
        return fail(ErrorCode::Corrupt, "{} cannot be {}", names.numLayers, sizes.numLayers);
    if (sizes.numHeads == 0) return fail(ErrorCode::Corrupt, "{} cannot be 0", names.numHeads);
    const uint32_t evenShare = sizes.dim / sizes.numHeads;
    INGLE_TRY_ASSIGN(sizes.headDim, config.u32Or(names.headDim, evenShare, evenShare));
    if (sizes.headDim > kMaxHeadDim)
        return fail(ErrorCode::Corrupt, "heads of {} numbers are too large", sizes.headDim);
    INGLE_TRY_ASSIGN(sizes.context, countOr(names.context, names.usualContext));
    const auto allOrSome = static_cast<float>(names.usualRotated);
    INGLE_TRY_ASSIGN(const float usual,
                     config.f32Or("rope_parameters.partial_rotary_factor", allOrSome, allOrSome));
    INGLE_TRY_ASSIGN(const float rotated, config.f32Or("partial_rotary_factor", usual, usual));
    if (!(rotated > 0) || rotated > 1)
        return fail(ErrorCode::Corrupt, "partial_rotary_factor cannot be {}", rotated);
    sizes.rotatedDims = static_cast<uint32_t>(static_cast<float>(sizes.headDim) * rotated);
    INGLE_TRY_ASSIGN(const float epsilon,
                     config.f32Or(names.epsilon, static_cast<float>(names.usualEpsilon)));
    translation.setCount("block_count", sizes.numLayers);
    translation.setCount("embedding_length", sizes.dim);
    translation.setCount("context_length", sizes.context);
    translation.setCount("attention.head_count", sizes.numHeads);
    translation.setCount("attention.head_count_kv", sizes.numKvHeads);
    translation.setCount("attention.key_length", sizes.headDim);
    translation.setCount("attention.value_length", sizes.headDim);
    translation.setCount("rope.dimension_count", sizes.rotatedDims);
    translation.set(names.epsilonKey, double{epsilon});
    if (!names.ffnDim.empty()) {
        INGLE_TRY_ASSIGN(const uint32_t ffnDim, countOr(names.ffnDim, names.usualFfnDim));
        translation.setCount("feed_forward_length", ffnDim);
    }
    return sizes;
}

Status setLlamaKeys(Translation& t, const DecoderNames& names, uint32_t usualWindow) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, names));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", usualWindow, 0));
    if (window > 0 && window < sizes.context) t.setCount("context_length", window);
    return setRope(t, sizes);
}

Status setRope(Translation& translation, const DecoderSizes& sizes, double usualBase,
               std::string_view prefix) {
    const Config& config = translation.config;
    const RopeConfig rope(config, prefix);
    const bool isInside = rope.has("rope_theta");
    INGLE_TRY_ASSIGN(const float base, isInside ? rope.number("rope_theta")
                                                : config.f32Or("rope_theta", static_cast<float>(usualBase)));
    translation.set("rope.freq_base", double{base});
    INGLE_TRY_ASSIGN(const std::string type, rope.type());
    // "dynamic" changes something only beyond the context that the model was trained for.
    // The components of "mrope" are all the same in text.
    if (type == "default" || type == "dynamic" || type == "mrope") return {};
    if (type == "longrope" || type == "su") return setLongRope(translation, rope, sizes);
    INGLE_TRY_ASSIGN(const float factor, rope.number("factor"));
    if (!(factor > 0)) return fail(ErrorCode::Corrupt, "'{}' cannot be {}", rope.key("factor"), factor);
    if (type == "linear") {
        translation.set("rope.scaling.type", std::string("linear"));
        translation.set("rope.scaling.factor", double{factor});
        return {};
    }
    if (type == "yarn") return setYarn(translation, rope, sizes, base, factor);
    if (type == "llama3") {
        INGLE_TRY_ASSIGN(const auto divisors, llama3Divisors(rope, sizes.rotatedDims, base, factor));
        return translation.make("rope_freqs.weight", tensor::Shape::of(divisors.size()), divisors);
    }
    return fail(ErrorCode::Unsupported, "rope scaling \"{}\" is not supported", shown(type));
}

Status expectText(const Config& config, std::string_view key, std::string_view usual,
                  std::initializer_list<std::string_view> known) {
    INGLE_TRY_ASSIGN(const std::string value, config.stringOr(key, std::string(usual)));
    if (std::ranges::find(known, value) != known.end()) return {};
    return fail(ErrorCode::Unsupported, "{} \"{}\" is not supported for such models", key, shown(value));
}

Status setActivation(Translation& translation, std::string_view key, std::string_view usual) {
    INGLE_TRY(expectText(translation.config, key, usual,
                         {"gelu", "gelu_new", "gelu_pytorch_tanh", "silu", "relu"}));
    INGLE_TRY_ASSIGN(const std::string name, translation.config.stringOr(key, std::string(usual)));
    translation.set("hidden_activation", name == "gelu" ? std::string("gelu_erf") : name);
    return {};
}

Status expectFlag(const Config& config, std::string_view key, bool usual, bool known) {
    INGLE_TRY_ASSIGN(const bool value, config.boolOr(key, usual));
    if (value == known) return {};
    return fail(ErrorCode::Unsupported, "{} = {} is not supported for such models", key, value);
}

}  // namespace ingle::formats
