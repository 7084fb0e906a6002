// IQ4_XS: value = d * scale * the codebook's level. Plane 0: nibbles; plane 1: a signed byte scale for 32 values;
// plane 2: a half d for 256.
#include "levels.glsl"
#include "codebook.glsl"

struct Raw { uvec4 nibbles; uint scale; uint d; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), byteAt(row, plane1, group), shortAt(row, plane2, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    return Levels(iq4Levels(raw.nibbles), vec2(halfOf(raw.d) * signedBytes(raw.scale).x), vec2(0));
}
