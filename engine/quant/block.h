/// What the block formats share: fields at any byte, and the nibble order of the 32-value blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "engine/base/half.h"

namespace ingle::quant {

inline uint32_t byteAt(const std::byte* at) {
    return std::to_integer<uint32_t>(*at);
}

inline int32_t signedByteAt(const std::byte* at) {
    return static_cast<int8_t>(byteAt(at));
}

inline uint16_t u16At(const std::byte* at) {
    uint16_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

inline uint32_t u32At(const std::byte* at) {
    uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

inline float halfAt(const std::byte* at) {
    return base::f16ToF32(u16At(at));
}

inline void storeU16(std::byte* at, uint16_t value) {
    std::memcpy(at, &value, sizeof value);
}

inline void storeHalf(std::byte* at, float value) {
    storeU16(at, base::f32ToF16(value));
}

/// Value `e` of a block of 32 whose 16 bytes hold values 0..15 in their low nibbles, 16..31 in their high
/// ones.
inline uint32_t nibbleOf32(const std::byte* qs, size_t e) {
    return e < 16 ? byteAt(qs + e) & 15 : byteAt(qs + e - 16) >> 4;
}

/// Calls `decode(block, values)` for each block of a row.
template <size_t kElems, size_t kBytes, typename DecodeBlock>
void decodeBlocks(const std::byte* in, std::span<float> y, DecodeBlock decode) {
    for (size_t i = 0; i < y.size(); i += kElems, in += kBytes) decode(in, y.data() + i);
}

/// Calls `encode(values, block)` for each block of a row.
template <size_t kElems, size_t kBytes, typename EncodeBlock>
void encodeBlocks(std::span<const float> x, std::byte* out, EncodeBlock encode) {
    for (size_t i = 0; i < x.size(); i += kElems, out += kBytes) encode(x.data() + i, out);
}

}  // namespace ingle::quant
