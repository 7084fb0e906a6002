// Q5_0: value = d * (five bits - 16). Plane 0: nibbles; plane 1: fifth bits; plane 2: a half d for 32 values.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    nibbles(vectorAt(row, 0, group), w);
    const uint fifths = wordAt(row, plane1, group);
    const float d = halfAt(row, plane2, group);
    [[unroll]] for (uint i = 0; i < 8; ++i) w[i] = d * (w[i] + 16 * bits(fifths >> 4 * i) - 16);
}
