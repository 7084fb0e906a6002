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

/// Divides fast waves by 1, slow ones by `factor`, with a ramp between the pairs of 32 and 1 rotations.
void applyYarn(RopeFrequencies& rope, double dims, double base, double factor, double originalContext) {
    constexpr double kFastRotations = 32;
    constexpr double kSlowRotations = 1;
    const double low = std::max(0.0, std::floor(yarnPair(kFastRotations, dims, base, originalContext)));
    const double high = std::min(dims - 1, std::ceil(yarnPair(kSlowRotations, dims, base, originalContext)));
    for (size_t pair = 0; pair < rope.perPair.size(); ++pair) {
        const double position = (static_cast<double>(pair) - low) / std::max(0.001, high - low);
        const double keep = 1 - std::clamp(position, 0.0, 1.0);
        rope.perPair[pair] *= (1 - keep) / factor + keep;
    }
    rope.magnitude *= static_cast<float>(1 + 0.1 * std::log(factor));
}

Status applyFactors(RopeFrequencies& rope, const formats::ModelFile& file) {
    const tensor::Tensor* factors = file.find("rope_freqs.weight");
    if (!factors) return {};
    if (factors->shape != tensor::Shape::of(rope.perPair.size())) {
        return fail(ErrorCode::Corrupt, "{}: rope_freqs.weight has shape {} for {} pairs", file.path,
                    factors->shape.text(), rope.perPair.size());
    }
    std::vector<float> divisors(rope.perPair.size());
    factors->decodeRow(0, divisors);
    for (size_t pair = 0; pair < divisors.size(); ++pair) {
        if (!(divisors[pair] > 0)) {
            return fail(ErrorCode::Corrupt, "{}: rope_freqs.weight holds {}", file.path, divisors[pair]);
        }
        rope.perPair[pair] /= divisors[pair];
    }
    return {};
}

}  // namespace

Result<RopeFrequencies> readRopeFrequencies(const formats::ModelFile& file, const std::string& arch,
                                            uint32_t dims, uint32_t trainedContext) {
    const formats::Metadata& meta = file.metadata;
    INGLE_TRY_ASSIGN(const float base, meta.f32Or(arch + ".rope.freq_base", 10000));
    if (!std::isfinite(base) || base <= 1) {
        return fail(ErrorCode::Corrupt, "{}: rope.freq_base cannot be {}", file.path, base);
    }
    RopeFrequencies rope;
    for (uint32_t pair = 0; pair < dims / 2; ++pair) {
        rope.perPair.push_back(std::pow(double{base}, -2.0 * pair / dims));
    }
    INGLE_TRY(applyFactors(rope, file));

    INGLE_TRY_ASSIGN(const std::string type, meta.stringOr(arch + ".rope.scaling.type", "linear"));
    INGLE_TRY_ASSIGN(const float factor, meta.f32Or(arch + ".rope.scaling.factor", 0));
    INGLE_TRY_ASSIGN(rope.magnitude, meta.f32Or(arch + ".rope.scaling.attn_factor", 1));
    // A type without a factor scales nothing.
    if (type == "none" || factor == 0) return rope;
    if (!std::isfinite(factor) || factor < 0) {
        return fail(ErrorCode::Corrupt, "{}: rope.scaling.factor cannot be {}", file.path, factor);
    }
    if (type == "linear") {
        for (double& frequency : rope.perPair) frequency /= factor;
    } else if (type == "yarn") {
        INGLE_TRY_ASSIGN(const uint32_t original,
                         meta.u32Or(arch + ".rope.scaling.original_context_length", trainedContext));
        if (original == 0) {
            return fail(ErrorCode::Corrupt, "{}: rope.scaling.original_context_length cannot be 0",
                        file.path);
        }
        applyYarn(rope, dims, base, factor, original);
    } else {
        return fail(ErrorCode::Unsupported, "{}: rope scaling \"{}\" is not supported", file.path,
                    shown(type));
    }
    return rope;
}

}  // namespace ingle::models
