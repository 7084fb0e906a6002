// Q4_1: 0: f16 d, 2: f16 m, 4: 16 bytes of nibbles; value = nibble * d + m.
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 32;
constexpr size_t kBytes = 20;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    const float m = halfAt(block + 2);
    for (size_t e = 0; e < kElems; ++e) y[e] = static_cast<float>(nibbleOf32(block + 4, e)) * d + m;
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat q4_1_format;
const QuantFormat q4_1_format{.id = {3},
                              .name = "Q4_1",
                              .blockElems = kElems,
                              .blockBytes = kBytes,
                              .maxRelRmse = 0,
                              .encodeRow = nullptr,
                              .decodeRow = decodeRow};

}  // namespace ingle::quant
