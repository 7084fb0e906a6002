// Q2_0: 0: f16 d, 2: 16 bytes of pairs of bits, in order; value = (pair - 1) * d.
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant::q2_0_format {
namespace {

constexpr size_t kElems = 64;
constexpr size_t kBytes = 18;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    for (size_t e = 0; e < kElems; ++e)
        y[e] = static_cast<float>(static_cast<int32_t>(bitPairAt(block + 2, e)) - 1) * d;
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat format{
    .id = kQ2_0, .name = "Q2_0", .blockElems = kElems, .blockBytes = kBytes, .decodeRow = decodeRow};

}  // namespace ingle::quant::q2_0_format
