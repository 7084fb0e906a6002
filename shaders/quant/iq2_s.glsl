// IQ2_S: value = d * (2 * scale + 1) / 8 * (8, 25 or 43), with its sign. For 256 values: plane 0: 32 bytes, the low
// bits of indices, then 32 of signs; plane 1: 8 bytes, two upper bits of four indices each, then 8 of nibbles, a
// scale for 16 values; plane 2: a half d.
#define TWO_SCALES
#include "levels.glsl"
#include "grid.glsl"

struct Raw { uint indices, signs, high, scales; uint d; };

Raw rawAt(uint row, uint group) {
    const uint block = group / 8, inBlock = group % 8;
    return Raw(wordAt(row, 0, 16 * block + inBlock), wordAt(row, 0, 16 * block + 8 + inBlock),
               byteAt(row, plane1, 16 * block + inBlock), byteAt(row, plane1, 16 * block + 8 + inBlock),
               shortAt(row, plane2, block));
}

Levels levelsOf(Raw raw, uint group) {
    const vec2 scale = 0.125 * halfOf(raw.d) * vec2(2 * (raw.scales & 15) + 1, 2 * (raw.scales >> 4) + 1);
    uint q[8];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uvec2 values = iq2Values(raw.indices >> 8 * i & 255 | (raw.high >> 2 * i & 3) << 8, raw.signs >> 8 * i);
        q[2 * i] = values.x;
        q[2 * i + 1] = values.y;
    }
    return Levels(q, scale, vec2(0));
}
