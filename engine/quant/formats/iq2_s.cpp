// IQ2_S: 0: f16 d, 2: 32 low bytes of grid indices, 34: 32 bytes of signs, 66: 8 bytes of the indices' upper
// bit pairs, 74: 8 bytes of 4-bit scales. Sixteen groups of 16 values: value = d * (0.5 + scale) * 0.25 *
// grid value, with its sign.
#include "engine/quant/grids/iq2_s.h"
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grid_block.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 82;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t i = 0; i < 32; ++i) {
        const uint32_t high = byteAt(block + 66 + i / 4) >> (i % 4 * 2) & 3;
        const float step = d * (0.5F + static_cast<float>(nibbleAt(block + 74, i / 2))) * 0.25F;
        decodeGrid(kIq2SGrid[byteAt(block + 2 + i) | high << 8], byteAt(block + 34 + i), step, y + 8 * i);
    }
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat iq2_s_format;
const QuantFormat iq2_s_format{.id = {22},
                               .name = "IQ2_S",
                               .blockElems = kElems,
                               .blockBytes = kBytes,
                               .maxRelRmse = 0,
                               .encodeRow = nullptr,
                               .decodeRow = decodeRow};

}  // namespace ingle::quant
