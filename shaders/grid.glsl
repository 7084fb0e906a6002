// Types whose values are entries of a table, the grid, which lies behind the last row: 16 bits an entry
// (engine/backend/vulkan/weights/grid.h).
#define HAS_GRID

uint gridEntry(uint index) {
    return bitfieldExtract(weightWords[4 * numRows * rowVectors + index / 2], int(index % 2) * 16, 16);
}

// Signs of eight values from the lowest seven bits: the number of minus signs is even.
uint signsOf7Bits(uint bits) {
    return bits & 127 | (bitCount(bits & 127) & 1) << 7;
}
// Bytes above 0, made negative where the lowest four bits say so.
uint withSigns(uint magnitudes, uint signs) {
    // The complement plus one, in each byte: none is zero, so nothing is carried.
    const uint negative = bits(signs);
    return (magnitudes ^ 255 * negative) + negative;
}

// IQ1: an entry's values + 1; shift: 1 where they are an eighth more, 0 where they are an eighth less. In eighths, + 9.
uvec2 iq1Values(uint index, uint shift) {
    const uint entry = gridEntry(index);
    return (uvec2(spreadPairs(entry & 255), spreadPairs(entry >> 8)) << 3) + shift * 0x02020202u;
}
// IQ2: magnitudes 8, 25 and 43.
uvec2 iq2Values(uint index, uint signs) {
    const uint entry = gridEntry(index);
    const uvec2 levels = uvec2(spreadPairs(entry & 255), spreadPairs(entry >> 8));
    const uvec2 magnitudes = 0x08080808u + 17 * levels + (levels >> 1 & 0x01010101u);
    return uvec2(withSigns(magnitudes.x, signs), withSigns(magnitudes.y, signs >> 4));
}
// IQ3: levels 0 to 7, four bytes.
uint iq3Levels(uint index) {
    const uint entry = gridEntry(index);
    const uint pairs = (entry | entry << 8) & 0x00FF00FFu;
    return (pairs | pairs << 4) & 0x0F0F0F0Fu;
}
