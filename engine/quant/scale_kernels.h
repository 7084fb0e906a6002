/// The inner loops of scale_search.h. Plain data only: scale_kernels.cpp is compiled once for each
/// instruction set and includes nothing else, so that no inline function compiled for AVX can be the copy the
/// linker keeps for every processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ingle::quant {

/// Levels in rising order: those of the table, or, without one, the whole numbers low … high.
struct LevelSet {
    float low;
    float high;
    const float* table = nullptr;
    uint32_t count = 0;  ///< of the table
};

/// value = scale * level - min
struct ScaleAndOffset {
    float scale = 0;
    float min = 0;
};

enum class Offset : uint8_t { NeverNegative, Any };

/// The values that share a scale. What is made small is the sum of w * error².
struct ScaleGroup {
    const float* x;
    const float* w;
    size_t count;
};

/// A group's whole scale and what it adds to the sums for d, of value = d * (scale * level).
struct WholeScale {
    int32_t scale;
    float error;
    float dd, xd;
};

/// The same with a min, of value = d * (scale * level) - dmin * min.
struct WholeLine {
    int32_t scale;
    int32_t min;
    float error;
    float dd, dm, mm, xd, xm;
};

/// All give the same bits for every instruction set.
struct ScaleKernels {
    /// The scale of value = scale * level; negative where that fits better.
    float (*fitScale)(const ScaleGroup& group, const LevelSet& levels) noexcept;
    /// The line for levels 0 … top.
    ScaleAndOffset (*fitLine)(const ScaleGroup& group, float top, Offset offset) noexcept;
    /// The best of the whole scales around `scale`, within low … high.
    WholeScale (*improveScale)(const ScaleGroup& group, const LevelSet& levels, float d, int32_t scale,
                               int32_t low, int32_t high) noexcept;
    /// The best of the whole scales and mins around these, within 0 … most, for levels 0 … top.
    WholeLine (*improveLine)(const ScaleGroup& group, float top, const ScaleAndOffset& unit, int32_t scale,
                             int32_t min, int32_t most) noexcept;
    /// The error of value = scale * level for 16 scales.
    void (*errorsOfScales)(const ScaleGroup& group, const LevelSet& levels, const float* scales,
                           float* errors) noexcept;
};

}  // namespace ingle::quant
