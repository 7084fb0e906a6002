// INT4_G32: value = scale * (nibble - zero). Plane 0: nibbles; plane 1: a head for 32 values.
#include "levels.glsl"
#include "group_head.glsl"

Levels levelsAt(uint row, uint group) {
    return withHead(nibbles(vectorAt(row, 0, group)), wordAt(row, plane1, group), 0);
}
