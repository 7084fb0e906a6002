/// What the block formats share: fields at any byte, and the order of small fields within bytes.
#pragma once

#include <array>
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

inline void storeU32(std::byte* at, uint32_t value) {
    std::memcpy(at, &value, sizeof value);
}

inline void storeHalf(std::byte* at, float value) {
    storeU16(at, base::f32ToF16(value));
}

/// What is left of `value` in a half.
inline float storedHalf(float value) {
    return base::f16ToF32(base::f32ToF16(value));
}

/// Value `e` of a block of 32 whose 16 bytes hold values 0..15 in their low nibbles, 16..31 in their high
/// ones.
inline uint32_t nibbleOf32(const std::byte* qs, size_t e) {
    return e < 16 ? byteAt(qs + e) & 15 : byteAt(qs + e - 16) >> 4;
}

/// Nibble `i` of a run of bytes, the low one of each byte first.
inline uint32_t nibbleAt(const std::byte* at, size_t i) {
    return byteAt(at + i / 2) >> (i % 2 * 4) & 15;
}

/// Pair `i` of a run of bytes, the lowest two bits of each byte first.
inline uint32_t bitPairAt(const std::byte* at, size_t i) {
    return byteAt(at + i / 4) >> (i % 4 * 2) & 3;
}

/// Value `e` of a block of 256 whose 64 bytes hold bit pairs: 128 values per 32 bytes, 32 from each pair of
/// bits.
inline uint32_t bitPairOf256(const std::byte* qs, size_t e) {
    return byteAt(qs + e / 128 * 32 + e % 32) >> (e % 128 / 32 * 2) & 3;
}

/// Value `e` of a block of 256 whose 128 bytes hold nibbles: 64 values per 32 bytes, the low nibbles first.
inline uint32_t nibbleOf256(const std::byte* qs, size_t e) {
    return byteAt(qs + e / 64 * 32 + e % 32) >> (e % 64 / 32 * 4) & 15;
}

/// Value `e` of a block of Q6_K: each half of its 256 values has 64 bytes of low nibbles, whose low halves
/// hold the first 64 values; from byte 128 on lie the upper pairs of bits.
inline uint32_t sixBitsOf256(const std::byte* block, size_t e) {
    const uint32_t low = byteAt(block + e / 128 * 64 + e % 64) >> (e % 128 / 64 * 4) & 15;
    return low | bitPairOf256(block + 128, e) << 4;
}

/// Scale `k` of the sixteen that Q3_K packs in 12 bytes: their low nibbles lie like those of a block of 16 in
/// bytes 0..7; bytes 8..11 hold the upper bit pairs of every fourth scale.
inline int32_t scaleOfQ3K(const std::byte* s, size_t k) {
    const uint32_t low = byteAt(s + k % 8) >> (k / 8 * 4) & 15;
    const uint32_t high = byteAt(s + 8 + k % 4) >> (k / 4 * 2) & 3;
    return static_cast<int32_t>(low | high << 4) - 32;
}

/// The reverse, for bytes that are zeros.
inline void addScaleOfQ3K(std::byte* s, size_t k, int32_t scale) {
    const auto six = static_cast<uint32_t>(scale + 32);
    s[k % 8] |= static_cast<std::byte>((six & 15) << (k / 8 * 4));
    s[8 + k % 4] |= static_cast<std::byte>(six >> 4 << (k / 4 * 2));
}

/// Scale `k` of the eight that IQ4_XS packs in 6 bytes: a u16 of upper bit pairs, then low nibbles.
inline int32_t scaleOfIq4Xs(const std::byte* s, size_t k) {
    const uint32_t high = u16At(s) >> (2 * k) & 3;
    return static_cast<int32_t>(nibbleAt(s + 2, k) | high << 4) - 32;
}

/// The reverse, for bytes that are zeros.
inline void addScaleOfIq4Xs(std::byte* s, size_t k, int32_t scale) {
    const auto six = static_cast<uint32_t>(scale + 32);
    storeU16(s, static_cast<uint16_t>(u16At(s) | six >> 4 << (2 * k)));
    s[2 + k / 2] |= static_cast<std::byte>((six & 15) << (k % 2 * 4));
}

struct ScaleAndMin {
    uint32_t scale;
    uint32_t min;
};

/// Scale and min of group `k` of the eight that Q4_K and Q5_K pack in 12 bytes: groups 0..3 lie in the low
/// six bits of bytes 0..7; groups 4..7 have their low nibbles in bytes 8..11 and their upper two bits on top
/// of those bytes.
inline ScaleAndMin scaleAndMin(const std::byte* s, size_t k) {
    if (k < 4) return {byteAt(s + k) & 63, byteAt(s + k + 4) & 63};
    return {(byteAt(s + k + 4) & 15) | byteAt(s + k - 4) >> 6 << 4,
            byteAt(s + k + 4) >> 4 | byteAt(s + k) >> 6 << 4};
}

/// The reverse, for a group of a block that holds zeros there.
inline void storeScaleAndMin(std::byte* s, size_t k, ScaleAndMin packed) {
    const auto add = [s](size_t at, uint32_t bits) { s[at] |= static_cast<std::byte>(bits); };
    if (k < 4) {
        add(k, packed.scale);
        add(k + 4, packed.min);
        return;
    }
    add(k + 4, (packed.scale & 15) | (packed.min & 15) << 4);
    add(k - 4, packed.scale >> 4 << 6);
    add(k, packed.min >> 4 << 6);
}

/// The reverse of nibbleOf32: `nibble(e)` gives value `e`.
template <typename Nibble>
void storeNibbles32(std::byte* qs, Nibble nibble) {
    for (size_t j = 0; j < 16; ++j)
        qs[j] = static_cast<std::byte>(uint32_t{nibble(j)} | uint32_t{nibble(j + 16)} << 4);
}

/// The reverse of bitPairOf256, for bytes that are zeros.
inline void addBitPairOf256(std::byte* qs, size_t e, uint32_t pair) {
    qs[e / 128 * 32 + e % 32] |= static_cast<std::byte>(pair << (e % 128 / 32 * 2));
}

/// The reverse of nibbleOf256, for bytes that are zeros.
inline void addNibbleOf256(std::byte* qs, size_t e, uint32_t nibble) {
    qs[e / 64 * 32 + e % 32] |= static_cast<std::byte>(nibble << (e % 64 / 32 * 4));
}

/// The reverse of sixBitsOf256, for bytes that are zeros.
inline void addSixBitsOf256(std::byte* block, size_t e, uint32_t six) {
    block[e / 128 * 64 + e % 64] |= static_cast<std::byte>((six & 15) << (e % 128 / 64 * 4));
    addBitPairOf256(block + 128, e, six >> 4);
}

/// Calls `decode(block, values)` for each block of a row.
template <size_t kElems, size_t kBytes, typename DecodeBlock>
void decodeBlocks(const std::byte* in, std::span<float> y, DecodeBlock decode) {
    for (size_t i = 0; i < y.size(); i += kElems, in += kBytes) decode(in, y.data() + i);
}

/// Calls encode(values, weights, block) for each block of a row. Where `importance` is empty, or says that
/// nothing in a block matters, all of it matters alike.
template <size_t kElems, size_t kBytes, auto encode>
void encodeBlocks(std::span<const float> x, std::span<const float> importance, std::byte* out) {
    static constexpr auto kAlike = [] {
        std::array<float, kElems> ones{};
        ones.fill(1);
        return ones;
    }();
    for (size_t i = 0; i < x.size(); i += kElems, out += kBytes) {
        const float* weights = kAlike.data();
        if (!importance.empty()) {
            const auto own = importance.subspan(i, kElems);
            float sum = 0;
            for (const float weight : own) sum += weight;
            if (sum > 0) weights = own.data();
        }
        encode(x.data() + i, weights, out);
    }
}

}  // namespace ingle::quant
