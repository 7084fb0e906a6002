// Types whose values are small integers with a scale: value e of a group = scale[e / 16] * q_e + offset[e / 16]. The
// including file defines levelsAt().

struct Levels {
    uint q[8];  // four signed bytes each, in order
    vec2 scale, offset;
};

// `row`: the index of the row's first vector.
Levels levelsAt(uint row, uint group);

void decodeGroup(uint row, uint group, out vec4 w[8]) {
    const Levels levels = levelsAt(row, group);
    [[unroll]] for (uint i = 0; i < 8; ++i)
        w[i] = levels.scale[i / 4] * signedBytes(levels.q[i]) + levels.offset[i / 4];
}

// The lowest four bits, each in a byte of its own.
uint bits(uint word) {
    return (word & 15) * 0x00204081u & 0x01010101u;
}
// The lowest four pairs of bits, each in a byte of its own.
uint spreadPairs(uint pairs) {
    return (pairs | pairs << 6 | pairs << 12 | pairs << 18) & 0x03030303u;
}
// A group's pairs of bits, the lowest first.
uint[8] bitPairs(uint row, uint plane, uint group) {
    const uint low = wordAt(row, plane, 2 * group), high = wordAt(row, plane, 2 * group + 1);
    uint q[8];
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] = spreadPairs((i < 4 ? low : high) >> 8 * (i % 4) & 255);
    return q;
}
// 32 nibbles: byte b of word j holds value 8j + b in its low half and value 8j + 4 + b in its high half.
uint[8] nibbles(uvec4 words) {
    uint q[8];
    [[unroll]] for (uint j = 0; j < 4; ++j) {
        q[2 * j] = words[j] & 0x0F0F0F0Fu;
        q[2 * j + 1] = words[j] >> 4 & 0x0F0F0F0Fu;
    }
    return q;
}
uint[8] fiveBits(uvec4 words, uint fifths) {
    uint q[8] = nibbles(words);
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] |= bits(fifths >> 4 * i) << 4;
    return q;
}
