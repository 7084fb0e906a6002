// Q2_K: 0: 16 bytes, each a scale in the low nibble and a min in the high one, 16: 64 bytes of bit pairs,
// 80: f16 d, 82: f16 dmin. Sixteen groups of 16 values: value = d * scale * pair - dmin * min.
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant {
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

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat q2_k_format;
const QuantFormat q2_k_format{.id = {10},
                              .name = "Q2_K",
                              .blockElems = kElems,
                              .blockBytes = kBytes,
                              .maxRelRmse = 0,
                              .encodeRow = nullptr,
                              .decodeRow = decodeRow};

}  // namespace ingle::quant
