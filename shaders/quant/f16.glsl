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

#ifdef HALVES
#define HALVES_OF
uvec4[4] halvesOf(Raw raw) {
    uvec4 eights[4];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uvec4 v = raw.v[i];
        eights[i] = uvec4(v.x & 0xFFFFu | v.y << 16, v.x >> 16 | v.y & 0xFFFF0000u, v.z & 0xFFFFu | v.w << 16,
                          v.z >> 16 | v.w & 0xFFFF0000u);
    }
    return eights;
}
#endif
