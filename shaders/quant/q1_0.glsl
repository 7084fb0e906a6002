// Q1_0: value = d or -d. Plane 0: bits; plane 1: a half d for 128 values.
#include "levels.glsl"

struct Raw { uint bits; uint d; };

Raw rawAt(uint row, uint group) {
    return Raw(wordAt(row, 0, group), shortAt(row, plane1, group / 4));
}

Levels levelsOf(Raw raw, uint group) {
    uint q[8];
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] = bits(raw.bits >> 4 * i);
    return Levels(q, vec2(2 * halfOf(raw.d)), vec2(-halfOf(raw.d)));
}
