// What the types have in common. Each, quant/<type>.glsl, defines what is loaded of a group of values, Raw and
// rawAt(row, group), where `row` is the index of the row's first vector; and how it is decoded: decodeGroup(), or
// levelsOf() where the values are levels. Apart, so that the loads of several groups can be under way together.

#ifdef HAS_LEVELS
void decodeGroup(Raw raw, uint group, out vec4 w[8]) {
    const Levels levels = levelsOf(raw, group);
    [[unroll]] for (uint i = 0; i < 8; ++i)
        w[i] = levels.scale[i / 4] * signedBytes(levels.q[i]) + levels.offset[i / 4];
}
#endif

void decodeGroup(uint row, uint group, out vec4 w[8]) {
    decodeGroup(rawAt(row, group), group, w);
}
