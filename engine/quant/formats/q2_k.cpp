// Q2_K: 0: 16 bytes, each a scale in the low nibble and a min in the high one, 16: 64 bytes of bit pairs,
// 80: f16 d, 82: f16 dmin. Sixteen groups of 16 values: value = d * scale * pair - dmin * min.
#include <algorithm>
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/k_block.h"

namespace ingle::quant::q2_k_format {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 84;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block + 80);
    const float dmin = halfAt(block + 82);
    for (size_t k = 0; k < 16; ++k) {
        const uint32_t scales = byteAt(block + k);
        const float step = d * static_cast<float>(scales & 15);
        const float low = dmin * static_cast<float>(scales >> 4);
        for (size_t l = 0; l < 16; ++l)
            y[16 * k + l] = step * static_cast<float>(bitPairOf256(block + 16, 16 * k + l)) - low;
    }
}

void encodeBlock(const float* x, const float* w, std::byte* block) {
    const LineBlock<16> lines = encodeLines<16>(x, w, 3, 15);
    storeHalf(block + 80, lines.d);
    storeHalf(block + 82, lines.dmin);
    for (size_t k = 0; k < 16; ++k) block[k] = static_cast<std::byte>(lines.scales[k] | lines.mins[k] << 4);
    std::fill_n(block + 16, 64, std::byte{0});
    for (size_t e = 0; e < kElems; ++e)
        addBitPairOf256(block + 16, e, static_cast<uint32_t>(lines.levels[e]));
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kQ2_K,
                                .name = "Q2_K",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.3,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow,
                                .productVersion = 2};

}  // namespace ingle::quant::q2_k_format
