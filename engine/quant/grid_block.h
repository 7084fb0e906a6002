/// What the IQ block formats share: eight values from one grid entry.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ingle::quant {

/// Entry of eight values from two entries of four.
inline uint64_t joinGrid(uint32_t first, uint32_t second) {
    return first | uint64_t{second} << 32;
}

/// Signs of eight values from seven stored bits (more may lie above them): the number of minus signs is even.
inline uint32_t signsOf7Bits(uint32_t bits) {
    bits &= 127;
    return bits | static_cast<uint32_t>(std::popcount(bits) & 1) << 7;
}

/// Eight values step * (unsigned byte of the entry), negative where the bit in `signs` is set.
inline void decodeGrid(uint64_t entry, uint32_t signs, float step, float* y) {
    for (size_t j = 0; j < 8; ++j) {
        const float magnitude = step * static_cast<float>(entry >> (8 * j) & 255);
        y[j] = (signs >> j & 1) != 0 ? -magnitude : magnitude;
    }
}

/// Eight values step * (signed byte of the entry + shift).
inline void decodeShiftedGrid(uint64_t entry, float shift, float step, float* y) {
    for (size_t j = 0; j < 8; ++j)
        y[j] = step * (static_cast<float>(static_cast<int8_t>(entry >> (8 * j) & 255)) + shift);
}

}  // namespace ingle::quant
