// Small integers as pairs of halves, for kernels that multiply halves: written into the mantissa of 1024. Eight values
// come in the order 0 2 1 3 4 6 5 7 in which nibbles are unpacked without moving them about. A type that decodes its
// groups so defines HALVES_OF and halvesOf(Raw).
#define HALVES

// Integers below 1024 in the halves of a word, plus 1024.
f16vec2 above1024(uint pair) {
    return unpackFloat2x16(pair | 0x64006400u);
}

// Eight values.
struct Eight {
    f16vec2 v02, v13, v46, v57;
};
uvec4 packed(Eight e) {
    return uvec4(packFloat2x16(e.v02), packFloat2x16(e.v13), packFloat2x16(e.v46), packFloat2x16(e.v57));
}
Eight scaled(Eight e, float16_t scale) {
    return Eight(e.v02 * scale, e.v13 * scale, e.v46 * scale, e.v57 * scale);
}
Eight scaled(Eight e, float16_t scale, float16_t offset) {
    const f16vec2 s = f16vec2(scale), o = f16vec2(offset);
    return Eight(fma(e.v02, s, o), fma(e.v13, s, o), fma(e.v46, s, o), fma(e.v57, s, o));
}
Eight plus(Eight e, f16vec2 v) {
    return Eight(e.v02 + v, e.v13 + v, e.v46 + v, e.v57 + v);
}

// The nibbles of weights.glsl's words, less `zero`.
Eight nibblesLess(uint word, float16_t zero) {
    const uint odd = word >> 8, low = 0x000F000Fu, high = 0x00F000F0u;
    const f16vec2 ofLow = f16vec2(-1024.0hf - zero), ofHigh = f16vec2(-64.0hf - zero), sixteenth = f16vec2(0.0625hf);
    return Eight(above1024(word & low) + ofLow, above1024(odd & low) + ofLow,
                 fma(above1024(word & high), sixteenth, ofHigh), fma(above1024(odd & high), sixteenth, ofHigh));
}
// The same with more bits above them, in place: `upper` has those of 0 2, 1 3, 4 6, 5 7.
Eight nibblesLess(uint word, uvec4 upper, float16_t zero) {
    const uint low = 0x000F000Fu;
    const uvec4 pairs = uvec4(word & low, word >> 8 & low, word >> 4 & low, word >> 12 & low) | upper;
    return plus(Eight(above1024(pairs.x), above1024(pairs.y), above1024(pairs.z), above1024(pairs.w)),
                f16vec2(-1024.0hf - zero));
}
// Eight single bits as bits 4.
uvec4 fifthBits(uint bits) {
    const uint spread = bits << 4 | bits << 18;
    return uvec4(spread, spread >> 1, spread >> 4, spread >> 5) & 0x00100010u;
}
// Eight pairs of bits as bits 4 and 5.
uvec4 upperPairs(uint pairs) {
    const uint spread = pairs | pairs << 12;
    return (uvec4(spread, spread >> 2, spread >> 8, spread >> 10) & 0x00030003u) << 4;
}
// Signed bytes, four a word.
Eight signedEight(uint low, uint high) {
    const uint a = low ^ 0x80808080u, b = high ^ 0x80808080u, mask = 0x00FF00FFu;
    return plus(Eight(above1024(a & mask), above1024(a >> 8 & mask), above1024(b & mask), above1024(b >> 8 & mask)),
                f16vec2(-1152.0hf));
}
