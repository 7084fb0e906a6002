// What matmul_halves.comp keeps of a group while it waits for its turn, waitingAt(row, group), and the halves that it
// makes of that, halvesOf(), in the order of halves.glsl.
uvec4[4] rounded(vec4 w[8]) {
    uvec4 eights[4];
    [[unroll]] for (uint i = 0; i < 4; ++i)
        eights[i] = uvec4(packHalf2x16(w[2 * i].xz), packHalf2x16(w[2 * i].yw), packHalf2x16(w[2 * i + 1].xz),
                          packHalf2x16(w[2 * i + 1].yw));
    return eights;
}

#ifdef HAS_GRID
// Decoding loads entries of the grid, which had better be under way as well.
struct Waiting {
    uvec4 eights[4];
};
Waiting waitingAt(uint row, uint group) {
    vec4 w[8];
    decodeGroup(row, group, w);
    return Waiting(rounded(w));
}
uvec4[4] halvesOf(Waiting waiting, uint group) {
    return waiting.eights;
}
#else
#define Waiting Raw
#define waitingAt rawAt
uvec4[4] halvesOf(Raw raw, uint group) {
#ifdef HALVES_OF
    return halvesOf(raw);
#else
    vec4 w[8];
    decodeGroup(raw, group, w);
    return rounded(w);
#endif
}
#endif
