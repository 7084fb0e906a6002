// Q6_K: value = d * scale * (six bits - 32). Plane 0: nibbles; plane 1: upper pairs of bits; plane 2: a
// signed byte scale for 16 values; plane 3: a half d for 256.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const vec2 scale = halfAt(row, plane3, group / 8) * signedBytes(shortAt(row, plane2, group)).xy;
    uint q[8] = nibbles(vectorAt(row, 0, group));
    const uint upper[8] = bitPairs(row, plane1, group);
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] |= upper[i] << 4;
    return Levels(q, scale, -32 * scale);
}
