// Q8_0: value = d * byte. Plane 0: signed bytes; plane 1: a half d for 32 values.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const uvec4 low = vectorAt(row, 0, 2 * group), high = vectorAt(row, 0, 2 * group + 1);
    const uint q[8] = uint[8](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
    return Levels(q, vec2(halfAt(row, plane1, group)), vec2(0));
}
