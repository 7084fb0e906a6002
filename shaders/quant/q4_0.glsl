// Q4_0: value = d * (nibble - 8). Plane 0: nibbles; plane 1: a half d for 32 values.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    nibbles(vectorAt(row, 0, group), w);
    const float d = halfAt(row, plane1, group);
    [[unroll]] for (uint i = 0; i < 8; ++i) w[i] = d * (w[i] - 8);
}
