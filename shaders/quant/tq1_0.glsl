// TQ1_0: value = d * (trit - 1). Plane 0: 52 bytes for 256 values, each the fraction in 256ths whose base-3 digits
// are its trits. The first digits of 32 bytes, then their second ones … are the first 160 values; 16 bytes of five
// make 80 more, and 4 of four the last 16. Plane 1: a half d for 256.
#include "levels.glsl"

// Digit `n` of four bytes. Two products at a time have room in a word.
uint tritsOf(uint word, uint n) {
    const uint power = n < 4 ? 0x1B090301u >> 8 * n & 255 : 81;
    uvec2 bytes = uvec2(word, word >> 8) & 0x00FF00FFu;
    bytes = bytes * power & 0x00FF00FFu;
    bytes = bytes * 3 >> 8 & 0x00FF00FFu;
    return bytes.x | bytes.y << 8;
}

// Where four values of a group are, the i-th four: a word of the block, and which digits of it.
uvec2 wordAndDigit(uint group, uint i) {
    const uint at = group % 8 * 8 + i;  // of the block's 64 times four values
    return at < 40 ? uvec2(at % 8, at / 8) : at < 60 ? uvec2(8 + at % 4, (at - 40) / 4) : uvec2(12, at - 60);
}

struct Raw { uint words[8]; uint d; };

Raw rawAt(uint row, uint group) {
    Raw raw;
    [[unroll]] for (uint i = 0; i < 8; ++i)
        raw.words[i] = wordAt(row, 0, group / 8 * 13 + wordAndDigit(group, i).x);
    raw.d = shortAt(row, plane1, group / 8);
    return raw;
}

Levels levelsOf(Raw raw, uint group) {
    uint q[8];
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        q[i] = tritsOf(raw.words[i], wordAndDigit(group, i).y);
    }
    return Levels(q, vec2(halfOf(raw.d)), vec2(-halfOf(raw.d)));
}
