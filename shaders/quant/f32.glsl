// F32. Plane 0: floats.
void decodeGroup(uint row, uint group, out vec4 w[8]) {
    [[unroll]] for (uint i = 0; i < 8; ++i) w[i] = uintBitsToFloat(vectorAt(row, 0, 8 * group + i));
}
