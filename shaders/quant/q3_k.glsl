// Q3_K: value = d * scale * (pair + 4 * third bit - 4). Plane 0: pairs of bits; plane 1: third bits; plane 2:
// a signed byte scale for 16 values; plane 3: a half d for 256.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const uint thirds = wordAt(row, plane1, group);
    const vec2 scale = halfAt(row, plane3, group / 8) * signedBytes(shortAt(row, plane2, group)).xy;
    uint q[8] = bitPairs(row, 0, group);
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] |= bits(thirds >> 4 * i) << 2;
    return Levels(q, scale, -4 * scale);
}
