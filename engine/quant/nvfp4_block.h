/// The block of NVFP4: 64 values in four parts of 16, each with a scale of its own.
#pragma once

#include "engine/quant/block.h"

namespace ingle::quant {

/// 0: a byte of scale for each part, 4: 8 bytes of nibbles for each part, the low ones first; value = scale *
/// level of MXFP4.
struct Nvfp4Block {
    static constexpr size_t kElems = 64;
    static constexpr size_t kBytes = 36;
    static constexpr size_t kPart = 16;

    static uint32_t nibble(const std::byte* block, size_t e) {
        const std::byte* part = block + 4 + e / kPart * 8;
        return byteAt(part + e % 8) >> (e % kPart / 8 * 4) & 15;
    }
    /// Of value `e`: half of an unsigned E4M3 number, of which the NaN is 0. The levels are doubled.
    static float scale(const std::byte* block, size_t e) {
        const uint32_t bits = byteAt(block + e / kPart);
        // E4M3 is a half but for the bias of its exponent, 7 in place of 15.
        return bits == 0x7F ? 0 : base::f16ToF32(static_cast<uint16_t>((bits & 0x7F) << 7)) * 0x1p7F;
    }
};

}  // namespace ingle::quant
