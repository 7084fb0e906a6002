// Q5_1: value = d * five bits + m. Plane 0: nibbles; plane 1: fifth bits; plane 2: halves d, m for 32 values.
#include "levels.glsl"

struct Raw { uvec4 nibbles; uint fifths, dm; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), wordAt(row, plane1, group), wordAt(row, plane2, group));
}

Levels levelsOf(Raw raw, uint group) {
    const vec2 dm = unpackHalf2x16(raw.dm);
    return Levels(fiveBits(raw.nibbles, raw.fifths), dm.xx, dm.yy);
}
