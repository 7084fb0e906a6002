#include "engine/quant/scale_search.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ingle::quant {

int32_t nearestLevel(float value, int32_t low, int32_t high) {
    const auto lowest = static_cast<float>(low);
    const auto highest = static_cast<float>(high);
    const float clamped = value > lowest ? (value < highest ? value : highest) : lowest;
    // At 1.5 * 2^23 a float's last bit is worth 1: the addition rounds.
    constexpr float kShift = 12582912.0F;
    return std::bit_cast<int32_t>(clamped + kShift) - std::bit_cast<int32_t>(kShift);
}

void magnitudeWeights(std::span<const float> x, std::span<float> weights) {
    float squares = 0;
    for (const float value : x) squares += value * value;
    const float rms = std::sqrt(squares / static_cast<float>(x.size()));
    std::ranges::transform(x, weights.begin(), [rms](float value) { return rms + std::abs(value); });
}

namespace {

/// Weighted sums over a rounding to levels, and the straight line through it.
struct LevelSums {
    float w = 0, wx = 0, wl = 0, wll = 0, wxl = 0;

    void add(float weight, float x, float level) {
        w += weight;
        wx += weight * x;
        wl += weight * level;
        wll += weight * level * level;
        wxl += weight * x * level;
    }
    /// The least-squares line; one through the origin where the best one would need a negative min.
    ScaleAndOffset line() const {
        const float determinant = w * wll - wl * wl;
        if (!(determinant > 0)) return {};
        const ScaleAndOffset best{(w * wxl - wx * wl) / determinant, (wl * wxl - wll * wx) / determinant};
        if (best.min >= 0) return best;
        return {wll > 0 ? wxl / wll : 0, 0};
    }
};

}  // namespace

ScaleAndOffset fitScaleAndOffset(std::span<const float> x, std::span<const float> weights, int32_t topLevel,
                                 const ScaleSteps& steps) {
    const auto [least, most] = std::ranges::minmax(x);
    const float low = std::min(least, 0.0F);
    const float range = most - low;
    if (!(range > 0)) return {0, -low};

    ScaleAndOffset best{range / static_cast<float>(topLevel), -low};
    const auto errorOf = [&](const ScaleAndOffset& fit, float inverse) {
        float error = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            const auto level = static_cast<float>(nearestLevel(inverse * (x[i] - low), 0, topLevel));
            const float difference = fit.scale * level - fit.min - x[i];
            error += weights[i] * difference * difference;
        }
        return error;
    };
    float bestError = errorOf(best, 1 / best.scale);
    for (int32_t t = 0; t <= steps.count; ++t) {
        const float inverse =
            (static_cast<float>(topLevel) + steps.first + steps.stride * static_cast<float>(t)) / range;
        LevelSums sums;
        for (size_t i = 0; i < x.size(); ++i) {
            sums.add(weights[i], x[i], static_cast<float>(nearestLevel(inverse * (x[i] - low), 0, topLevel)));
        }
        const ScaleAndOffset fit = sums.line();
        const float error = errorOf(fit, inverse);
        if (fit.scale > 0 && error < bestError) {
            best = fit;
            bestError = error;
        }
    }
    return best;
}

float fitSignedScale(std::span<const float> x, int32_t depth) {
    const float extreme =
        *std::ranges::max_element(x, [](float a, float b) { return std::abs(a) < std::abs(b); });
    if (!(std::abs(extreme) > 0)) return 0;
    float best = 0;
    float bestScore = 0;
    constexpr int32_t kTries = 9;  // to either side
    for (int32_t t = -kTries; t <= kTries; ++t) {
        const float inverse = -(static_cast<float>(depth) + 0.1F * static_cast<float>(t)) / extreme;
        float products = 0;
        float squares = 0;
        for (const float value : x) {
            const auto level = static_cast<float>(nearestLevel(inverse * value, -depth, depth - 1));
            products += value * value * value * level;
            squares += value * value * level * level;
        }
        // The error left by the best scale is a constant minus this.
        if (squares > 0 && products * products > bestScore * squares) {
            best = products / squares;
            bestScore = products * best;
        }
    }
    return best;
}

}  // namespace ingle::quant
