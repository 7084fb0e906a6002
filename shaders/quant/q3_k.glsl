// Q3_K: value = d * scale * (pair + 4 * third bit - 4). Plane 0: pairs of bits; plane 1: third bits; plane 2:
// a signed byte scale for 16 values; plane 3: a half d for 256.
#define TWO_SCALES
#include "levels.glsl"

struct Raw { uint low, high, thirds, scales; uint d; };

Raw rawAt(uint row, uint group) {
    return Raw(wordAt(row, 0, 2 * group), wordAt(row, 0, 2 * group + 1), wordAt(row, plane1, group),
               shortAt(row, plane2, group), shortAt(row, plane3, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    const vec2 scale = halfOf(raw.d) * signedBytes(raw.scales).xy;
    uint q[8] = bitPairs(raw.low, raw.high);
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] |= bits(raw.thirds >> 4 * i) << 2;
    return Levels(q, scale, -4 * scale);
}
