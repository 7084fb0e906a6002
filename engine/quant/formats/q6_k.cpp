// Q6_K: 0: 128 bytes of low nibbles, 128: 64 bytes of upper bit pairs, 192: 16 signed scales, 208: f16 d.
// Sixteen groups of 16 values: value = d * scale * (six bits - 32).
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 210;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block + 208);
    for (size_t e = 0; e < kElems; ++e) {
        const float step = d * static_cast<float>(signedByteAt(block + 192 + e / 16));
        y[e] = step * static_cast<float>(static_cast<int32_t>(sixBitsOf256(block, e)) - 32);
    }
}

void encodeBlock(const float* x, std::byte* block) {
    constexpr size_t kGroups = 16;
    constexpr size_t kGroupElems = 16;
    constexpr int32_t kDepth = 32;
    std::array<float, kGroups> scales;
    for (size_t k = 0; k < kGroups; ++k)
        scales[k] = fitSignedScale({x + k * kGroupElems, kGroupElems}, kDepth);
    // The group scale of largest magnitude becomes -128, the end of the range that reaches one step further.
    const float extreme =
        *std::ranges::max_element(scales, [](float a, float b) { return std::abs(a) < std::abs(b); });
    storeHalf(block + 208, extreme / -128);
    const float inverse = std::abs(extreme) > 0 ? -128 / extreme : 0;
    std::fill_n(block, 192, std::byte{0});
    for (size_t k = 0; k < kGroups; ++k) {
        const int32_t scale = nearestLevel(inverse * scales[k], -128, 127);
        block[192 + k] = static_cast<std::byte>(scale);
        const float step = halfAt(block + 208) * static_cast<float>(scale);
        for (size_t e = k * kGroupElems; e < (k + 1) * kGroupElems; ++e) {
            const float level = step != 0 ? x[e] / step : 0;
            const auto six = static_cast<uint32_t>(nearestLevel(level, -kDepth, kDepth - 1) + kDepth);
            const size_t half = e / 128;
            const size_t quarter = e % 128 / 32;
            const size_t l = e % 32;
            block[64 * half + 32 * (quarter & 1) + l] |=
                static_cast<std::byte>((six & 15) << (quarter < 2 ? 0 : 4));
            block[128 + 32 * half + l] |= static_cast<std::byte>(six >> 4 << (2 * quarter));
        }
    }
}

void encodeRow(std::span<const float> x, std::byte* out) {
    encodeBlocks<kElems, kBytes>(x, out, encodeBlock);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat q6_k_format;
const QuantFormat q6_k_format{.id = {14},
                              .name = "Q6_K",
                              .blockElems = kElems,
                              .blockBytes = kBytes,
                              .maxRelRmse = 0.02,
                              .encodeRow = encodeRow,
                              .decodeRow = decodeRow};

}  // namespace ingle::quant
