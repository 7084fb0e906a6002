// Q2_K: value = d * scale * pair - dmin * min. Plane 0: pairs of bits; plane 1: a byte for 16 values, scale
// in the low nibble and min in the high one; plane 2: halves d, dmin for 256.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const uint scaleMin = shortAt(row, plane1, group);
    const vec2 d = unpackHalf2x16(wordAt(row, plane2, group / 8));
    return Levels(bitPairs(row, 0, group), d.x * vec2(scaleMin & 15, scaleMin >> 8 & 15),
                  -d.y * vec2(scaleMin >> 4 & 15, scaleMin >> 12));
}
