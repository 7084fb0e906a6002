// Q4_K: 0: f16 d, 2: f16 dmin, 4: 12 bytes of 6-bit scales and mins, 16: 128 bytes of nibbles.
// Eight groups of 32 values: value = d * scale * nibble - dmin * min.
#include "engine/quant/block.h"
#include "engine/quant/format.h"
#include "engine/quant/k_block.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 256;
constexpr size_t kBytes = 144;

void decodeBlock(const std::byte* block, float* y) {
    const float d = halfAt(block);
    const float dmin = halfAt(block + 2);
    for (size_t k = 0; k < 8; ++k) {
        const auto [scale, min] = scaleAndMin(block + 4, k);
        const float step = d * static_cast<float>(scale);
        const float low = dmin * static_cast<float>(min);
        for (size_t e = k * 32; e < (k + 1) * 32; ++e)
            y[e] = step * static_cast<float>(nibbleOf256(block + 16, e)) - low;
    }
}

void encodeBlock(const float* x, std::byte* block) {
    const auto levels = encodeScalesAndMins(x, 15, {.first = -1, .stride = 0.1F, .count = 20}, block);
    for (size_t pair = 0; pair < 4; ++pair) {
        const uint8_t* low = levels.data() + pair * 64;
        for (size_t l = 0; l < 32; ++l)
            block[16 + pair * 32 + l] = static_cast<std::byte>(low[l] | low[l + 32] << 4);
    }
}

void encodeRow(std::span<const float> x, std::byte* out) {
    encodeBlocks<kElems, kBytes>(x, out, encodeBlock);
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat q4_k_format;
const QuantFormat q4_k_format{.id = {12},
                              .name = "Q4_K",
                              .blockElems = kElems,
                              .blockBytes = kBytes,
                              .maxRelRmse = 0.08,
                              .encodeRow = encodeRow,
                              .decodeRow = decodeRow};

}  // namespace ingle::quant
