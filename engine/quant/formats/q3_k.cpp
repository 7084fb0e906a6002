// Q3_K: 0: 32 bytes of third bits, 32: 64 bytes of bit pairs, 96: 12 bytes of 6-bit scales, 108: f16 d.
// Sixteen groups of 16 values: value = d * (scale - 32) * (pair, less 4 where the third bit is clear).
#include <algorithm>
#include <array>
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/k_block.h"

namespace ingle::quant::q3_k_format {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 110;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block + 108);
    for (size_t k = 0; k < 16; ++k) {
        const float step = d * static_cast<float>(scaleOfQ3K(block + 96, k));
        for (size_t e = 16 * k; e < 16 * (k + 1); ++e) {
            const bool thirdBit = (byteAt(block + e % 32) >> (e / 32) & 1) != 0;
            const auto pair = static_cast<int32_t>(bitPairOf256(block + 32, e));
            y[e] = step * static_cast<float>(thirdBit ? pair : pair - 4);
        }
    }
}

void encodeBlock(const float* x, const float* w, std::byte* block) {
    const auto scales = encodeScales<16>(x, w, {-4, 3}, -32);
    storeHalf(block + 108, scales.d);
    std::fill_n(block, 108, std::byte{0});
    for (size_t k = 0; k < 16; ++k) {
        addScaleOfQ3K(block + 96, k, scales.scales[k]);
        std::array<int8_t, 16> levels;
        roundTo({x + 16 * k, 16}, {scales.step(k), 0}, -4, 3, levels.data());
        for (size_t l = 0; l < 16; ++l) {
            const size_t e = 16 * k + l;
            const auto three = static_cast<uint32_t>(levels[l] + 4);
            addBitPairOf256(block + 32, e, three & 3);
            block[e % 32] |= static_cast<std::byte>(three >> 2 << (e / 32));
        }
    }
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kQ3_K,
                                .name = "Q3_K",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.17,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow,
                                .productVersion = 2};

}  // namespace ingle::quant::q3_k_format
