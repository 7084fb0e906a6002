// Writes rows in RowForm::Halves: eight values a vector, in the order 0 2 1 3 4 6 5 7 in which nibbles of weights are
// unpacked; rows are filled up with zeros to a multiple of 64 values. What is finite but too large for a half becomes
// the largest one. The including shader declares HALVES_BINDING.

layout(binding = HALVES_BINDING) writeonly buffer Halves { uvec4 halves[]; };

vec4 withinHalves(vec4 v) {
    return mix(v, clamp(v, -65504, 65504), lessThan(abs(v), vec4(1.0 / 0.0)));
}

// Values 8 * eighth … 8 * eighth + 7 of a row of `vectors` vectors; what is not of the row is 0.
void storeHalves(uint row, uint vectors, uint eighth, vec4 low, vec4 high) {
    if (eighth >= vectors) return;
    low = withinHalves(low);
    high = withinHalves(high);
    halves[row * vectors + eighth] =
        uvec4(packHalf2x16(low.xz), packHalf2x16(low.yw), packHalf2x16(high.xz), packHalf2x16(high.yw));
}
