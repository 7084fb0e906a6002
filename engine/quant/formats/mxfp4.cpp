// MXFP4: 0: u8 E, 1: 16 bytes of nibbles; value = 2^(E - 128) * levels[nibble]. Source: Open Compute Project,
// "OCP Microscaling Formats (MX) Specification" 1.0 (2023), sections 5.3.3 and 5.4; ggml's levels are
// doubled.
#include <bit>

#include "engine/quant/block.h"
#include "engine/quant/format.h"

namespace ingle::quant {
namespace {

constexpr size_t kElems = 32;
constexpr size_t kBytes = 17;

/// A sign, two bits of exponent and one of fraction, times 2.
constexpr float kLevels[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// 2^(e - 128), also for 255, which the specification has for NaN: as ggml reads it.
float powerOf2(uint32_t e) {
    constexpr uint32_t kSubnormal = 0x00200000;  // 2^-128; 2^-127 is one bit further up
    return std::bit_cast<float>(e < 2 ? kSubnormal << e : (e - 1) << 23);
}

void decodeBlock(const std::byte* block, float* y) {
    const float scale = powerOf2(byteAt(block));
    for (size_t e = 0; e < kElems; ++e) y[e] = scale * kLevels[nibbleOf32(block + 1, e)];
}

void decodeRow(const std::byte* in, std::span<float> y) {
    decodeBlocks<kElems, kBytes>(in, y, decodeBlock);
}

}  // namespace

extern const QuantFormat mxfp4_format;
const QuantFormat mxfp4_format{.id = {39},
                               .name = "MXFP4",
                               .blockElems = kElems,
                               .blockBytes = kBytes,
                               .maxRelRmse = 0,
                               .encodeRow = nullptr,
                               .decodeRow = decodeRow};

}  // namespace ingle::quant
