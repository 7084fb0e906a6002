// Q3_K: value = d * scale * (pair + 4 * third bit - 4). Plane 0: pairs of bits; plane 1: third bits; plane 2:
// a signed byte scale for 16 values; plane 3: a half d for 256.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    const uint thirds = wordAt(row, plane1, group);
    const vec2 scale = halfAt(row, plane3, group / 8) * signedBytes(shortAt(row, plane2, group)).xy;
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        const uint pairs = wordAt(row, 0, 2 * group + i / 4) >> 8 * (i % 4);
        w[i] = scale[i / 4] * (bitPairs(pairs) + 4 * bits(thirds >> 4 * i) - 4);
    }
}
