// IQ2_XXS: value = d * (2 * scale + 1) / 8 * (8, 25 or 43), with its sign. Plane 0: two words for 32 values: bytes,
// four indices; four times seven signs, and a scale in the top nibble; plane 1: a half d for 256.
#include "levels.glsl"
#include "grid.glsl"

struct Raw { uint indices, signs; uint d; };

Raw rawAt(uint row, uint group) {
    return Raw(wordAt(row, 0, 2 * group), wordAt(row, 0, 2 * group + 1), shortAt(row, plane1, group / 8));
}

Levels levelsOf(Raw raw, uint group) {
    const float scale = 0.125 * halfOf(raw.d) * float(2 * (raw.signs >> 28) + 1);
    uint q[8];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uvec2 values = iq2Values(raw.indices >> 8 * i & 255, signsOf7Bits(raw.signs >> 7 * i));
        q[2 * i] = values.x;
        q[2 * i + 1] = values.y;
    }
    return Levels(q, vec2(scale), vec2(0));
}
