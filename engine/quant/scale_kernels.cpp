#include "engine/quant/scale_kernels.h"

// The compiler's vector types: one source for every instruction set. Lanes are scales that are tried beside
// each other, and each adds up its values in their order: so all instruction sets give the same bits.

namespace ingle::quant {
namespace {

using Lanes = float __attribute__((vector_size(64)));
constexpr int kLloydTurns = 1;

#define INGLE_INLINE [[gnu::always_inline]] inline

INGLE_INLINE Lanes allLanes(float value) {
    return Lanes{} + value;
}

/// NaN becomes `low`.
INGLE_INLINE Lanes clampLanes(const Lanes& value, float low, float high) {
    const Lanes v = value > low ? value : allLanes(low);
    return v < high ? v : allLanes(high);
}

/// To the nearest whole number, ties to even. |v| < 2^22.
INGLE_INLINE Lanes roundLanes(const Lanes& v) {
    // At 1.5 * 2^23 a float's last bit is worth 1: the addition rounds.
    constexpr float kShift = 12582912.0F;
    return v + kShift - kShift;
}

/// 1 / v, and 0 for 0.
INGLE_INLINE Lanes inverseOf(const Lanes& v) {
    return v != 0 ? 1 / v : Lanes{};
}

/// Lanes `kHalf` apart change places.
template <int kHalf, typename Vector>
INGLE_INLINE Vector swapped(const Vector& v) {
    return __builtin_shufflevector(v, v, 0 ^ kHalf, 1 ^ kHalf, 2 ^ kHalf, 3 ^ kHalf, 4 ^ kHalf, 5 ^ kHalf,
                                   6 ^ kHalf, 7 ^ kHalf, 8 ^ kHalf, 9 ^ kHalf, 10 ^ kHalf, 11 ^ kHalf,
                                   12 ^ kHalf, 13 ^ kHalf, 14 ^ kHalf, 15 ^ kHalf);
}

/// The lane with the largest value.
INGLE_INLINE size_t bestLane(const Lanes& v) {
    using Places = int32_t __attribute__((vector_size(64)));
    Lanes most = v;
    Places place{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const auto compare = [&](const Lanes& other, const Places& otherPlace) __attribute__((always_inline)) {
        const auto better = other > most;
        most = better ? other : most;
        place = better ? otherPlace : place;
    };
    compare(swapped<8>(most), swapped<8>(place));
    compare(swapped<4>(most), swapped<4>(place));
    compare(swapped<2>(most), swapped<2>(place));
    compare(swapped<1>(most), swapped<1>(place));
    return static_cast<size_t>(place[0]);
}

/// -8 … 7
constexpr Lanes kSteps{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};

INGLE_INLINE float magnitude(float v) {
    return v < 0 ? -v : v;
}

INGLE_INLINE float rootOf(float v) {
    return __builtin_sqrtf(v);
}

struct WholeLevels {
    float low;
    float high;

    INGLE_INLINE Lanes nearest(const Lanes& v) const { return roundLanes(clampLanes(v, low, high)); }
};

struct TableLevels {
    const float* values;
    uint32_t count;

    INGLE_INLINE Lanes nearest(const Lanes& v) const {
        Lanes best = allLanes(values[0]);
        for (uint32_t i = 1; i < count; ++i)
            best = v > (values[i - 1] + values[i]) * 0.5F ? allLanes(values[i]) : best;
        return best;
    }
};

/// Calls `work` with levels of their own type, so that the loops are compiled for it.
template <typename Work>
INGLE_INLINE auto withLevels(const LevelSet& levels, Work work) {
    if (levels.table != nullptr) return work(TableLevels{levels.table, levels.count});
    return work(WholeLevels{levels.low, levels.high});
}

/// Of value = scale * level.
struct ScaleSums {
    Lanes wxl{};
    Lanes wll{};

    /// The best scale for these levels; 0 where all of them are 0.
    INGLE_INLINE Lanes scale() const { return wll > 0 ? wxl / wll : Lanes{}; }
    /// By how much the error is smaller with that scale than with 0.
    INGLE_INLINE Lanes gain() const { return wxl * scale(); }
};

/// Levels are those nearest to x * inverse.
template <typename Levels>
INGLE_INLINE ScaleSums sumsOfScales(const ScaleGroup& group, const Levels& levels, const Lanes& inverse) {
    ScaleSums sums;
    for (size_t i = 0; i < group.count; ++i) {
        const float x = group.x[i];
        const float wx = group.w[i] * x;
        const Lanes level = levels.nearest(x * inverse);
        sums.wxl += wx * level;
        sums.wll += group.w[i] * level * level;
    }
    return sums;
}

float fitScale(const ScaleGroup& group, const LevelSet& set) noexcept {
    float extreme = 0;
    for (size_t i = 0; i < group.count; ++i)
        if (magnitude(group.x[i]) > magnitude(extreme)) extreme = group.x[i];
    if (!(magnitude(extreme) > 0)) return 0;
    return withLevels(set, [&](const auto& levels) {
        float best = 0;
        float bestGain = 0;
        const Lanes steps = kSteps * (0.015F * (set.high - set.low));
        // The extreme lies near either end of the levels.
        const float ends[] = {set.low, set.high};
        for (const float end : ends) {
            ScaleSums sums = sumsOfScales(group, levels, (end + steps) / extreme);
            for (int turn = 0; turn < kLloydTurns; ++turn)
                sums = sumsOfScales(group, levels, inverseOf(sums.scale()));
            const Lanes gains = sums.gain();
            const size_t lane = bestLane(gains);
            if (!(gains[lane] > bestGain)) continue;
            best = sums.scale()[lane];
            bestGain = gains[lane];
        }
        return best;
    });
}

/// Of value = scale * level - min.
struct LineSums {
    Lanes wl{};
    Lanes wll{};
    Lanes wxl{};
};

/// Levels are 0 … top, those nearest to (x + min) * inverse.
INGLE_INLINE LineSums sumsOfLines(const ScaleGroup& group, const Lanes& min, const Lanes& inverse,
                                  float top) {
    LineSums sums;
    for (size_t i = 0; i < group.count; ++i) {
        const float x = group.x[i];
        const Lanes level = roundLanes(clampLanes((x + min) * inverse, 0, top));
        const Lanes weighted = group.w[i] * level;
        sums.wl += weighted;
        sums.wll += weighted * level;
        sums.wxl += weighted * x;
    }
    return sums;
}

ScaleAndOffset fitLine(const ScaleGroup& group, float top, Offset offset) noexcept {
    float least = offset == Offset::Any ? group.x[0] : 0;
    float most = least;
    float w = 0;
    float wx = 0;
    for (size_t i = 0; i < group.count; ++i) {
        least = group.x[i] < least ? group.x[i] : least;
        most = group.x[i] > most ? group.x[i] : most;
        w += group.w[i];
        wx += group.w[i] * group.x[i];
    }
    const float range = most - least;
    if (!(range > 0)) return {0, -least};
    ScaleAndOffset best{range / top, -least};
    float bestGain = -__builtin_inff();
    // The range is cut, or widened, at its upper end or at both.
    const Lanes cut = (kSteps + 3) * (0.04F * rootOf(top + 1) / top * range);
    constexpr float kLowerShares[] = {0, 0.5F};
    for (const float lower : kLowerShares) {
        Lanes min = -(least + cut * lower);
        Lanes inverse = top / (range - cut);
        for (int turn = 0; turn <= kLloydTurns; ++turn) {
            const LineSums sums = sumsOfLines(group, min, inverse, top);
            const Lanes determinant = w * sums.wll - sums.wl * sums.wl;
            Lanes scale = (w * sums.wxl - wx * sums.wl) / determinant;
            min = (sums.wl * sums.wxl - sums.wll * wx) / determinant;
            if (offset == Offset::NeverNegative) {
                scale = min >= 0 ? scale : sums.wxl / sums.wll;
                min = min >= 0 ? min : Lanes{};
            }
            inverse = 1 / scale;
            if (turn < kLloydTurns) continue;
            Lanes gain = 2 * (scale * sums.wxl - min * wx) -
                         (scale * scale * sums.wll - 2 * scale * min * sums.wl + min * min * w);
            gain = determinant > 0 && scale > 0 ? gain : allLanes(-1);
            const size_t lane = bestLane(gain);
            if (!(gain[lane] > bestGain && scale[lane] > 0)) continue;
            best = {scale[lane], min[lane]};
            bestGain = gain[lane];
        }
    }
    return best;
}

template <typename Levels>
INGLE_INLINE Lanes errorsOf(const ScaleGroup& group, const Levels& levels, const Lanes& scale) {
    const Lanes inverse = inverseOf(scale);
    Lanes error{};
    for (size_t i = 0; i < group.count; ++i) {
        const float x = group.x[i];
        const Lanes difference = levels.nearest(x * inverse) * scale - x;
        error += group.w[i] * difference * difference;
    }
    return error;
}

void errorsOfScales(const ScaleGroup& group, const LevelSet& set, const float* scales,
                    float* errors) noexcept {
    Lanes scale;
    __builtin_memcpy(&scale, scales, sizeof scale);
    withLevels(set, [&](const auto& levels) {
        const Lanes error = errorsOf(group, levels, scale);
        __builtin_memcpy(errors, &error, sizeof error);
    });
}

WholeScale improveScale(const ScaleGroup& group, const LevelSet& set, float d, int32_t scale, int32_t low,
                        int32_t high) noexcept {
    const Lanes near =
        clampLanes(static_cast<float>(scale) + kSteps, static_cast<float>(low), static_cast<float>(high));
    return withLevels(set, [&](const auto& levels) {
        const Lanes errors = errorsOf(group, levels, d * near);
        const size_t lane = bestLane(-errors);
        const float best = near[lane];
        const ScaleSums sums = sumsOfScales(group, levels, inverseOf(allLanes(d * best)));
        return WholeScale{static_cast<int32_t>(best), errors[lane], best * best * sums.wll[0],
                          best * sums.wxl[0]};
    });
}

WholeLine improveLine(const ScaleGroup& group, float top, const ScaleAndOffset& unit, int32_t scale,
                      int32_t min, int32_t most) noexcept {
    // 3 scales by 5 mins.
    constexpr Lanes kScaleSteps{-1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0};
    constexpr Lanes kMinSteps{-2, -1, 0, 1, 2, -2, -1, 0, 1, 2, -2, -1, 0, 1, 2, 0};
    const auto highest = static_cast<float>(most);
    const Lanes scales = clampLanes(static_cast<float>(scale) + kScaleSteps, 0, highest);
    const Lanes mins = clampLanes(static_cast<float>(min) + kMinSteps, 0, highest);
    const Lanes steps = unit.scale * scales;
    const Lanes lows = unit.min * mins;
    float w = 0;
    float wx = 0;
    float wxx = 0;
    for (size_t i = 0; i < group.count; ++i) {
        w += group.w[i];
        wx += group.w[i] * group.x[i];
        wxx += group.w[i] * group.x[i] * group.x[i];
    }
    const LineSums sums = sumsOfLines(group, lows, inverseOf(steps), top);
    const Lanes errors = wxx - 2 * (steps * sums.wxl - lows * wx) + steps * steps * sums.wll -
                         2 * steps * lows * sums.wl + lows * lows * w;
    const size_t lane = bestLane(-errors);
    const float a = scales[lane];
    const float b = mins[lane];
    return {static_cast<int32_t>(a),
            static_cast<int32_t>(b),
            errors[lane],
            a * a * sums.wll[lane],
            a * b * sums.wl[lane],
            b * b * w,
            a * sums.wxl[lane],
            b * wx};
}

}  // namespace

#ifndef INGLE_SCALE_KERNELS
#define INGLE_SCALE_KERNELS baselineScaleKernels
#endif
extern const ScaleKernels INGLE_SCALE_KERNELS;
const ScaleKernels INGLE_SCALE_KERNELS{fitScale, fitLine, improveScale, improveLine, errorsOfScales};

}  // namespace ingle::quant
