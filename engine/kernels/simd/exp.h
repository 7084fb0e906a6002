/// e^x for vectors.
#pragma once

#include "engine/kernels/simd/simd.h"

namespace ingle::kernels {
namespace {

/// e^x with a relative error below 2e-7; 2^-126 or less becomes 2^-126, and the largest floats stay finite;
/// NaN stays NaN. x = n ln 2 + r with |r| <= ln 2 / 2: the Taylor series of e^r to the seventh power is off
/// by less than r^8 / 8! = 6e-9.
inline Floats exp(Floats x) {
    x = min(broadcast(88.3F), max(broadcast(-87.3F), x));
    const Floats n = roundToNearest(multiply(x, broadcast(1.44269504F)));
    // ln 2 in two parts, the first with few enough bits that n times it is exact.
    Floats r = fma(n, broadcast(-0x1.62e4p-1F), x);
    r = fma(n, broadcast(-0x1.7f7d1cp-20F), r);
    Floats p = broadcast(1.0F / 5040);
    p = fma(p, r, broadcast(1.0F / 720));
    p = fma(p, r, broadcast(1.0F / 120));
    p = fma(p, r, broadcast(1.0F / 24));
    p = fma(p, r, broadcast(1.0F / 6));
    p = fma(p, r, broadcast(0.5F));
    p = fma(p, r, broadcast(1.0F));
    p = fma(p, r, broadcast(1.0F));
    // 2^n by its exponent bits: -126 <= n <= 127.
    return multiply(p, asFloats(shiftLeft(add(roundToInts(n), broadcastInt(127)), 23)));
}

}  // namespace
}  // namespace ingle::kernels
