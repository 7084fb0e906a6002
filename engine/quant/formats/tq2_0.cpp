// TQ2_0: 0: 64 bytes of bit pairs, 64: f16 d; value = (pair - 1) * d.
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 66;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block + 64);
    for (size_t e = 0; e < kElems; ++e)
        y[e] = static_cast<float>(static_cast<int32_t>(bitPairOf256(block, e)) - 1) * d;
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat tq2_0_format;
const QuantFormat tq2_0_format{.id = {35},
                               .name = "TQ2_0",
                               .blockElems = kElems,
                               .blockBytes = kBytes,
                               .maxRelRmse = 0,
                               .encodeRow = nullptr,
                               .decodeRow = decodeRow};

}  // namespace ingle::quant
