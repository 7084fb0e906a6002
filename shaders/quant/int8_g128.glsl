// INT8_G128: value = scale * (byte + 128 - zero). Plane 0: signed bytes; plane 1: a head for 128 values.
#include "levels.glsl"
#include "group_head.glsl"

struct Raw { uvec4 low, high; uint head; };

Raw rawAt(uint row, uint group) {
    return Raw(vectorAt(row, 0, 2 * group), vectorAt(row, 0, 2 * group + 1), wordAt(row, plane1, group / 4));
}

Levels levelsOf(Raw raw, uint group) {
    return withHead(bytesOf(raw.low, raw.high), raw.head, 128);
}
