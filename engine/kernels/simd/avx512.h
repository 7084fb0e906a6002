/// The vector operations kernels are written in: AVX-512 with VNNI, 16 lanes of 32 bits.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernel_table.h"

#define INGLE_ISA avx512

namespace ingle::kernels {
namespace {

constexpr base::Isa kIsa = base::Isa::Avx512;
constexpr uint32_t kLanes = 16;
// A tile of 6 rows × 2 vectors of outputs: 12 integer and 12 float accumulators, and the operands, fit the 32
// registers; two outputs share each broadcast activation.
constexpr uint32_t kTileRows = 6;
template <uint32_t kMaxByte>
constexpr uint32_t kTileVectors = 2;
// Up to this many rows are cheaper straight from the weights: two sums for each and a block of weights in
// registers.
constexpr uint32_t kFewRows = 8;

using Ints = __m512i;  ///< 16 × 32 or 64 × 8 bits
using Floats = __m512;

inline Ints loadInts(const void* at) {
    return _mm512_loadu_si512(at);
}
inline Ints broadcastInt(int32_t value) {
    return _mm512_set1_epi32(value);
}
inline Ints zeroInts() {
    return _mm512_setzero_si512();
}
/// The four bytes at `at` in every lane.
inline Ints broadcastBytes(const int8_t* at) {
    int32_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return _mm512_set1_epi32(value);
}
inline Ints add(Ints a, Ints b) {
    return _mm512_add_epi32(a, b);
}
inline Ints subtract(Ints a, Ints b) {
    return _mm512_sub_epi32(a, b);
}
inline Ints bitAnd(Ints a, Ints b) {
    return _mm512_and_si512(a, b);
}
inline Ints bitOr(Ints a, Ints b) {
    return _mm512_or_si512(a, b);
}
inline Ints bitXor(Ints a, Ints b) {
    return _mm512_xor_si512(a, b);
}
inline Ints shiftLeft(Ints v, int bits) {
    return _mm512_sllv_epi32(v, _mm512_set1_epi32(bits));
}
inline Ints shiftRight(Ints v, int bits) {
    return _mm512_srlv_epi32(v, _mm512_set1_epi32(bits));
}
inline Ints shiftRightSigned(Ints v, int bits) {
    return _mm512_srav_epi32(v, _mm512_set1_epi32(bits));
}
/// The lanes' products; both factors are of 16 bits, and the first are not negative.
inline Ints multiplyShorts(Ints a, Ints b) {
    return _mm512_madd_epi16(a, b);
}
inline Ints unpackLow32(Ints a, Ints b) {
    return _mm512_unpacklo_epi32(a, b);
}
inline Ints unpackHigh32(Ints a, Ints b) {
    return _mm512_unpackhi_epi32(a, b);
}
inline Ints unpackLow64(Ints a, Ints b) {
    return _mm512_unpacklo_epi64(a, b);
}
inline Ints unpackHigh64(Ints a, Ints b) {
    return _mm512_unpackhi_epi64(a, b);
}

/// Bytes of both added, without a carry from one to the next.
inline Ints addBytes(Ints a, Ints b) {
    return _mm512_add_epi8(a, b);
}
/// The 16 bytes at `at` in each 128-bit part: a table for lookUp.
inline Ints tableOf16(const uint8_t* at) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(at)));
}
/// For each byte of `indices`, below 16, that byte of the table.
inline Ints lookUp(Ints table, Ints indices) {
    return _mm512_shuffle_epi8(table, indices);
}
/// Byte `index` of each lane in all four of its bytes.
inline Ints spreadByte(Ints v, int index) {
    const Ints first = _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0C0C0C0C));
    return _mm512_shuffle_epi8(v, _mm512_add_epi8(first, _mm512_set1_epi8(static_cast<char>(index))));
}
/// The bytes of `value` where v has the one bit that `bit` has there, zeros elsewhere.
inline Ints whereBit(Ints v, Ints bit, Ints value) {
    return _mm512_maskz_mov_epi8(_mm512_test_epi8_mask(v, bit), value);
}
/// The bytes of `value` where those of v, unsigned, are `limit` or more, zeros elsewhere.
inline Ints whereAtLeast(Ints v, Ints limit, Ints value) {
    return _mm512_maskz_mov_epi8(_mm512_cmpge_epu8_mask(v, limit), value);
}
/// Bytes base + v, or base - v where `signs` has the one bit that `bit` has there.
inline Ints addSigned(Ints base, Ints v, Ints signs, Ints bit) {
    return _mm512_mask_sub_epi8(_mm512_add_epi8(base, v), _mm512_test_epi8_mask(signs, bit), base, v);
}
/// The four bytes that are entry number i of the table, for each lane's index i.
inline Ints lookUp32(const void* table, Ints indices) {
    return _mm512_i32gather_epi32(indices, table, 4);
}
/// The two halves of the eight bytes that are entry number i.
inline void lookUp64(const void* table, Ints indices, Ints& low, Ints& high) {
    // Whole entries: half as many loads as halves of them take.
    const Ints a = _mm512_i32gather_epi64(_mm512_castsi512_si256(indices), table, 8);
    const Ints b = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(indices, 1), table, 8);
    const Ints evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    low = _mm512_permutex2var_epi32(a, evens, b);
    high = _mm512_permutex2var_epi32(a, _mm512_or_si512(evens, _mm512_set1_epi32(1)), b);
}
/// kLanes bytes, each in a lane.
inline Ints loadBytes(const std::byte* at) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(at)));
}
inline Ints loadSignedBytes(const std::byte* at) {
    return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(at)));
}

inline Ints maxSigned(Ints a, Ints b) {
    return _mm512_max_epi32(a, b);
}
inline int32_t largestLane(Ints v) {
    return _mm512_reduce_max_epi32(v);
}
inline int32_t sumOfLanes(Ints v) {
    return _mm512_reduce_add_epi32(v);
}
/// The lanes as bytes; they must fit.
inline void storeAsBytes(int8_t* at, Ints v) {
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(at), _mm512_cvtepi32_epi8(v));
}

inline Floats zeroFloats() {
    return _mm512_setzero_ps();
}
inline Floats broadcast(float value) {
    return _mm512_set1_ps(value);
}
inline Floats load(const float* at) {
    return _mm512_loadu_ps(at);
}
inline void store(float* at, Floats v) {
    _mm512_storeu_ps(at, v);
}
inline Floats multiply(Floats a, Floats b) {
    return _mm512_mul_ps(a, b);
}
inline Floats fma(Floats a, Floats b, Floats c) {
    return _mm512_fmadd_ps(a, b, c);
}
inline Floats add(Floats a, Floats b) {
    return _mm512_add_ps(a, b);
}
inline Floats subtract(Floats a, Floats b) {
    return _mm512_sub_ps(a, b);
}
inline Floats divide(Floats a, Floats b) {
    return _mm512_div_ps(a, b);
}
/// The second operand where one is NaN.
inline Floats min(Floats a, Floats b) {
    return _mm512_min_ps(a, b);
}
inline Floats max(Floats a, Floats b) {
    return _mm512_max_ps(a, b);
}
inline Floats roundToNearest(Floats v) {
    return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline float sumOfLanes(Floats v) {
    return _mm512_reduce_add_ps(v);
}
inline float largestLane(Floats v) {
    return _mm512_reduce_max_ps(v);
}
/// The first `count` floats, and zeros.
inline Floats loadPart(const float* at, uint32_t count) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), at);
}
/// Lanes below `count` of v, `other` in the rest.
inline Floats keepLanes(Floats v, uint32_t count, Floats other) {
    return _mm512_mask_mov_ps(other, static_cast<__mmask16>((1u << count) - 1), v);
}
inline Floats asFloats(Ints v) {
    return _mm512_castsi512_ps(v);
}
/// kLanes numbers of 16 bits, to floats.
inline Floats loadHalves(const std::byte* at) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(at)));
}
/// The half at `at`.
inline Floats broadcastHalf(const std::byte* at) {
    int16_t half;
    __builtin_memcpy(&half, at, sizeof half);
    return _mm512_cvtph_ps(_mm256_set1_epi16(half));
}
inline Floats loadUpperHalves(const std::byte* at) {
    const __m256i upper = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(at));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(upper), 16));
}
/// To nearest, ties to even.
inline void storeHalves(std::byte* at, Floats v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(at),
                        _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
inline Floats negate(Floats v) {
    return _mm512_sub_ps(_mm512_set1_ps(-0.0F), v);
}
inline Ints asInts(Floats v) {
    return _mm512_castps_si512(v);
}
/// To nearest, ties to even.
inline Ints roundToInts(Floats v) {
    return _mm512_cvtps_epi32(v);
}
inline Floats toFloats(Ints v) {
    return _mm512_cvtepi32_ps(v);
}

/// Stores lanes [begin, end).
inline void storeLanes(float* at, Floats v, uint32_t begin, uint32_t end) {
    const auto mask = static_cast<__mmask16>((1u << end) - (1u << begin));
    _mm512_mask_storeu_ps(at, mask, v);
}

/// Rows of one matrix, as many as there are lanes.
struct Rows {
    const std::byte* quads[kLanes / 4];  ///< rows 0, 4, 8, 12
    size_t stride;

    Rows(const std::byte* first, size_t rowBytes) : stride(rowBytes) {
        for (uint32_t i = 0; i < kLanes / 4; ++i) quads[i] = first + 4 * i * rowBytes;
    }
    void advance(size_t bytes) {
        for (const std::byte*& quad : quads) quad += bytes;
    }
};

/// 16 bytes at `offset` of rows j, j + 4, j + 8, j + 12, one in each 128-bit part.
inline Ints loadQuarter(const Rows& rows, size_t j, size_t offset) {
    const auto part = [&](size_t quad) {
        return _mm_loadu_si128(
            reinterpret_cast<const __m128i_u*>(rows.quads[quad] + j * rows.stride + offset));
    };
    Ints v = _mm512_castsi128_si512(part(0));
    v = _mm512_inserti32x4(v, part(1), 1);
    v = _mm512_inserti32x4(v, part(2), 2);
    return _mm512_inserti32x4(v, part(3), 3);
}

/// The 32 bits at `offset` of each row. `offset` + 4 must lie inside the row.
inline Ints gatherInts(const Rows& rows, size_t offset) {
    const Ints lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const Ints index = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(static_cast<int32_t>(rows.stride)));
    return _mm512_i32gather_epi32(index, rows.quads[0] + offset, 1);
}

/// The half-precision numbers in the lower 16 bits of the lanes.
inline Floats lowHalvesToFloats(Ints v) {
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(v));
}

/// Exact dots of unsigned weight bytes with signed activation bytes, four products a step into each lane.
/// Weight bytes are at most kMaxByte.
template <uint32_t kMaxByte>
struct Dots {
    Ints sums;
    /// Steps after which settle() must be called.
    static constexpr uint32_t kSteps = 8;

    void step(Ints weights, Ints activations) { sums = _mm512_dpbusd_epi32(sums, weights, activations); }
    void settle() {}
};

/// Into the second-level cache: what is needed after more than the first holds.
inline void prefetch(const std::byte* at) {
    _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T1);
}

}  // namespace
}  // namespace ingle::kernels
