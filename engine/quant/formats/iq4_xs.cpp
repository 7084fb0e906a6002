// IQ4_XS: 0: f16 d, 2: u16 upper bit pairs of the scales, 4: 4 bytes of their low nibbles, 8: 128 bytes of
// nibbles. Eight groups of 32 values: value = d * (scale - 32) * levels[nibble].
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grids/iq4.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 136;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t g = 0; g < 8; ++g) {
        const float step = d * static_cast<float>(scaleOfIq4Xs(block + 2, g));
        for (size_t l = 0; l < 32; ++l) y[32 * g + l] = step * kIq4Levels[nibbleOf32(block + 8 + 16 * g, l)];
    }
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat iq4_xs_format;
const QuantFormat iq4_xs_format{.id = {23},
                                .name = "IQ4_XS",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0,
                                .encodeRow = nullptr,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant
