// IQ3_S: 0: f16 d, 2: 64 low bytes of grid indices, 66: 8 bytes of their ninth bits, 74: 32 bytes of signs,
// 106: 4 bytes of 4-bit scales. Eight groups of 32 values: value = d * (1 + 2 * scale) * grid value, with its
// sign.
#include "engine/quant/grids/iq3_s.h"
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grid_block.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 110;

uint32_t gridEntry(const std::byte* block, size_t i) {
    const uint32_t ninthBit = byteAt(block + 66 + i / 8) >> (i % 8) & 1;
    return kIq3SGrid[byteAt(block + 2 + i) | ninthBit << 8];
}

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t i = 0; i < 32; ++i) {
        const float step = d * static_cast<float>(1 + 2 * nibbleAt(block + 106, i / 4));
        const uint64_t values = joinGrid(gridEntry(block, 2 * i), gridEntry(block, 2 * i + 1));
        decodeGrid(values, byteAt(block + 74 + i), step, y + 8 * i);
    }
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat iq3_s_format;
const QuantFormat iq3_s_format{.id = {21},
                               .name = "IQ3_S",
                               .blockElems = kElems,
                               .blockBytes = kBytes,
                               .maxRelRmse = 0,
                               .encodeRow = nullptr,
                               .decodeRow = decodeRow};

}  // namespace ingle::quant
