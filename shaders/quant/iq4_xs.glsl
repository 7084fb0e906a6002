// IQ4_XS: value = d * scale * the codebook's level. Plane 0: nibbles; plane 1: a signed byte scale for 32 values;
// plane 2: a half d for 256.
#include "levels.glsl"
#include "codebook.glsl"

Levels levelsAt(uint row, uint group) {
    const float scale = halfAt(row, plane2, group / 8) * signedBytes(byteAt(row, plane1, group)).x;
    return Levels(iq4Levels(row, group), vec2(scale), vec2(0));
}
