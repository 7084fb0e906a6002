// IQ1_S: 0: f16 d, 2: 32 low bytes of grid indices, 34: eight u16: 4 times 3 upper bits of the indices, a
// 3-bit scale, and the sign of the shift. Eight groups of 32 values: value = d * (2 * scale + 1) * (grid
// value +- 0.125).
#include "engine/quant/grids/iq1_s.h"
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grid_block.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 50;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t i = 0; i < 32; ++i) {
        const uint32_t group = u16At(block + 34 + i / 4 * 2);
        const uint32_t high = group >> (i % 4 * 3) & 7;
        const float step = d * static_cast<float>(2 * (group >> 12 & 7) + 1);
        const float shift = (group & 0x8000) != 0 ? -0.125F : 0.125F;
        decodeShiftedGrid(kIq1SGrid[byteAt(block + 2 + i) | high << 8], shift, step, y + 8 * i);
    }
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat iq1_s_format;
const QuantFormat iq1_s_format{.id = {19},
                               .name = "IQ1_S",
                               .blockElems = kElems,
                               .blockBytes = kBytes,
                               .maxRelRmse = 0,
                               .encodeRow = nullptr,
                               .decodeRow = decodeRow};

}  // namespace ingle::quant
