// Q2_K: value = d * scale * pair - dmin * min. Plane 0: pairs of bits; plane 1: a byte for 16 values, scale
// in the low nibble and min in the high one; plane 2: halves d, dmin for 256.
#define TWO_SCALES
#include "levels.glsl"

struct Raw { uint low, high, scaleMin, d; };

Raw rawAt(uint row, uint group) {
    return Raw(wordAt(row, 0, 2 * group), wordAt(row, 0, 2 * group + 1), shortAt(row, plane1, group),
               wordAt(row, plane2, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    const vec2 d = unpackHalf2x16(raw.d);
    return Levels(bitPairs(raw.low, raw.high), d.x * vec2(raw.scaleMin & 15, raw.scaleMin >> 8 & 15),
                  -d.y * vec2(raw.scaleMin >> 4 & 15, raw.scaleMin >> 12));
}
