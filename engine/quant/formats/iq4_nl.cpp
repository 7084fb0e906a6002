// IQ4_NL: 0: f16 d, 2: 16 bytes of nibbles; value = d * levels[nibble].
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/grids/iq4.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant::iq4_nl_format {
namespace {

constexpr size_t kElems = 32;
constexpr size_t kBytes = 18;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t e = 0; e < kElems; ++e) y[e] = d * kIq4Levels[nibbleOf32(block + 2, e)];
}

void encodeBlock(const float* x, const float* w, std::byte* out) {
    const float d = storedHalf(scaleKernels().fitScale({x, w, kElems}, levelsOf(kIq4Levels)));
    storeHalf(out, d);
    const float inverse = d != 0 ? 1 / d : 0;
    storeNibbles32(out + 2, [&](size_t e) { return nearestIndex(kIq4Levels, x[e] * inverse); });
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kIQ4_NL,
                                .name = "IQ4_NL",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.08,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow,
                                .productVersion = 2};

}  // namespace ingle::quant::iq4_nl_format
