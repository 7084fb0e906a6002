// Q5_1: 0: f16 d, 2: f16 m, 4: u32 fifth bits, 8: 16 bytes of nibbles; value = five bits * d + m.
#include <array>
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant::q5_1_format {
namespace {

constexpr size_t kElems = 32;
constexpr size_t kBytes = 24;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    const float m = halfAt(block + 2);
    const uint32_t fifthBits = u32At(block + 4);
    for (size_t e = 0; e < kElems; ++e) {
        const uint32_t q = nibbleOf32(block + 8, e) | (fifthBits >> e & 1) << 4;
        y[e] = static_cast<float>(q) * d + m;
    }
}

void encodeBlock(const float* x, const float* w, std::byte* out) {
    const ScaleAndOffset fit = storedLine(scaleKernels().fitLine({x, w, kElems}, 31, Offset::Any));
    std::array<int8_t, kElems> levels;
    roundTo({x, kElems}, fit, 0, 31, levels.data());
    storeHalf(out, fit.scale);
    storeHalf(out + 2, -fit.min);
    uint32_t fifthBits = 0;
    for (size_t e = 0; e < kElems; ++e) fifthBits |= static_cast<uint32_t>(levels[e]) >> 4 << e;
    storeU32(out + 4, fifthBits);
    storeNibbles32(out + 8, [&](size_t e) { return static_cast<uint8_t>(levels[e] & 15); });
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kQ5_1,
                                .name = "Q5_1",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.04,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow,
                                .productVersion = 2};

}  // namespace ingle::quant::q5_1_format
