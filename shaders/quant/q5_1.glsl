// Q5_1: value = d * five bits + m. Plane 0: nibbles; plane 1: fifth bits; plane 2: halves d, m for 32 values.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const vec2 dm = unpackHalf2x16(wordAt(row, plane2, group));
    return Levels(fiveBits(vectorAt(row, 0, group), wordAt(row, plane1, group)), dm.xx, dm.yy);
}
