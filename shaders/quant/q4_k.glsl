// Q4_K: value = d * scale * nibble - dmin * min. Plane 0: nibbles; plane 1: bytes scale, min for 32 values; plane 2:
// halves d, dmin for 256.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const uint scaleMin = shortAt(row, plane1, group);
    const vec2 d = unpackHalf2x16(wordAt(row, plane2, group / 8));
    return Levels(nibbles(vectorAt(row, 0, group)), vec2(d.x * float(scaleMin & 255)),
                  vec2(-d.y * float(scaleMin >> 8)));
}
