// Q5_0: 0: f16 d, 2: u32 fifth bits, 6: 16 bytes of nibbles; value = (five bits - 16) * d.
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant {
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

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat q5_0_format;
const QuantFormat q5_0_format{.id = {6},
                              .name = "Q5_0",
                              .blockElems = kElems,
                              .blockBytes = kBytes,
                              .maxRelRmse = 0,
                              .encodeRow = nullptr,
                              .decodeRow = decodeRow};

}  // namespace ingle::quant
