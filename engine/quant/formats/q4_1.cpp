// Q4_1: 0: f16 d, 2: f16 m, 4: 16 bytes of nibbles; value = nibble * d + m.
#include <array>
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant::q4_1_format {
namespace {

constexpr size_t kElems = 32;
constexpr size_t kBytes = 20;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    const float m = halfAt(block + 2);
    for (size_t e = 0; e < kElems; ++e) y[e] = static_cast<float>(nibbleOf32(block + 4, e)) * d + m;
}

void encodeBlock(const float* x, const float* w, std::byte* out) {
    const ScaleAndOffset fit = storedLine(scaleKernels().fitLine({x, w, kElems}, 15, Offset::Any));
    std::array<int8_t, kElems> levels;
    roundTo({x, kElems}, fit, 0, 15, levels.data());
    storeHalf(out, fit.scale);
    storeHalf(out + 2, -fit.min);
    storeNibbles32(out + 4, [&](size_t e) { return static_cast<uint8_t>(levels[e]); });
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kQ4_1,
                                .name = "Q4_1",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.08,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant::q4_1_format
