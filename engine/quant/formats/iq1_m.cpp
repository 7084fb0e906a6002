// IQ1_M: 0: 32 low bytes of grid indices, 32: 16 bytes of nibbles: 3 upper bits of an index and the sign of
// the shift, 48: four u16: 4 times a 3-bit scale, and on top a nibble of the f16 d. Sixteen groups of 16
// values: value = d * (2 * scale + 1) * (grid value +- 0.125).
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grid_block.h"
#include "engine/quant/grids/iq1_s.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 56;

float blockScale(const std::byte* block) {
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) bits |= static_cast<uint32_t>(u16At(block + 48 + 2 * i) >> 12) << (4 * i);
    return base::f16ToF32(static_cast<uint16_t>(bits));
}

void decodeBlock(const std::byte* block, float* y) {
    const float d = blockScale(block);
    for (size_t i = 0; i < 32; ++i) {
        const uint32_t scale = u16At(block + 48 + i / 8 * 2) >> (i % 8 / 2 * 3) & 7;
        const float step = d * static_cast<float>(2 * scale + 1);
        const uint32_t high = nibbleAt(block + 32, i);
        const float shift = (high & 8) != 0 ? -0.125F : 0.125F;
        decodeShiftedGrid(kIq1SGrid[byteAt(block + i) | (high & 7) << 8], shift, step, y + 8 * i);
    }
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat iq1_m_format;
const QuantFormat iq1_m_format{.id = {29},
                               .name = "IQ1_M",
                               .blockElems = kElems,
                               .blockBytes = kBytes,
                               .maxRelRmse = 0,
                               .encodeRow = nullptr,
                               .decodeRow = decodeRow};

}  // namespace ingle::quant
