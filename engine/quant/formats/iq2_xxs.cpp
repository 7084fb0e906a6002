// IQ2_XXS: 0: f16 d, 2: eight groups of 8 bytes: 4 grid indices, then a u32 of 4 sign patterns of 7 bits and
// a 4-bit scale on top. Group of 32 values: value = d * (0.5 + scale) * 0.25 * grid value, with its sign.
#include "engine/quant/grids/iq2_xxs.h"
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grid_block.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 66;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t g = 0; g < 8; ++g) {
        const std::byte* group = block + 2 + 8 * g;
        const uint32_t signs = u32At(group + 4);
        const float step = d * (0.5F + static_cast<float>(signs >> 28)) * 0.25F;
        for (size_t l = 0; l < 4; ++l)
            decodeGrid(kIq2XxsGrid[byteAt(group + l)], signsOf7Bits(signs >> (7 * l)), step,
                       y + 32 * g + 8 * l);
    }
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat iq2_xxs_format;
const QuantFormat iq2_xxs_format{.id = {16},
                                 .name = "IQ2_XXS",
                                 .blockElems = kElems,
                                 .blockBytes = kBytes,
                                 .maxRelRmse = 0,
                                 .encodeRow = nullptr,
                                 .decodeRow = decodeRow};

}  // namespace ingle::quant
