// IQ1_S, IQ1_M: value = d * (2 * scale + 1) * (pair - 1 +- 1/8), in eighths: 8 * pair + (2 or 0) - 9. Plane 0: pairs of
// bits; plane 1: 16 bits for 32 values: two scales of 3 bits, then a bit for 8 values, set where 1/8 is added; plane 2: a
// half d for 256.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const uint fields = shortAt(row, plane1, group);
    const vec2 scale = 0.125 * halfAt(row, plane2, group / 8) * vec2(2 * (fields & 7) + 1, 2 * (fields >> 3 & 7) + 1);
    uint q[8] = bitPairs(row, 0, group);
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] = q[i] << 3 | (fields >> 6 + i / 2 & 1) * 0x02020202u;
    return Levels(q, scale, -9 * scale);
}
