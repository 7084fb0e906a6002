// Q4_0: value = d * (nibble - 8). Plane 0: nibbles; plane 1: a half d for 32 values.
#include "levels.glsl"

struct Raw { uvec4 nibbles; float d; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), halfAt(row, plane1, group));
}

Levels levelsOf(Raw raw, uint group) {
    return Levels(nibbles(raw.nibbles), vec2(raw.d), vec2(-8 * raw.d));
}
