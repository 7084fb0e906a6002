// Q4_0: 0: f16 d, 2: 16 bytes of nibbles; value = (nibble - 8) * d.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant::q4_0_format {
namespace {

constexpr size_t kElems = 32;
constexpr size_t kBytes = 18;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t e = 0; e < kElems; ++e)
        y[e] = static_cast<float>(static_cast<int32_t>(nibbleOf32(block + 2, e)) - 8) * d;
}

void encodeBlock(const float* x, const float* w, std::byte* out) {
    const float d = storedHalf(scaleKernels().fitScale({x, w, kElems}, {-8, 7}));
    std::array<int8_t, kElems> levels;
    roundTo({x, kElems}, {d, 0}, -8, 7, levels.data());
    storeHalf(out, d);
    storeNibbles32(out + 2, [&](size_t e) { return static_cast<uint8_t>(levels[e] + 8); });
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kQ4_0,
                                .name = "Q4_0",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.1,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow};

}  // namespace ingle::quant::q4_0_format
