// Q1_0: 0: f16 d, 2: 16 bytes of bits, in order; value = d where the bit is set, else -d.
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant::q1_0_format {
namespace {

constexpr size_t kElems = 128;
constexpr size_t kBytes = 18;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t e = 0; e < kElems; ++e) y[e] = (byteAt(block + 2 + e / 8) >> e % 8 & 1) != 0 ? d : -d;
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{
    .id = kQ1_0, .name = "Q1_0", .blockElems = kElems, .blockBytes = kBytes, .decodeRow = decodeRow};

}  // namespace ingle::quant::q1_0_format
