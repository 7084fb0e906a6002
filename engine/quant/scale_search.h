/// Search for the scales of block formats whose groups of values share one: what their encoders have in
/// common. Rounding every value to the nearest step of the obvious scale is not best: scales near it are
/// tried, and the best straight-line fit through each rounding is kept, as the reference coders of
/// ggml-quants.c do; then levels and fit are improved in turns (S. Lloyd, "Least squares quantization in
/// PCM", 1982), which they do not.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "engine/quant/block.h"
#include "engine/quant/scale_kernels.h"

namespace ingle::quant {

/// For this processor.
const ScaleKernels& scaleKernels();

/// The integer nearest to `value` (ties to even) within [low, high]; NaN gives `low`. |low|, |high| < 2^22.
inline int32_t nearestLevel(float value, int32_t low, int32_t high) {
    const auto lowest = static_cast<float>(low);
    const auto highest = static_cast<float>(high);
    const float clamped = value > lowest ? (value < highest ? value : highest) : lowest;
    // At 1.5 * 2^23 a float's last bit is worth 1: the addition rounds.
    constexpr float kShift = 12582912.0F;
    return static_cast<int32_t>(clamped + kShift - kShift);
}

template <size_t kCount>
constexpr LevelSet levelsOf(const float (&table)[kCount]) {
    return {table[0], table[kCount - 1], table, kCount};
}

/// The place of the level nearest to `value`; NaN gives 0. `levels` rise.
template <size_t kCount>
uint8_t nearestIndex(const float (&levels)[kCount], float value) {
    uint8_t index = 0;
    for (size_t i = 1; i < kCount; ++i)
        index = static_cast<uint8_t>(index + (value > (levels[i - 1] + levels[i]) * 0.5F ? 1 : 0));
    return index;
}

/// With what is left of both in halves.
inline ScaleAndOffset storedLine(const ScaleAndOffset& fit) {
    return {storedHalf(fit.scale), storedHalf(fit.min)};
}

/// Writes round((x + min) / scale) as levels low … high; 0 for a scale of 0.
inline void roundTo(std::span<const float> x, const ScaleAndOffset& fit, int32_t low, int32_t high,
                    int8_t* levels) {
    const float inverse = fit.scale != 0 ? 1 / fit.scale : 0;
    for (size_t i = 0; i < x.size(); ++i)
        levels[i] = static_cast<int8_t>(nearestLevel((x[i] + fit.min) * inverse, low, high));
}

}  // namespace ingle::quant
