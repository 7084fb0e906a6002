// Q4_0: value = d * (nibble - 8). Plane 0: nibbles; plane 1: a half d for 32 values.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const float d = halfAt(row, plane1, group);
    return Levels(nibbles(vectorAt(row, 0, group)), vec2(d), vec2(-8 * d));
}
