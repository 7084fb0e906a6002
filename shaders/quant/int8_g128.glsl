// INT8_G128: value = scale * (byte + 128 - zero). Plane 0: signed bytes; plane 1: a head for 128 values.
#include "levels.glsl"
#include "group_head.glsl"

Levels levelsAt(uint row, uint group) {
    const uvec4 low = vectorAt(row, 0, 2 * group), high = vectorAt(row, 0, 2 * group + 1);
    const uint q[8] = uint[8](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
    return withHead(q, wordAt(row, plane1, group / 4), 128);
}
