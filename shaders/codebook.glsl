// Values that nibbles look up among sixteen.

// kIq4Levels of engine/quant/grids/iq4.h, signed bytes.
const uvec4 kIq4Levels = uvec4(0xBFAD9881u, 0xF6EADDCFu, 0x26190D01u, 0x71594535u);

// b where the mask's bits are set, else a.
uint choose(uint mask, uint a, uint b) {
    return a ^ (a ^ b) & mask;
}
uvec2 choose(uint mask, uvec2 a, uvec2 b) {
    return a ^ (a ^ b) & mask;
}
uvec4 choose(uint mask, uvec4 a, uvec4 b) {
    return a ^ (a ^ b) & mask;
}

// Four at a time, an index in each byte: each of its bits halves the bytes of the table that are left. (An array that
// is indexed by a value would lie in memory on some devices.)
uint lookUp(uint indices, uvec4 table) {
    const uint ones = 0x01010101u;
    const uvec4 masks = (uvec4(indices, indices >> 1, indices >> 2, indices >> 3) & ones) * 255;
    const uvec4 first = choose(masks.x, (table & 255) * ones, (table >> 8 & 255) * ones);
    const uvec4 second = choose(masks.x, (table >> 16 & 255) * ones, (table >> 24) * ones);
    const uvec4 ofWords = choose(masks.y, first, second);
    const uvec2 ofPairs = choose(masks.z, ofWords.xz, ofWords.yw);
    return choose(masks.w, ofPairs.x, ofPairs.y);
}

// A group's values, for nibbles in plane 0.
uint[8] iq4Levels(uvec4 words) {
    uint q[8] = nibbles(words);
    [[unroll]] for (uint i = 0; i < 8; ++i) q[i] = lookUp(q[i], kIq4Levels);
    return q;
}
