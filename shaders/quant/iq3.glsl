// IQ3_XXS, IQ3_S: value = d * (2 * scale + 1) / 2 * (4 * nibble - 30); the outermost two of IQ3_XXS are 31 instead of 30.
// Plane 0: nibbles; plane 1: a byte for 32 values, the scale in the low nibble and 1 in the high one for IQ3_XXS; plane 2:
// a half d for 256.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const uint ones = 0x01010101u;
    const uint fields = byteAt(row, plane1, group);
    const uint wideEnds = fields >> 4;
    const float scale = 0.5 * halfAt(row, plane2, group / 8) * float(2 * (fields & 15) + 1);
    uint q[8] = nibbles(vectorAt(row, 0, group));
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        const uint top = q[i] + ones >> 4 & ones;             // the nibble is 15
        const uint bottom = ~(q[i] + 15 * ones) >> 4 & ones;  // the nibble is 0
        q[i] = (q[i] << 2) + ones + wideEnds * (top - bottom);
    }
    return Levels(q, vec2(scale), vec2(-31 * scale));
}
