// Q8_0: value = d * byte. Plane 0: signed bytes; plane 1: a half d for 32 values.
#include "levels.glsl"

struct Raw { uvec4 low, high; float d; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, 2 * group), vectorAt(row, 0, 2 * group + 1), halfAt(row, plane1, group));
}

Levels levelsOf(Raw raw, uint group) {
    return Levels(bytesOf(raw.low, raw.high), vec2(raw.d), vec2(0));
}
