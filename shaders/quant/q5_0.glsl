// Q5_0: value = d * (five bits - 16). Plane 0: nibbles; plane 1: fifth bits; plane 2: a half d for 32 values.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const float d = halfAt(row, plane2, group);
    return Levels(fiveBits(vectorAt(row, 0, group), wordAt(row, plane1, group)), vec2(d), vec2(-16 * d));
}
