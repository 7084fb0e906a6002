// Q5_K: value = d * scale * five bits - dmin * min. Plane 0: nibbles; plane 1: fifth bits; plane 2: bytes
// scale, min for 32 values; plane 3: halves d, dmin for 256.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const uint scaleMin = shortAt(row, plane2, group);
    const vec2 d = unpackHalf2x16(wordAt(row, plane3, group / 8));
    return Levels(fiveBits(vectorAt(row, 0, group), wordAt(row, plane1, group)),
                  vec2(d.x * float(scaleMin & 255)), vec2(-d.y * float(scaleMin >> 8)));
}
