// IQ4_NL: value = d * the codebook's level. Plane 0: nibbles; plane 1: a half d for 32 values.
#include "levels.glsl"
#include "codebook.glsl"

struct Raw { uvec4 nibbles; float d; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), halfAt(row, plane1, group));
}

Levels levelsOf(Raw raw, uint group) {
    return Levels(iq4Levels(raw.nibbles), vec2(raw.d), vec2(0));
}
