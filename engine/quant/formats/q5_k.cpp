// Q5_K: 0: f16 d, 2: f16 dmin, 4: 12 bytes of 6-bit scales and mins, 16: 32 bytes of fifth bits, 48: 128
// bytes of nibbles. Eight groups of 32 values: value = d * scale * (five bits) - dmin * min.
#include <algorithm>
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/k_block.h"

namespace ingle::quant::q5_k_format {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 176;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    const float dmin = halfAt(block + 2);
    for (size_t k = 0; k < 8; ++k) {
        const auto [scale, min] = scaleAndMin(block + 4, k);
        const float step = d * static_cast<float>(scale);
        const float low = dmin * static_cast<float>(min);
        for (size_t e = k * 32; e < (k + 1) * 32; ++e) {
            const uint32_t fifthBit = byteAt(block + 16 + e % 32) >> k & 1;
            y[e] = step * static_cast<float>(nibbleOf256(block + 48, e) | fifthBit << 4) - low;
        }
    }
}

void encodeBlock(const float* x, const float* w, std::byte* block) {
    const LineBlock<8> lines = encodeLines<8>(x, w, 31, 63);
    storeLines(lines, block);
    std::fill_n(block + 16, 160, std::byte{0});
    for (size_t e = 0; e < kElems; ++e) {
        const auto level = static_cast<uint32_t>(lines.levels[e]);
        addNibbleOf256(block + 48, e, level & 15);
        block[16 + e % 32] |= static_cast<std::byte>(level >> 4 << (e / 32));
    }
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kQ5_K,
                                .name = "Q5_K",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.04,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant::q5_k_format
