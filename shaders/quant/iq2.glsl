// IQ2_XXS, IQ2_XS, IQ2_S: value = d * (2 * scale + 1) / 8 * (8, 25 or 43), with its sign. Plane 0: pairs of bits, which of
// the three; plane 1: signs; plane 2: nibbles, a scale for 16 values; plane 3: a half d for 256.
#include "levels.glsl"

Levels levelsAt(uint row, uint group) {
    const uint signs = wordAt(row, plane1, group), scales = byteAt(row, plane2, group);
    const vec2 scale = 0.125 * halfAt(row, plane3, group / 8) * vec2(2 * (scales & 15) + 1, 2 * (scales >> 4) + 1);
    uint q[8] = bitPairs(row, 0, group);
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        const uint magnitudes = 0x08080808u + 17 * q[i] + (q[i] >> 1 & 0x01010101u);
        // The complement plus one, in each byte: none is zero, so nothing is carried.
        const uint negative = bits(signs >> 4 * i);
        q[i] = (magnitudes ^ 255 * negative) + negative;
    }
    return Levels(q, scale, vec2(0));
}
