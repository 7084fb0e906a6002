// Q5_1: value = d * five bits + m. Plane 0: nibbles; plane 1: fifth bits; plane 2: halves d, m for 32 values.
#include "levels.glsl"

struct Raw { uvec4 nibbles; uint fifths, dm; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), wordAt(row, plane1, group), wordAt(row, plane2, group));
}

Levels levelsOf(Raw raw, uint group) {
    const vec2 dm = unpackHalf2x16(raw.dm);
    return Levels(fiveBits(raw.nibbles, raw.fifths), dm.xx, dm.yy);
}

#ifdef HALVES
#define HALVES_OF
uvec4[4] halvesOf(Raw raw) {
    const f16vec2 dm = unpackFloat2x16(raw.dm);
    uvec4 eights[4];
    [[unroll]] for (uint i = 0; i < 4; ++i)
        eights[i] =
            packed(scaled(nibblesLess(raw.nibbles[i], fifthBits(raw.fifths >> 8 * i & 255), 0.0hf), dm.x, dm.y));
    return eights;
}
#endif
