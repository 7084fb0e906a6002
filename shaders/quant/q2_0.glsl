// Q2_0: value = d * (pair - 1). Plane 0: pairs of bits; plane 1: a half d for 64 values.
#include "levels.glsl"

struct Raw { uint low, high; float d; };

Raw rawAt(uint row, uint group) {
    return Raw(wordAt(row, 0, 2 * group), wordAt(row, 0, 2 * group + 1), halfAt(row, plane1, group / 2));
}

Levels levelsOf(Raw raw, uint group) {
    return Levels(bitPairs(raw.low, raw.high), vec2(raw.d), vec2(-raw.d));
}
