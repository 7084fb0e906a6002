// Q4_1: value = d * nibble + m. Plane 0: nibbles; plane 1: halves d, m for 32 values.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    nibbles(vectorAt(row, 0, group), w);
    const vec2 dm = unpackHalf2x16(wordAt(row, plane1, group));
    [[unroll]] for (uint i = 0; i < 8; ++i) w[i] = dm.x * w[i] + dm.y;
}
