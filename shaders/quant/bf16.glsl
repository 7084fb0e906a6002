// BF16, the upper halves of floats. Plane 0: 16 bits a value.
struct Raw { uvec4 v[4]; };

Raw rawAt(uint row, uint group) {
    Raw raw;
    [[unroll]] for (uint i = 0; i < 4; ++i) raw.v[i] = vectorAt(row, 0, 4 * group + i);
    return raw;
}

void decodeGroup(Raw raw, uint group, out vec4 w[8]) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uvec4 v = raw.v[i];
        w[2 * i] = uintBitsToFloat(uvec4(v.x << 16, v.x & 0xFFFF0000, v.y << 16, v.y & 0xFFFF0000));
        w[2 * i + 1] = uintBitsToFloat(uvec4(v.z << 16, v.z & 0xFFFF0000, v.w << 16, v.w & 0xFFFF0000));
    }
}
