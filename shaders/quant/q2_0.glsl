// Q2_0: value = d * (pair - 1). Plane 0: pairs of bits; plane 1: a half d for 64 values.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const float d = halfAt(row, plane1, group / 2);
    return Levels(bitPairs(row, 0, group), vec2(d), vec2(-d));
}
