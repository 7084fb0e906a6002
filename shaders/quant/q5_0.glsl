// Q5_0: value = d * (five bits - 16). Plane 0: nibbles; plane 1: fifth bits; plane 2: a half d for 32 values.
#include "levels.glsl"

struct Raw { uvec4 nibbles; uint fifths; float d; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), wordAt(row, plane1, group), halfAt(row, plane2, group));
}

Levels levelsOf(Raw raw, uint group) {
    return Levels(fiveBits(raw.nibbles, raw.fifths), vec2(raw.d), vec2(-16 * raw.d));
}
