/// How blocks of 256 values are encoded whose groups have small whole scales of a common one: all of ggml's
/// K types and IQ4_XS. The scales of the groups and the common one are improved in turns.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/quant/block.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant {

inline constexpr size_t kSuperElems = 256;
inline constexpr int kScaleTurns = 2;

/// value = d * scales[group] * level - dmin * mins[group], each with level 0 … top.
template <size_t kGroups>
struct LineBlock {
    float d = 0;
    float dmin = 0;
    std::array<int32_t, kGroups> scales{};
    std::array<int32_t, kGroups> mins{};
    std::array<int8_t, kSuperElems> levels{};
};

/// Scales and mins are 0 … topScale.
template <size_t kGroups>
LineBlock<kGroups> encodeLines(const float* x, const float* w, int32_t top, int32_t topScale) {
    constexpr size_t kCount = kSuperElems / kGroups;
    const ScaleKernels& kernels = scaleKernels();
    const auto topLevel = static_cast<float>(top);
    const auto groupAt = [x, w](size_t k) { return ScaleGroup{x + k * kCount, w + k * kCount, kCount}; };
    std::array<ScaleAndOffset, kGroups> fits;
    ScaleAndOffset largest;
    for (size_t k = 0; k < kGroups; ++k) {
        fits[k] = kernels.fitLine(groupAt(k), topLevel, Offset::NeverNegative);
        largest = {std::max(largest.scale, fits[k].scale), std::max(largest.min, fits[k].min)};
    }
    LineBlock<kGroups> block;
    block.d = storedHalf(largest.scale / static_cast<float>(topScale));
    block.dmin = storedHalf(largest.min / static_cast<float>(topScale));
    for (size_t k = 0; k < kGroups; ++k) {
        block.scales[k] = nearestLevel(block.d > 0 ? fits[k].scale / block.d : 0, 0, topScale);
        block.mins[k] = nearestLevel(block.dmin > 0 ? fits[k].min / block.dmin : 0, 0, topScale);
    }
    LineBlock<kGroups> best = block;
    float bestError = 0;
    for (int turn = 0; turn < kScaleTurns; ++turn) {
        WholeLine sum{};
        for (size_t k = 0; k < kGroups; ++k) {
            const WholeLine line = kernels.improveLine(groupAt(k), topLevel, {block.d, block.dmin},
                                                       block.scales[k], block.mins[k], topScale);
            block.scales[k] = line.scale;
            block.mins[k] = line.min;
            sum.error += line.error;
            sum.dd += line.dd;
            sum.dm += line.dm;
            sum.mm += line.mm;
            sum.xd += line.xd;
            sum.xm += line.xm;
        }
        if (turn == 0 || sum.error < bestError) {
            best = block;
            bestError = sum.error;
        }
        // d and dmin: least squares over all groups.
        const float determinant = sum.dd * sum.mm - sum.dm * sum.dm;
        if (determinant > 0) {
            block.d = storedHalf((sum.xd * sum.mm - sum.xm * sum.dm) / determinant);
            block.dmin = storedHalf((sum.xd * sum.dm - sum.xm * sum.dd) / determinant);
        } else if (sum.dd > 0) {
            block.d = storedHalf(sum.xd / sum.dd);
        }
        if (!(block.d >= 0 && block.dmin >= 0)) break;
    }
    for (size_t k = 0; k < kGroups; ++k) {
        const ScaleAndOffset fit{best.d * static_cast<float>(best.scales[k]),
                                 best.dmin * static_cast<float>(best.mins[k])};
        roundTo({x + k * kCount, kCount}, fit, 0, top, best.levels.data() + k * kCount);
    }
    return best;
}

/// The head of Q4_K and Q5_K: d, dmin and the packed scales and mins.
inline void storeLines(const LineBlock<8>& lines, std::byte* block) {
    storeHalf(block, lines.d);
    storeHalf(block + 2, lines.dmin);
    std::fill_n(block + 4, 12, std::byte{0});
    for (size_t k = 0; k < 8; ++k)
        storeScaleAndMin(block + 4, k,
                         {static_cast<uint32_t>(lines.scales[k]), static_cast<uint32_t>(lines.mins[k])});
}

/// value = d * scales[group] * level
template <size_t kGroups>
struct ScaleBlock {
    float d = 0;
    std::array<int32_t, kGroups> scales{};

    float step(size_t group) const { return d * static_cast<float>(scales[group]); }
};

/// Scales are lowScale … -lowScale - 1.
template <size_t kGroups>
ScaleBlock<kGroups> encodeScales(const float* x, const float* w, const LevelSet& levels, int32_t lowScale) {
    constexpr size_t kCount = kSuperElems / kGroups;
    const int32_t topScale = -lowScale - 1;
    const ScaleKernels& kernels = scaleKernels();
    const auto groupAt = [x, w](size_t k) { return ScaleGroup{x + k * kCount, w + k * kCount, kCount}; };
    std::array<float, kGroups> fits;
    float extreme = 0;
    for (size_t k = 0; k < kGroups; ++k) {
        fits[k] = kernels.fitScale(groupAt(k), levels);
        if (std::abs(fits[k]) > std::abs(extreme)) extreme = fits[k];
    }
    // The group scale of largest magnitude becomes the end of the range that reaches one step further.
    ScaleBlock<kGroups> block;
    block.d = storedHalf(extreme / static_cast<float>(lowScale));
    for (size_t k = 0; k < kGroups; ++k)
        block.scales[k] = nearestLevel(block.d != 0 ? fits[k] / block.d : 0, lowScale, topScale);
    ScaleBlock<kGroups> best = block;
    float bestError = 0;
    for (int turn = 0; turn < kScaleTurns; ++turn) {
        WholeScale sum{};
        for (size_t k = 0; k < kGroups; ++k) {
            const WholeScale found =
                kernels.improveScale(groupAt(k), levels, block.d, block.scales[k], lowScale, topScale);
            block.scales[k] = found.scale;
            sum.error += found.error;
            sum.dd += found.dd;
            sum.xd += found.xd;
        }
        if (turn == 0 || sum.error < bestError) {
            best = block;
            bestError = sum.error;
        }
        if (!(sum.dd > 0)) break;
        block.d = storedHalf(sum.xd / sum.dd);
    }
    return best;
}

}  // namespace ingle::quant
