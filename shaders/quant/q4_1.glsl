// Q4_1: value = d * nibble + m. Plane 0: nibbles; plane 1: halves d, m for 32 values.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const vec2 dm = unpackHalf2x16(wordAt(row, plane1, group));
    return Levels(nibbles(vectorAt(row, 0, group)), dm.xx, dm.yy);
}
