// IQ3_XXS: value = d * (2 * scale + 1) / 2 * (2, 6 … 26 or 31), with its sign. Plane 0: bytes, indices; plane 1: a
// word for 32 values, four times seven signs and a scale in the top nibble; plane 2: a half d for 256.
#include "levels.glsl"
#include "grid.glsl"

// Only the largest level, 7, is odd: 4 * 7 + 2 + 1.
uint magnitudes(uint levels) {
    return (levels << 2) + 0x02020202u + (levels + 0x01010101u >> 3 & 0x01010101u);
}

struct Raw { uvec2 indices; uint fields; uint d; };

Raw rawAt(uint row, uint group) {
    const uvec2 indices = uvec2(wordAt(row, 0, 2 * group), wordAt(row, 0, 2 * group + 1));
    return Raw(indices, wordAt(row, plane1, group), shortAt(row, plane2, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    const float scale = 0.5 * halfOf(raw.d) * float(2 * (raw.fields >> 28) + 1);
    uint q[8];
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        const uint signs = signsOf7Bits(raw.fields >> 7 * (i / 2)) >> 4 * (i % 2);
        q[i] = withSigns(magnitudes(iq3Levels(raw.indices[i / 4] >> 8 * (i % 4) & 255)), signs);
    }
    return Levels(q, vec2(scale), vec2(0));
}
