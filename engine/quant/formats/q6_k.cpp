// Q6_K: 0: 128 bytes of low nibbles, 128: 64 bytes of upper bit pairs, 192: 16 signed scales, 208: f16 d.
// Sixteen groups of 16 values: value = d * scale * (six bits - 32).
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/k_block.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant::q6_k_format {
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

void encodeBlock(const float* x, const float* w, std::byte* block) {
    const auto scales = encodeScales<16>(x, w, {-32, 31}, -128);
    storeHalf(block + 208, scales.d);
    std::fill_n(block, 192, std::byte{0});
    for (size_t k = 0; k < 16; ++k) {
        block[192 + k] = static_cast<std::byte>(scales.scales[k]);
        std::array<int8_t, 16> levels;
        roundTo({x + 16 * k, 16}, {scales.step(k), 0}, -32, 31, levels.data());
        for (size_t l = 0; l < 16; ++l)
            addSixBitsOf256(block, 16 * k + l, static_cast<uint32_t>(levels[l] + 32));
    }
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kQ6_K,
                                .name = "Q6_K",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.02,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant::q6_k_format
