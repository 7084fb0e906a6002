/// The head that Q4_K and Q5_K share: f16 d, f16 dmin, and 12 bytes of eight 6-bit scales and minimums.
/// Packing: quant::scaleAndMin.
#pragma once

#include "engine/kernels/simd/block_matmul.h"

namespace ingle::kernels {
namespace {

template <typename Format>
void unpackScalesAndMins(const Rows& rows, Unit<Format>& unit) {
    const Ints halves = gatherInts(rows, 0);
    const Floats d = lowHalvesToFloats(halves);
    const Floats minusDmin = negate(lowHalvesToFloats(shiftRight(halves, 16)));
    const Ints first = gatherInts(rows, 4);
    const Ints second = gatherInts(rows, 8);
    const Ints third = gatherInts(rows, 12);
    const Ints six = bytes(63);
    const Ints low = bytes(15);
    const Ints high = bytes(0x30);
    const Ints scales[2] = {bitAnd(first, six),
                            bitOr(bitAnd(third, low), bitAnd(shiftRight(first, 2), high))};
    const Ints mins[2] = {bitAnd(second, six),
                          bitOr(bitAnd(shiftRight(third, 4), low), bitAnd(shiftRight(second, 2), high))};
    for (int k = 0; k < 8; ++k) {
        unit.scales[k][0] = multiply(d, byteToFloats(scales[k / 4], k % 4));
        unit.mins[k][0] = multiply(minusDmin, byteToFloats(mins[k / 4], k % 4));
    }
}

}  // namespace
}  // namespace ingle::kernels
