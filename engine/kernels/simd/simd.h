/// The vector operations of the instruction set this file is being compiled for.
#pragma once

#if defined(__AVX512F__)
#include "engine/kernels/simd/avx512.h"
#else
#include "engine/kernels/simd/avx2.h"
#endif

namespace ingle::kernels {
namespace {

/// 16 bytes at `offset` of each row, turned: lane r of out[g] holds bytes 4g … 4g + 3 of row r.
inline void loadColumn(const Rows& rows, size_t offset, Ints* out) {
    const Ints a = loadQuarter(rows, 0, offset);
    const Ints b = loadQuarter(rows, 1, offset);
    const Ints c = loadQuarter(rows, 2, offset);
    const Ints d = loadQuarter(rows, 3, offset);
    const Ints lowAb = unpackLow32(a, b);
    const Ints lowCd = unpackLow32(c, d);
    const Ints highAb = unpackHigh32(a, b);
    const Ints highCd = unpackHigh32(c, d);
    out[0] = unpackLow64(lowAb, lowCd);
    out[1] = unpackHigh64(lowAb, lowCd);
    out[2] = unpackLow64(highAb, highCd);
    out[3] = unpackHigh64(highAb, highCd);
}

/// The half at `offset` of each row.
inline Floats loadHalves(const Rows& rows, size_t offset) {
    return lowHalvesToFloats(gatherInts(rows, offset));
}

/// Byte `index` of each lane, unsigned, as a float.
inline Floats byteToFloats(Ints v, int index) {
    return toFloats(bitAnd(shiftRight(v, 8 * index), broadcastInt(255)));
}

/// The half that is the last number of a row's block of `blockBytes`: read with the two bytes before it, so
/// that nothing behind the row is touched.
inline Floats loadLastHalf(const Rows& rows, size_t blockBytes) {
    return lowHalvesToFloats(shiftRight(gatherInts(rows, blockBytes - 4), 16));
}

/// Bits of the lanes from `first` on, as many as `mask` has.
inline Ints bitsFrom(Ints v, int first, int32_t mask) {
    return bitAnd(shiftRight(v, first), broadcastInt(mask));
}

/// In byte i of each lane the bit i, or i + 4 in the upper half of eight: for whereBit and addSigned, of
/// spread bytes.
inline Ints fourBits(uint32_t half) {
    return broadcastInt(static_cast<int32_t>(half == 0 ? 0x08040201u : 0x80402010u));
}

/// The same four bytes in every lane.
inline Ints bytes(uint8_t value) {
    return broadcastInt(static_cast<int32_t>(value * 0x01010101u));
}

}  // namespace
}  // namespace ingle::kernels
