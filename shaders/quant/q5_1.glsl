// Q5_1: value = d * five bits + m. Plane 0: nibbles; plane 1: fifth bits; plane 2: halves d, m for 32 values.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    nibbles(vectorAt(row, 0, group), w);
    const uint fifths = wordAt(row, plane1, group);
    const vec2 dm = unpackHalf2x16(wordAt(row, plane2, group));
    [[unroll]] for (uint i = 0; i < 8; ++i) w[i] = dm.x * (w[i] + 16 * bits(fifths >> 4 * i)) + dm.y;
}
