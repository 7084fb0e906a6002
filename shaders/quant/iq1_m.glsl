// IQ1_M: value = d * (2 * scale + 1) * (the grid's value +- 1/8). Plane 0: bytes, the low bits of indices; plane 1:
// nibbles, three upper bits of an index and a bit set where 1/8 is taken off; plane 2: for 256 values four times 16
// bits: four scales of 3 bits, each of 16 values, and a nibble of the half d.
#define TWO_SCALES
#include "levels.glsl"
#include "grid.glsl"

struct Raw { uint indices, fields; uvec2 block; uint scales; };

Raw rawAt(uint row, uint group) {
    const uvec2 block = uvec2(wordAt(row, plane2, group / 8 * 2), wordAt(row, plane2, group / 8 * 2 + 1));
    return Raw(wordAt(row, 0, group), shortAt(row, plane1, group), block, shortAt(row, plane2, group / 2));
}

Levels levelsOf(Raw raw, uint group) {
    const uvec2 nibbles = raw.block >> 12 & 15 | raw.block >> 24 & 0xF0;
    const float d = unpackHalf2x16(nibbles.x | nibbles.y << 8).x;
    const uint scales = raw.scales >> group % 2 * 6;
    const vec2 scale = 0.125 * d * vec2(2 * (scales & 7) + 1, 2 * (scales >> 3 & 7) + 1);
    uint q[8];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint field = raw.fields >> 4 * i;
        const uvec2 values = iq1Values(raw.indices >> 8 * i & 255 | (field & 7) << 8, 1 - (field >> 3 & 1));
        q[2 * i] = values.x;
        q[2 * i + 1] = values.y;
    }
    return Levels(q, scale, -9 * scale);
}
