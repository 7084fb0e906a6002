// IQ1_S: value = d * (2 * scale + 1) * (the grid's value +- 1/8). Plane 0: bytes, the low bits of indices; plane 1:
// 16 bits for 32 values: four times three upper bits of an index, a scale of 3 bits, and a bit set where 1/8 is taken
// off; plane 2: a half d for 256.
#include "levels.glsl"
#include "grid.glsl"

struct Raw { uint indices, fields; uint d; };

Raw rawAt(uint row, uint group) {
    return Raw(wordAt(row, 0, group), shortAt(row, plane1, group), shortAt(row, plane2, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    const vec2 scale = vec2(0.125 * halfOf(raw.d) * float(2 * (raw.fields >> 12 & 7) + 1));
    uint q[8];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint high = raw.fields >> 3 * i & 7;
        const uvec2 values = iq1Values(raw.indices >> 8 * i & 255 | high << 8, 1 - (raw.fields >> 15));
        q[2 * i] = values.x;
        q[2 * i + 1] = values.y;
    }
    return Levels(q, scale, -9 * scale);
}
