// Q2_K: value = d * scale * pair - dmin * min. Plane 0: pairs of bits; plane 1: a byte for 16 values, scale
// in the low nibble and min in the high one; plane 2: halves d, dmin for 256.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    const uint scaleMin = shortAt(row, plane1, group);
    const vec2 d = unpackHalf2x16(wordAt(row, plane2, group / 8));
    const vec2 scale = d.x * vec2(scaleMin & 15, scaleMin >> 8 & 15);
    const vec2 low = d.y * vec2(scaleMin >> 4 & 15, scaleMin >> 12);
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        const uint pairs = wordAt(row, 0, 2 * group + i / 4) >> 8 * (i % 4);
        w[i] = scale[i / 4] * bitPairs(pairs) - low[i / 4];
    }
}
