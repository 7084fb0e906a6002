// TQ2_0: value = d * (pair - 1). Plane 0: pairs of bits; plane 1: a half d for 256 values.
#include "levels.glsl"

struct Raw { uint low, high; uint d; };

Raw rawAt(uint row, uint group) {
    return Raw(wordAt(row, 0, 2 * group), wordAt(row, 0, 2 * group + 1), shortAt(row, plane1, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    return Levels(bitPairs(raw.low, raw.high), vec2(halfOf(raw.d)), vec2(-halfOf(raw.d)));
}
