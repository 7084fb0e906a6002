/// What the kernels of IQ1, IQ2 and IQ3 share: entries of a grid, and signs that are stored as bits.
#pragma once

#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels {
namespace {

/// Signs of eight values in each byte, whose eighth bit makes the number of minus signs even: of bytes in
/// which that bit is 0. quant::signsOf7Bits
inline Ints withEighthSign(Ints signs) {
    static constexpr uint8_t kOdd[16] = {0,    0x80, 0x80, 0,    0x80, 0,    0,    0x80,
                                         0x80, 0,    0,    0x80, 0,    0x80, 0x80, 0};
    const Ints folded = bitAnd(bitXor(signs, shiftRight(signs, 4)), bytes(15));
    return bitOr(signs, lookUp(tableOf16(kOdd), folded));
}

/// Four groups of 7 bits, one after the other from bit 0 on, as bytes.
inline Ints sevenBitsToBytes(Ints v) {
    const auto part = [v](int i) { return bitAnd(shiftLeft(v, i), broadcastInt(0x7F << (8 * i))); };
    return bitOr(bitOr(part(0), part(1)), bitOr(part(2), part(3)));
}

/// Values with an offset: magnitudes of `half` of eight, whose signs are the bits of byte `group`.
inline Ints signedBytes(Ints magnitudes, Ints signs, uint32_t group, uint32_t half, uint8_t offset) {
    return addSigned(bytes(offset), magnitudes, spreadByte(signs, static_cast<int>(group)), fourBits(half));
}

/// d * (2 * scale + 1) * unit
inline Floats oddScale(Floats d, Ints scale, float unit) {
    const Ints odd = add(add(scale, scale), broadcastInt(1));
    return multiply(multiply(d, toFloats(odd)), broadcast(unit));
}

}  // namespace
}  // namespace ingle::kernels
