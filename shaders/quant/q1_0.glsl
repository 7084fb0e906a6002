// Q1_0: value = d or -d. Plane 0: bits; plane 1: a half d for 128 values.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const float d = halfAt(row, plane1, group / 4);
    const uint word = wordAt(row, 0, group);
    uint q[8];
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] = bits(word >> 4 * i);
    return Levels(q, vec2(2 * d), vec2(-d));
}
