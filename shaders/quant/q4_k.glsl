// Q4_K: value = d * scale * nibble - dmin * min. Plane 0: nibbles; plane 1: bytes scale, min for 32 values; plane 2:
// halves d, dmin for 256.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    nibbles(vectorAt(row, 0, group), w);
    const uint scaleMin = shortAt(row, plane1, group);
    const vec2 d = unpackHalf2x16(wordAt(row, plane2, group / 8));
    const float scale = d.x * float(scaleMin & 255);
    const float low = d.y * float(scaleMin >> 8);
    [[unroll]] for (uint i = 0; i < 8; ++i) w[i] = scale * w[i] - low;
}
