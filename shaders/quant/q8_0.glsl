// Q8_0: value = d * byte. Plane 0: signed bytes; plane 1: a half d for 32 values.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    const float d = halfAt(row, plane1, group);
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        const uvec4 v = vectorAt(row, 0, 2 * group + i);
        [[unroll]] for (uint j = 0; j < 4; ++j) w[4 * i + j] = d * signedBytes(v[j]);
    }
}
