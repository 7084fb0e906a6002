// Q6_K: value = d * scale * (six bits - 32). Plane 0: nibbles; plane 1: upper pairs of bits; plane 2: a
// signed byte scale for 16 values; plane 3: a half d for 256.
#define TWO_SCALES
#include "levels.glsl"

struct Raw { uvec4 nibbles; uint low, high, scales; uint d; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), wordAt(row, plane1, 2 * group), wordAt(row, plane1, 2 * group + 1),
               shortAt(row, plane2, group), shortAt(row, plane3, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    const vec2 scale = halfOf(raw.d) * signedBytes(raw.scales).xy;
    uint q[8] = nibbles(raw.nibbles);
    const uint upper[8] = bitPairs(raw.low, raw.high);
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] |= upper[i] << 4;
    return Levels(q, scale, -32 * scale);
}

#ifdef HALVES
#define HALVES_OF
uvec4[4] halvesOf(Raw raw) {
    const vec2 scales = halfOf(raw.d) * signedBytes(raw.scales).xy;
    const f16vec2 rounded = f16vec2(scales);
    const uvec4 upper = uvec4(raw.low, raw.low >> 16, raw.high, raw.high >> 16) & 0xFFFFu;
    uvec4 eights[4];
    [[unroll]] for (uint i = 0; i < 4; ++i)
        eights[i] = packed(scaled(nibblesLess(raw.nibbles[i], upperPairs(upper[i]), 32.0hf), rounded[i / 2]));
    return eights;
}
#endif
