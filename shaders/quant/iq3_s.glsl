// IQ3_S: value = d * (2 * scale + 1) * (1, 3 … 15), with its sign. Plane 0: bytes, the low bits of indices; plane 1,
// for 256 values: 8 bytes, the indices' ninth bits; 8 words of signs; 8 nibbles, a scale for 32 values; plane 2: a
// half d for 256.
#include "levels.glsl"
#include "grid.glsl"

struct Raw { uvec2 indices; uint ninths, signs, scales; uint d; };

Raw rawAt(uint row, uint group) {
    const uint block = group / 8, inBlock = group % 8;
    const uvec2 indices = uvec2(wordAt(row, 0, 2 * group), wordAt(row, 0, 2 * group + 1));
    return Raw(indices, byteAt(row, plane1, 44 * block + inBlock), wordAt(row, plane1, 11 * block + 2 + inBlock),
               byteAt(row, plane1, 44 * block + 40 + inBlock / 2), shortAt(row, plane2, block));
}

Levels levelsOf(Raw raw, uint group) {
    const float scale = halfOf(raw.d) * float(2 * (raw.scales >> group % 2 * 4 & 15) + 1);
    uint q[8];
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        const uint index = raw.indices[i / 4] >> 8 * (i % 4) & 255 | (raw.ninths >> i & 1) << 8;
        q[i] = withSigns(2 * iq3Levels(index) + 0x01010101u, raw.signs >> 4 * i);
    }
    return Levels(q, vec2(scale), vec2(0));
}
