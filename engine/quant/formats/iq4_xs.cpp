// IQ4_XS: 0: f16 d, 2: u16 upper bit pairs of the scales, 4: 4 bytes of their low nibbles, 8: 128 bytes of
// nibbles. Eight groups of 32 values: value = d * (scale - 32) * levels[nibble].
#include <algorithm>
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grids/iq4.h"
#include "engine/quant/k_block.h"

namespace ingle::quant::iq4_xs_format {
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

void encodeBlock(const float* x, const float* w, std::byte* block) {
    const auto scales = encodeScales<8>(x, w, levelsOf(kIq4Levels), -32);
    storeHalf(block, scales.d);
    std::fill_n(block + 2, 6, std::byte{0});
    for (size_t g = 0; g < 8; ++g) {
        addScaleOfIq4Xs(block + 2, g, scales.scales[g]);
        const float step = scales.step(g);
        const float inverse = step != 0 ? 1 / step : 0;
        storeNibbles32(block + 8 + 16 * g,
                       [&](size_t l) { return nearestIndex(kIq4Levels, x[32 * g + l] * inverse); });
    }
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kIQ4_XS,
                                .name = "IQ4_XS",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.08,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow,
                                .productVersion = 2};

}  // namespace ingle::quant::iq4_xs_format
