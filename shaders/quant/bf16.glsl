// BF16, the upper halves of floats. Plane 0: 16 bits a value.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uvec4 v = vectorAt(row, 0, 4 * group + i);
        w[2 * i] = uintBitsToFloat(uvec4(v.x << 16, v.x & 0xFFFF0000, v.y << 16, v.y & 0xFFFF0000));
        w[2 * i + 1] = uintBitsToFloat(uvec4(v.z << 16, v.z & 0xFFFF0000, v.w << 16, v.w & 0xFFFF0000));
    }
}
