// F32. Plane 0: floats.
struct Raw { uvec4 v[8]; };

Raw rawAt(uint row, uint group) {
    Raw raw;
    [[unroll]] for (uint i = 0; i < 8; ++i) raw.v[i] = vectorAt(row, 0, 8 * group + i);
    return raw;
}

void decodeGroup(Raw raw, uint group, out vec4 w[8]) {
    [[unroll]] for (uint i = 0; i < 8; ++i) w[i] = uintBitsToFloat(raw.v[i]);
}
