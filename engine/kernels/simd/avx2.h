/// The vector operations kernels are written in: AVX2 with FMA and F16C, and where the compiler may use it
/// AVX-VNNI, 8 lanes of 32 bits. What each does is said in avx512.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernel_table.h"

#if defined(__AVXVNNI__)
#define INGLE_ISA avxvnni
#else
#define INGLE_ISA avx2
#endif

namespace ingle::kernels {
namespace {

#if defined(__AVXVNNI__)
constexpr base::Isa kIsa = base::Isa::AvxVnni;
#else
constexpr base::Isa kIsa = base::Isa::Avx2;
#endif
constexpr uint32_t kLanes = 8;
// A tile of 4 rows × 2 vectors of outputs: of bytes of 4 bits 8 integer accumulators and the operands fit the
// 16 registers, two outputs share each broadcast activation, and what is met less often, every eighth step,
// lies in the first-level cache. (Bytes of 5 and 6 bits, whose 32-bit sums are met every fourth and second
// step, gain less; those of 8 bits, which take two 16-bit accumulators each, nothing: they have one vector.)
constexpr uint32_t kTileRows = 4;
template <uint32_t kMaxByte>
constexpr uint32_t kTileVectors = kMaxByte < 128 || kIsa == base::Isa::AvxVnni ? 2 : 1;
constexpr uint32_t kFewRows = 4;

using Ints = __m256i;
using Floats = __m256;

inline Ints loadInts(const void* at) {
    return _mm256_loadu_si256(static_cast<const __m256i_u*>(at));
}
inline Ints broadcastInt(int32_t value) {
    return _mm256_set1_epi32(value);
}
inline Ints zeroInts() {
    return _mm256_setzero_si256();
}
inline Ints broadcastBytes(const int8_t* at) {
    int32_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return _mm256_set1_epi32(value);
}
inline Ints add(Ints a, Ints b) {
    return _mm256_add_epi32(a, b);
}
inline Ints subtract(Ints a, Ints b) {
    return _mm256_sub_epi32(a, b);
}
inline Ints bitAnd(Ints a, Ints b) {
    return _mm256_and_si256(a, b);
}
inline Ints bitOr(Ints a, Ints b) {
    return _mm256_or_si256(a, b);
}
inline Ints bitXor(Ints a, Ints b) {
    return _mm256_xor_si256(a, b);
}
inline Ints shiftLeft(Ints v, int bits) {
    return _mm256_sllv_epi32(v, _mm256_set1_epi32(bits));
}
inline Ints shiftRight(Ints v, int bits) {
    return _mm256_srlv_epi32(v, _mm256_set1_epi32(bits));
}
inline Ints shiftRightSigned(Ints v, int bits) {
    return _mm256_srav_epi32(v, _mm256_set1_epi32(bits));
}
inline Ints multiplyShorts(Ints a, Ints b) {
    return _mm256_madd_epi16(a, b);
}
inline Ints unpackLow32(Ints a, Ints b) {
    return _mm256_unpacklo_epi32(a, b);
}
inline Ints unpackHigh32(Ints a, Ints b) {
    return _mm256_unpackhi_epi32(a, b);
}
inline Ints unpackLow64(Ints a, Ints b) {
    return _mm256_unpacklo_epi64(a, b);
}
inline Ints unpackHigh64(Ints a, Ints b) {
    return _mm256_unpackhi_epi64(a, b);
}

inline Ints addBytes(Ints a, Ints b) {
    return _mm256_add_epi8(a, b);
}
inline Ints tableOf16(const uint8_t* at) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(at)));
}
inline Ints lookUp(Ints table, Ints indices) {
    return _mm256_shuffle_epi8(table, indices);
}
inline Ints spreadByte(Ints v, int index) {
    const Ints first = _mm256_broadcastsi128_si256(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0C0C0C0C));
    return _mm256_shuffle_epi8(v, _mm256_add_epi8(first, _mm256_set1_epi8(static_cast<char>(index))));
}
inline Ints whereBit(Ints v, Ints bit, Ints value) {
    return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(v, bit), bit), value);
}
inline Ints whereAtLeast(Ints v, Ints limit, Ints value) {
    return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(v, limit), v), value);
}
inline Ints addSigned(Ints base, Ints v, Ints signs, Ints bit) {
    const Ints minus = _mm256_cmpeq_epi8(_mm256_and_si256(signs, bit), bit);
    return _mm256_add_epi8(base, _mm256_sub_epi8(_mm256_xor_si256(v, minus), minus));
}
/// Here a gather is faster than loads: the indices lie in a register (IQ3_S 2.4 times on a Sapphire Rapids).
inline Ints lookUp32(const void* table, Ints indices) {
    return _mm256_i32gather_epi32(static_cast<const int*>(table), indices, 4);
}
inline void lookUp64(const void* table, Ints indices, Ints& low, Ints& high) {
    // Whole entries, half as many loads as halves of them take: of lanes 0, 1, 4, 5 and of 2, 3, 6, 7.
    const auto* entries = static_cast<const long long*>(table);
    const __m128i first = _mm256_castsi256_si128(indices);
    const __m128i second = _mm256_extracti128_si256(indices, 1);
    const auto entriesAt = [entries](__m128i at) {
        return _mm256_castsi256_ps(_mm256_i32gather_epi64(entries, at, 8));
    };
    const __m256 a = entriesAt(_mm_unpacklo_epi64(first, second));
    const __m256 b = entriesAt(_mm_unpackhi_epi64(first, second));
    low = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
    high = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD));
}
inline Ints loadBytes(const std::byte* at) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i_u*>(at)));
}
inline Ints loadSignedBytes(const std::byte* at) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i_u*>(at)));
}

inline Ints maxSigned(Ints a, Ints b) {
    return _mm256_max_epi32(a, b);
}
inline int32_t largestLane(Ints v) {
    __m128i m = _mm_max_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4E));
    return _mm_cvtsi128_si32(_mm_max_epi32(m, _mm_shuffle_epi32(m, 0xB1)));
}
inline int32_t sumOfLanes(Ints v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));
}
inline void storeAsBytes(int8_t* at, Ints v) {
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i_u*>(at), _mm_packs_epi16(words, words));
}

inline Floats zeroFloats() {
    return _mm256_setzero_ps();
}
inline Floats broadcast(float value) {
    return _mm256_set1_ps(value);
}
inline Floats load(const float* at) {
    return _mm256_loadu_ps(at);
}
inline void store(float* at, Floats v) {
    _mm256_storeu_ps(at, v);
}
inline Floats multiply(Floats a, Floats b) {
    return _mm256_mul_ps(a, b);
}
inline Floats fma(Floats a, Floats b, Floats c) {
    return _mm256_fmadd_ps(a, b, c);
}
inline Floats add(Floats a, Floats b) {
    return _mm256_add_ps(a, b);
}
inline Floats subtract(Floats a, Floats b) {
    return _mm256_sub_ps(a, b);
}
inline Floats divide(Floats a, Floats b) {
    return _mm256_div_ps(a, b);
}
inline Floats min(Floats a, Floats b) {
    return _mm256_min_ps(a, b);
}
inline Floats max(Floats a, Floats b) {
    return _mm256_max_ps(a, b);
}
inline Floats roundToNearest(Floats v) {
    return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline float sumOfLanes(Floats v) {
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}
inline float largestLane(Floats v) {
    __m128 largest = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    largest = _mm_max_ps(largest, _mm_movehl_ps(largest, largest));
    return _mm_cvtss_f32(_mm_max_ss(largest, _mm_movehdup_ps(largest)));
}
/// All ones in the lanes below `count`.
inline Ints lanesBelow(uint32_t count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int32_t>(count)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Floats loadPart(const float* at, uint32_t count) {
    return _mm256_maskload_ps(at, lanesBelow(count));
}
inline Floats keepLanes(Floats v, uint32_t count, Floats other) {
    return _mm256_blendv_ps(other, v, _mm256_castsi256_ps(lanesBelow(count)));
}
inline Floats asFloats(Ints v) {
    return _mm256_castsi256_ps(v);
}
inline Floats loadHalves(const std::byte* at) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(at)));
}
inline Floats broadcastHalf(const std::byte* at) {
    int16_t half;
    __builtin_memcpy(&half, at, sizeof half);
    return _mm256_cvtph_ps(_mm_set1_epi16(half));
}
inline Floats loadUpperHalves(const std::byte* at) {
    const __m128i upper = _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(at));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(upper), 16));
}
inline void storeHalves(std::byte* at, Floats v) {
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(at),
                     _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
inline Floats negate(Floats v) {
    return _mm256_sub_ps(_mm256_set1_ps(-0.0F), v);
}
inline Ints asInts(Floats v) {
    return _mm256_castps_si256(v);
}
inline Ints roundToInts(Floats v) {
    return _mm256_cvtps_epi32(v);
}
inline Floats toFloats(Ints v) {
    return _mm256_cvtepi32_ps(v);
}

inline void storeLanes(float* at, Floats v, uint32_t begin, uint32_t end) {
    _mm256_maskstore_ps(at, _mm256_andnot_si256(lanesBelow(begin), lanesBelow(end)), v);
}

struct Rows {
    const std::byte* quads[kLanes / 4];  ///< rows 0, 4
    size_t stride;

    Rows(const std::byte* first, size_t rowBytes) : stride(rowBytes) {
        for (uint32_t i = 0; i < kLanes / 4; ++i) quads[i] = first + 4 * i * rowBytes;
    }
    void advance(size_t bytes) {
        for (const std::byte*& quad : quads) quad += bytes;
    }
};

/// 16 bytes at `offset` of rows j and j + 4.
inline Ints loadQuarter(const Rows& rows, size_t j, size_t offset) {
    const auto part = [&](size_t quad) {
        return _mm_loadu_si128(
            reinterpret_cast<const __m128i_u*>(rows.quads[quad] + j * rows.stride + offset));
    };
    return _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
}

/// Loads instead of a gather: many processors of this class gather slowly.
inline Ints gatherInts(const Rows& rows, size_t offset) {
    int32_t values[kLanes];
    for (uint32_t i = 0; i < kLanes; ++i) {
        __builtin_memcpy(&values[i], rows.quads[i / 4] + i % 4 * rows.stride + offset, sizeof values[i]);
    }
    return _mm256_setr_epi32(values[0], values[1], values[2], values[3], values[4], values[5], values[6],
                             values[7]);
}

inline Floats lowHalvesToFloats(Ints v) {
    // The packing works within 128-bit parts; the permutation brings both results together.
    const Ints low = _mm256_and_si256(v, _mm256_set1_epi32(0xFFFF));
    const Ints packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08);
    return _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
}

#if defined(__AVXVNNI__)
template <uint32_t kMaxByte>
struct Dots {
    Ints sums;
    static constexpr uint32_t kSteps = 8;

    void step(Ints weights, Ints activations) { sums = _mm256_dpbusd_avx_epi32(sums, weights, activations); }
    void settle() {}
};
#else
/// Products of pairs are added in 16 bits, as many as cannot overflow (2 · 127 · kMaxByte a step), and from
/// there into 32. Bytes above 128 could overflow in one step: they are taken as two nibbles.
template <uint32_t kMaxByte>
struct Dots {
    Ints sums;
    Ints narrow = _mm256_setzero_si256();
    static constexpr uint32_t kFit = 32767 / (2 * 127 * kMaxByte);
    static constexpr uint32_t kSteps = kFit >= 8 ? 8 : kFit >= 4 ? 4 : kFit >= 2 ? 2 : 1;
    static_assert(kFit >= 1);

    void step(Ints weights, Ints activations) {
        narrow = _mm256_add_epi16(narrow, _mm256_maddubs_epi16(weights, activations));
        // Now: GCC 12 would rather keep all products of a block, which do not fit the registers, and add them
        // at its end.
        asm("" : "+x"(narrow));
    }
    void settle() {
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(narrow, _mm256_set1_epi16(1)));
        narrow = _mm256_setzero_si256();
    }
};

template <>
struct Dots<255> {
    Ints sums;
    Ints low = _mm256_setzero_si256();
    Ints high = _mm256_setzero_si256();
    static constexpr uint32_t kSteps = 8;

    void step(Ints weights, Ints activations) {
        const Ints nibbles = _mm256_set1_epi8(15);
        const Ints upper = _mm256_and_si256(_mm256_srli_epi16(weights, 4), nibbles);
        const Ints lower = _mm256_and_si256(weights, nibbles);
        low = _mm256_add_epi16(low, _mm256_maddubs_epi16(lower, activations));
        high = _mm256_add_epi16(high, _mm256_maddubs_epi16(upper, activations));
    }
    void settle() {
        const Ints ones = _mm256_set1_epi16(1);
        const Ints upper = _mm256_slli_epi32(_mm256_madd_epi16(high, ones), 4);
        sums = _mm256_add_epi32(sums, _mm256_add_epi32(_mm256_madd_epi16(low, ones), upper));
        low = _mm256_setzero_si256();
        high = _mm256_setzero_si256();
    }
};

#endif

/// Into the second-level cache: what is needed after more than the first holds.
inline void prefetch(const std::byte* at) {
    _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T1);
}

}  // namespace
}  // namespace ingle::kernels
