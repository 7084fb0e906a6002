// Q3_K: 0: 32 bytes of third bits, 32: 64 bytes of bit pairs, 96: 12 bytes of 6-bit scales, 108: f16 d.
// Sixteen groups of 16 values: value = d * (scale - 32) * (pair, less 4 where the third bit is clear).
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant {
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

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat q3_k_format;
const QuantFormat q3_k_format{.id = {11},
                              .name = "Q3_K",
                              .blockElems = kElems,
                              .blockBytes = kBytes,
                              .maxRelRmse = 0,
                              .encodeRow = nullptr,
                              .decodeRow = decodeRow};

}  // namespace ingle::quant
