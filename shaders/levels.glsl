// Types whose values are small integers with a scale: value e of a group = scale[e / 16] * q_e + offset[e / 16]. The
// including file defines levelsOf(Raw, group), and TWO_SCALES where the two halves of a group differ in them.
#define HAS_LEVELS

struct Levels {
    uint q[8];  // four signed bytes each, in order
    vec2 scale, offset;
};

// The lowest four bits, each in a byte of its own.
uint bits(uint word) {
    return (word & 15) * 0x00204081u & 0x01010101u;
}
// The lowest four pairs of bits, each in a byte of its own.
uint spreadPairs(uint pairs) {
    return (pairs | pairs << 6 | pairs << 12 | pairs << 18) & 0x03030303u;
}
// A group's pairs of bits, the lowest first.
uint[8] bitPairs(uint low, uint high) {
    uint q[8];
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] = spreadPairs((i < 4 ? low : high) >> 8 * (i % 4) & 255);
    return q;
}
uint[8] bytesOf(uvec4 low, uvec4 high) {
    return uint[8](low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w);
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
