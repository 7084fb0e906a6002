// MXFP4: 0: u8 E, 1: 16 bytes of nibbles; value = 2^(E - 128) * levels[nibble]. Source: Open Compute Project,
// "OCP Microscaling Formats (MX) Specification" 1.0 (2023), sections 5.3.3 and 5.4; ggml's levels are
// doubled.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grids/mxfp4.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant::mxfp4_format {
namespace {

constexpr size_t kElems = 32;
constexpr size_t kBytes = 17;

constexpr float kSortedLevels[15] = {-12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kBias = 128;

/// 2^(e - 128), also for 255, which the specification has for NaN: as ggml reads it.
float powerOf2(uint32_t e) {
    constexpr uint32_t kSubnormal = 0x00200000;  // 2^-128; 2^-127 is one bit further up
    return std::bit_cast<float>(e < 2 ? kSubnormal << e : (e - 1) << 23);
}

void decodeBlock(const std::byte* block, float* y) {
    const float scale = powerOf2(byteAt(block));
    for (size_t e = 0; e < kElems; ++e) y[e] = scale * kMxfp4Levels[nibbleOf32(block + 1, e)];
}

void encodeBlock(const float* x, const float* w, std::byte* block) {
    // The largest value lies at the largest level, or is cut; what fits best of the powers there.
    float largest = 0;
    for (size_t e = 0; e < kElems; ++e) largest = std::max(largest, std::abs(x[e]));
    const int exponent = largest > 0 && largest < kInfinity ? std::ilogb(largest) : -kBias;
    // From 2 on: what is smaller has no inverse.
    const auto stored = [exponent](size_t choice) {
        return static_cast<uint32_t>(std::clamp(exponent - 4 + static_cast<int>(choice % 4) + kBias, 2, 254));
    };
    std::array<float, 16> powers;
    std::array<float, 16> errors;
    for (size_t i = 0; i < powers.size(); ++i) powers[i] = powerOf2(stored(i));
    scaleKernels().errorsOfScales({x, w, kElems}, levelsOf(kSortedLevels), powers.data(), errors.data());
    const auto best = stored(static_cast<size_t>(std::ranges::min_element(errors) - errors.begin()));
    block[0] = static_cast<std::byte>(best);
    const float inverse = 1 / powerOf2(best);
    storeNibbles32(block + 1, [&](size_t e) {
        const uint8_t index = nearestIndex(kSortedLevels, x[e] * inverse);
        return static_cast<uint8_t>(index >= 7 ? index - 7 : 15 - index);
    });
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kMXFP4,
                                .name = "MXFP4",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.12,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow,
                                .productVersion = 2};

}  // namespace ingle::quant::mxfp4_format
