/// e^x for vectors.
#pragma once

#include "engine/kernels/simd/simd.h"

namespace ingle::kernels {
namespace {

/// e^x with a relative error below 1e-7; 2^-126 or less becomes 2^-126, and the largest floats stay finite;
/// NaN stays NaN. x = n ln 2 + r with |r| <= ln 2 / 2. e^r is 1 + r + ... to the sixth power, the
/// coefficients fitted for the least relative error (3e-9) by iterated least squares.
inline Floats exp(Floats x) {
    x = min(broadcast(88.3F), max(broadcast(-87.3F), x));
    // What is added to 1.5 * 2^23 is rounded to a whole number, which lies in the last bits of the sum.
    const Floats large = broadcast(0x1.8p23F);
    const Floats shifted = fma(x, broadcast(1.44269504F), large);
    const Floats n = subtract(shifted, large);
    // ln 2 in two parts, the first with few enough bits that n times it is exact.
    Floats r = fma(n, broadcast(-0x1.62e4p-1F), x);
    r = fma(n, broadcast(-0x1.7f7d1cp-20F), r);
    Floats p = broadcast(0x1.6a23d0p-10F);
    p = fma(p, r, broadcast(0x1.123a20p-7F));
    p = fma(p, r, broadcast(0x1.5558f2p-5F));
    p = fma(p, r, broadcast(0x1.555492p-3F));
    p = fma(p, r, broadcast(0x1.fffffcp-2F));
    p = fma(p, r, broadcast(1.0F));
    p = fma(p, r, broadcast(1.0F));
    // Times 2^n by adding n to the exponent: -126 <= n <= 127, and p >= 1 where n is -126.
    return asFloats(add(asInts(p), shiftLeft(asInts(shifted), 23)));
}

}  // namespace
}  // namespace ingle::kernels
