// Q4_K: value = d * scale * nibble - dmin * min. Plane 0: nibbles; plane 1: bytes scale, min for 32 values; plane 2:
// halves d, dmin for 256.
#include "levels.glsl"

struct Raw { uvec4 nibbles; uint scaleMin, d; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), shortAt(row, plane1, group), wordAt(row, plane2, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    const vec2 d = unpackHalf2x16(raw.d);
    return Levels(nibbles(raw.nibbles), vec2(d.x * float(raw.scaleMin & 255)), vec2(-d.y * float(raw.scaleMin >> 8)));
}

#ifdef HALVES
#define HALVES_OF
uvec4[4] halvesOf(Raw raw) {
    const vec2 d = unpackHalf2x16(raw.d);
    const float scale = d.x * float(raw.scaleMin & 255);
    // Of levels about zero, so that little is lost where both are rounded.
    const float offset = 8 * scale - d.y * float(raw.scaleMin >> 8);
    uvec4 eights[4];
    [[unroll]] for (uint i = 0; i < 4; ++i)
        eights[i] = packed(scaled(nibblesLess(raw.nibbles[i], 8.0hf), float16_t(scale), float16_t(offset)));
    return eights;
}
#endif
