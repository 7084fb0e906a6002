// Q6_K: 0: 128 bytes of low nibbles, 128: 64 bytes of upper bit pairs, 192: 16 signed scales, 208: f16 d.
// Sixteen groups of 16 values: value = d * scale * (six bits - 32).
#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 210;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block + 208);
    for (size_t e = 0; e < kElems; ++e) {
        const size_t half = e / 128;          // two halves of 128 values, with 64 + 32 bytes each
        const size_t quarter = e % 128 / 32;  // which nibble and which bit pair of those bytes
        const size_t l = e % 32;
        const uint32_t low = byteAt(block + 64 * half + 32 * (quarter & 1) + l) >> (quarter < 2 ? 0 : 4) & 15;
        const uint32_t high = byteAt(block + 128 + 32 * half + l) >> (2 * quarter) & 3;
        const float step = d * static_cast<float>(signedByteAt(block + 192 + e / 16));
        y[e] = step * static_cast<float>(static_cast<int32_t>(low | high << 4) - 32);
    }
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat q6_k_format;
const QuantFormat q6_k_format{.id = {14},
                              .name = "Q6_K",
                              .blockElems = kElems,
                              .blockBytes = kBytes,
                              .maxRelRmse = 0,
                              .encodeRow = nullptr,
                              .decodeRow = decodeRow};

}  // namespace ingle::quant
