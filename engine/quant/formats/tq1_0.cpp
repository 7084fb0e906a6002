// TQ1_0: 0: 48 bytes of five trits each, 48: 4 bytes of four trits each, 52: f16 d; value = (trit - 1) * d.
// A byte is the fraction, in 256ths and rounded up, whose base-3 digits are its trits.
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 54;

constexpr uint32_t kPowersOf3[] = {1, 3, 9, 27, 81};

int32_t tritOf(const std::byte* byte, size_t n) {
    const uint32_t fraction = byteAt(byte) * kPowersOf3[n] & 255;
    return static_cast<int32_t>(fraction * 3 >> 8);
}

/// `width` bytes whose first trits are the first values, whose second trits follow, and so on.
float* decodeTrits(const std::byte* bytes, size_t width, size_t tritsPerByte, float d, float* y) {
    for (size_t n = 0; n < tritsPerByte; ++n)
        for (size_t i = 0; i < width; ++i) *y++ = static_cast<float>(tritOf(bytes + i, n) - 1) * d;
    return y;
}

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block + 52);
    y = decodeTrits(block, 32, 5, d, y);
    y = decodeTrits(block + 32, 16, 5, d, y);
    decodeTrits(block + 48, 4, 4, d, y);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat tq1_0_format;
const QuantFormat tq1_0_format{.id = {34},
                               .name = "TQ1_0",
                               .blockElems = kElems,
                               .blockBytes = kBytes,
                               .maxRelRmse = 0,
                               .encodeRow = nullptr,
                               .decodeRow = decodeRow};

}  // namespace ingle::quant
