// IQ3_XXS: 0: f16 d, 2: 64 grid indices, 66: eight u32 of 4 sign patterns of 7 bits and a 4-bit scale on top.
// Eight groups of 32 values: value = d * (0.5 + scale) * 0.5 * grid value, with its sign.
#include "engine/quant/grids/iq3_xxs.h"
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grid_block.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 98;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t i = 0; i < 32; ++i) {
        const uint32_t signs = u32At(block + 66 + i / 4 * 4);
        const float step = d * (0.5F + static_cast<float>(signs >> 28)) * 0.5F;
        const uint64_t values =
            joinGrid(kIq3XxsGrid[byteAt(block + 2 + 2 * i)], kIq3XxsGrid[byteAt(block + 3 + 2 * i)]);
        decodeGrid(values, signsOf7Bits(signs >> (i % 4 * 7)), step, y + 8 * i);
    }
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat iq3_xxs_format;
const QuantFormat iq3_xxs_format{.id = {18},
                                 .name = "IQ3_XXS",
                                 .blockElems = kElems,
                                 .blockBytes = kBytes,
                                 .maxRelRmse = 0,
                                 .encodeRow = nullptr,
                                 .decodeRow = decodeRow};

}  // namespace ingle::quant
