// F16. Plane 0: halves.
struct Raw { uvec4 v[4]; };

Raw rawAt(uint row, uint group) {
    Raw raw;
    [[unroll]] for (uint i = 0; i < 4; ++i) raw.v[i] = vectorAt(row, 0, 4 * group + i);
    return raw;
}

void decodeGroup(Raw raw, uint group, out vec4 w[8]) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uvec4 v = raw.v[i];
        w[2 * i] = vec4(unpackHalf2x16(v.x), unpackHalf2x16(v.y));
        w[2 * i + 1] = vec4(unpackHalf2x16(v.z), unpackHalf2x16(v.w));
    }
}
