// Of types that say in quant/<type>.glsl neither what is loaded of a group before it is decoded nor how: halves, in the
// order of halves.glsl.
#ifndef RAW_GROUP
struct RawGroup {
    uvec4 eights[4];
};
RawGroup rawGroupAt(uint row, uint group) {
    vec4 w[8];
    decodeGroup(row, group, w);
    RawGroup raw;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        raw.eights[i] = uvec4(packHalf2x16(w[2 * i].xz), packHalf2x16(w[2 * i].yw), packHalf2x16(w[2 * i + 1].xz),
                              packHalf2x16(w[2 * i + 1].yw));
    return raw;
}
uvec4 decodeEight(RawGroup raw, uint i) {
    return raw.eights[i];
}
#endif
