// Q5_0: 0: f16 d, 2: u32 fifth bits, 6: 16 bytes of nibbles; value = (five bits - 16) * d.
#include <array>
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/scale_search.h"

namespace ingle::quant::q5_0_format {
namespace {

constexpr size_t kElems = 32;
constexpr size_t kBytes = 22;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    const uint32_t fifthBits = u32At(block + 2);
    for (size_t e = 0; e < kElems; ++e) {
        const uint32_t q = nibbleOf32(block + 6, e) | (fifthBits >> e & 1) << 4;
        y[e] = static_cast<float>(static_cast<int32_t>(q) - 16) * d;
    }
}

void encodeBlock(const float* x, const float* w, std::byte* out) {
    const float d = storedHalf(scaleKernels().fitScale({x, w, kElems}, {-16, 15}));
    std::array<int8_t, kElems> levels;
    roundTo({x, kElems}, {d, 0}, -16, 15, levels.data());
    storeHalf(out, d);
    uint32_t fifthBits = 0;
    for (size_t e = 0; e < kElems; ++e) fifthBits |= static_cast<uint32_t>(levels[e] + 16) >> 4 << e;
    storeU32(out + 2, fifthBits);
    storeNibbles32(out + 6, [&](size_t e) { return static_cast<uint8_t>((levels[e] + 16) & 15); });
}

void encodeRow(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    encodeBlocks<kElems, kBytes, encodeBlock>(x, importance, out);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{.id = kQ5_0,
                                .name = "Q5_0",
                                .blockElems = kElems,
                                .blockBytes = kBytes,
                                .maxRelRmse = 0.05,
                                .encodeRow = encodeRow,
                                .decodeRow = decodeRow,
                                .productVersion = 2};

}  // namespace ingle::quant::q5_0_format
