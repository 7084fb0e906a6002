// Q6_K: value = d * scale * (six bits - 32). Plane 0: nibbles; plane 1: upper pairs of bits; plane 2: a
// signed byte scale for 16 values; plane 3: a half d for 256.
#define TWO_SCALES
#include "levels.glsl"

struct Raw { uvec4 nibbles; uint low, high, scales; float d; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), wordAt(row, plane1, 2 * group), wordAt(row, plane1, 2 * group + 1),
               shortAt(row, plane2, group), halfAt(row, plane3, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    const vec2 scale = raw.d * signedBytes(raw.scales).xy;
    uint q[8] = nibbles(raw.nibbles);
    const uint upper[8] = bitPairs(raw.low, raw.high);
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] |= upper[i] << 4;
    return Levels(q, scale, -32 * scale);
}
