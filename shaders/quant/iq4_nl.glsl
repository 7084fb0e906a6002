// IQ4_NL: value = d * the codebook's level. Plane 0: nibbles; plane 1: a half d for 32 values.
#include "levels.glsl"
#include "codebook.glsl"

Levels levelsAt(uint row, uint group) {
    return Levels(iq4Levels(row, group), vec2(halfAt(row, plane1, group)), vec2(0));
}
