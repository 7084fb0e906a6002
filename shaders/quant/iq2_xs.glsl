// IQ2_XS: value = d * (2 * scale + 1) / 8 * (8, 25 or 43), with its sign. Plane 0: 16 bits for 8 values, an index of
// 9 bits and seven signs; plane 1: nibbles, a scale for 16 values; plane 2: a half d for 256.
#define TWO_SCALES
#include "levels.glsl"
#include "grid.glsl"

struct Raw { uvec2 fields; uint scales; uint d; };

Raw rawAt(uint row, uint group) {
    const uvec2 fields = uvec2(wordAt(row, 0, 2 * group), wordAt(row, 0, 2 * group + 1));
    return Raw(fields, byteAt(row, plane1, group), shortAt(row, plane2, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    const vec2 scale = 0.125 * halfOf(raw.d) * vec2(2 * (raw.scales & 15) + 1, 2 * (raw.scales >> 4) + 1);
    uint q[8];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint field = raw.fields[i / 2] >> 16 * (i % 2);
        const uvec2 values = iq2Values(field & 511, signsOf7Bits(field >> 9));
        q[2 * i] = values.x;
        q[2 * i + 1] = values.y;
    }
    return Levels(q, scale, vec2(0));
}
