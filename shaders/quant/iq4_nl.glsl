// IQ4_NL: value = d * the codebook's level. Plane 0: nibbles; plane 1: a half d for 32 values.
#include "levels.glsl"
#include "codebook.glsl"

struct Raw { uvec4 nibbles; uint d; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), shortAt(row, plane1, group));
}

Levels levelsOf(Raw raw, uint group) {
    return Levels(iq4Levels(raw.nibbles), vec2(halfOf(raw.d)), vec2(0));
}

#ifdef HALVES
#define HALVES_OF
uvec4[4] halvesOf(Raw raw) {
    const float16_t d = unpackFloat2x16(raw.d).x;
    const uint q[8] = iq4Levels(raw.nibbles);
    uvec4 eights[4];
    [[unroll]] for (uint i = 0; i < 4; ++i)
        eights[i] = packed(scaled(signedEight(q[2 * i], q[2 * i + 1]), d));
    return eights;
}
#endif
