#include "engine/models/rope_scaling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ingle::models {
namespace {

/// YaRN's pair index at which a wave turns `rotations` times within the original context.
double yarnPair(double rotations, double dims, double base, double originalContext) {
    return dims * std::log(originalContext / (2 * std::numbers::pi * rotations)) / (2 * std::log(base));
}

/// Divides fast waves by 1, slow ones by `factor`, with a ramp between the rule's pairs.
void applyYarn(RopeFrequencies& rope, double dims, double base, double factor, double originalContext,
               const YarnRule& rule) {
    const double low = std::max(0.0, std::floor(yarnPair(rule.fastRotations, dims, base, originalContext)));
    const double high =
        std::min(dims - 1, std::ceil(yarnPair(rule.slowRotations, dims, base, originalContext)));
    for (size_t pair = 0; pair < rope.perPair.size(); ++pair) {
        const double position = (static_cast<double>(pair) - low) / std::max(0.001, high - low);
        const double keep = 1 - std::clamp(position, 0.0, 1.0);
        rope.perPair[pair] *= (1 - keep) / factor + keep;
    }
    const double log = 0.1 * std::log(factor);
    rope.magnitude *= static_cast<float>((1 + log) / (1 + rule.logMultiplier * log));
}

}  // namespace

Status divideByFactors(RopeFrequencies& rope, const formats::ModelFile& file, std::string_view name) {
    const tensor::Tensor* factors = file.find(name);
    if (!factors) return {};
    if (factors->shape != tensor::Shape::of(rope.perPair.size())) {
        return fail(ErrorCode::Corrupt, "{}: {} has shape {} for {} pairs", file.path, name,
                    factors->shape.text(), rope.perPair.size());
    }
    std::vector<float> divisors(rope.perPair.size());
    factors->decodeRow(0, divisors);
    for (size_t pair = 0; pair < divisors.size(); ++pair) {
        if (!(divisors[pair] > 0))
            return fail(ErrorCode::Corrupt, "{}: {} holds {}", file.path, name, divisors[pair]);
        rope.perPair[pair] /= divisors[pair];
    }
    return {};
}

RopeFrequencies unscaledRope(double base, uint32_t dims) {
    RopeFrequencies rope;
    for (uint32_t pair = 0; pair < dims / 2; ++pair)
        rope.perPair.push_back(std::pow(base, -2.0 * pair / dims));
    return rope;
}

Result<RopeFrequencies> readRopeFrequencies(const Keys& keys, uint32_t dims, uint32_t trainedContext,
                                            const YarnRule& yarn, bool hasFactors) {
    INGLE_TRY_ASSIGN(const float base, keys.f32Or("rope.freq_base", 10000));
    if (!std::isfinite(base) || base <= 1) {
        return keys.cannotBe("rope.freq_base", base);
    }
    RopeFrequencies rope = unscaledRope(base, dims);
    if (hasFactors) INGLE_TRY(divideByFactors(rope, keys.file(), "rope_freqs.weight"));

    INGLE_TRY_ASSIGN(const std::string type, keys.stringOr("rope.scaling.type", "linear"));
    INGLE_TRY_ASSIGN(const float factor, keys.f32Or("rope.scaling.factor", 0));
    INGLE_TRY_ASSIGN(rope.magnitude, keys.f32Or("rope.scaling.attn_factor", 1));
    // A type without a factor scales nothing.
    if (type == "none" || factor == 0) return rope;
    if (!std::isfinite(factor) || factor < 0) {
        return keys.cannotBe("rope.scaling.factor", factor);
    }
    if (type == "linear") {
        for (double& frequency : rope.perPair) frequency /= factor;
    } else if (type == "yarn") {
        INGLE_TRY_ASSIGN(const uint32_t original,
                         keys.u32Or("rope.scaling.original_context_length", trainedContext));
        if (original == 0) return keys.cannotBe("rope.scaling.original_context_length", original);
        applyYarn(rope, dims, base, factor, original, yarn);
    } else {
        return fail(ErrorCode::Unsupported, "{}: rope scaling \"{}\" is not supported", keys.file().path,
                    shown(type));
    }
    return rope;
}

}  // namespace ingle::models
