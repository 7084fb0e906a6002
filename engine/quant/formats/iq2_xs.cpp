// IQ2_XS: 0: f16 d, 2: 32 u16, each a grid index of 9 bits and a sign pattern of 7, 66: 8 bytes of 4-bit
// scales. Sixteen groups of 16 values: value = d * (0.5 + scale) * 0.25 * grid value, with its sign.
#include "engine/quant/grids/iq2_xs.h"
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grid_block.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 74;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t i = 0; i < 32; ++i) {
        const uint32_t q = u16At(block + 2 + 2 * i);
        const float step = d * (0.5F + static_cast<float>(nibbleAt(block + 66, i / 2))) * 0.25F;
        decodeGrid(kIq2XsGrid[q & 511], signsOf7Bits(q >> 9), step, y + 8 * i);
    }
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat iq2_xs_format;
const QuantFormat iq2_xs_format{.id = {17},
                                .name = "IQ2_XS",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0,
                                .encodeRow = nullptr,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant
