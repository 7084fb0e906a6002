// INT4_G128: value = scale * (nibble - zero). Plane 0: nibbles; plane 1: a head for 128 values.
#include "levels.glsl"
#include "group_head.glsl"

struct Raw { uvec4 nibbles; uint head; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, group), wordAt(row, plane1, group / 4));
}

Levels levelsOf(Raw raw, uint group) {
    return withHead(nibbles(raw.nibbles), raw.head, 0);
}
