// Q6_K: value = d * scale * (six bits - 32). Plane 0: nibbles; plane 1: upper pairs of bits; plane 2: a
// signed byte scale for 16 values; plane 3: a half d for 256.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    nibbles(vectorAt(row, 0, group), w);
    const uint scales = shortAt(row, plane2, group);
    const vec2 scale = halfAt(row, plane3, group / 8) * signedBytes(scales).xy;
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        const uint pairs = wordAt(row, plane1, 2 * group + i / 4) >> 8 * (i % 4);
        w[i] = scale[i / 4] * (w[i] + 16 * bitPairs(pairs) - 32);
    }
}
