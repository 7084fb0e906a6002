// Q5_0: value = d * (five bits - 16). Plane 0: nibbles; plane 1: fifth bits; plane 2: a half d for 32 values.
#include "levels.glsl"

struct Raw { uvec4 nibbles; uint fifths; uint d; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), wordAt(row, plane1, group), shortAt(row, plane2, group));
}

Levels levelsOf(Raw raw, uint group) {
    return Levels(fiveBits(raw.nibbles, raw.fifths), vec2(halfOf(raw.d)), vec2(-16 * halfOf(raw.d)));
}

#ifdef HALVES
#define HALVES_OF
uvec4[4] halvesOf(Raw raw) {
    const float16_t d = unpackFloat2x16(raw.d).x;
    uvec4 eights[4];
    [[unroll]] for (uint i = 0; i < 4; ++i)
        eights[i] = packed(scaled(nibblesLess(raw.nibbles[i], fifthBits(raw.fifths >> 8 * i & 255), 16.0hf), d));
    return eights;
}
#endif
