/// How Q4_K and Q5_K choose their scales: eight groups of 32 values, each with a scale and a min of 6 bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/quant/block.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant {

/// Writes d, dmin and the packed scales and mins (bytes 0 to 15 of the block) and returns each value's level,
/// 0 … topLevel, rounded with the stored numbers.
inline std::array<uint8_t, 256> encodeScalesAndMins(const float* x, int32_t topLevel, const ScaleSteps& steps,
                                                    std::byte* block) {
    constexpr size_t kGroups = 8;
    constexpr size_t kGroupElems = 32;
    constexpr int32_t kTopScale = 63;
    std::array<ScaleAndOffset, kGroups> fits;
    float largestScale = 0;
    float largestMin = 0;
    for (size_t k = 0; k < kGroups; ++k) {
        const std::span<const float> group(x + k * kGroupElems, kGroupElems);
        std::array<float, kGroupElems> weights;
        magnitudeWeights(group, weights);
        fits[k] = fitScaleAndOffset(group, weights, topLevel, steps);
        largestScale = std::max(largestScale, fits[k].scale);
        largestMin = std::max(largestMin, fits[k].min);
    }
    storeHalf(block, largestScale / kTopScale);
    storeHalf(block + 2, largestMin / kTopScale);
    const auto share = [](float part, float largest) {
        const float scaled = largest > 0 ? part / largest * kTopScale : 0;
        return static_cast<uint32_t>(nearestLevel(scaled, 0, kTopScale));
    };
    std::fill_n(block + 4, 12, std::byte{0});
    std::array<uint8_t, 256> levels;
    for (size_t k = 0; k < kGroups; ++k) {
        const ScaleAndMin packed{share(fits[k].scale, largestScale), share(fits[k].min, largestMin)};
        storeScaleAndMin(block + 4, k, packed);
        const float step = halfAt(block) * static_cast<float>(packed.scale);
        const float low = halfAt(block + 2) * static_cast<float>(packed.min);
        for (size_t i = k * kGroupElems; i < (k + 1) * kGroupElems; ++i) {
            const float level = step > 0 ? (x[i] + low) / step : 0;
            levels[i] = static_cast<uint8_t>(nearestLevel(level, 0, topLevel));
        }
    }
    return levels;
}

}  // namespace ingle::quant
