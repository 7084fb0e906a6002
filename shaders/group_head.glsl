// The head of a block of engine/quant/group_block.h: a scale in the upper 19 bits, a zero in the lower 13. `added` is
// what the levels in q lack.
Levels withHead(uint q[8], uint head, float added) {
    const float scale = uintBitsToFloat(head & 0xFFFFE000u);
    return Levels(q, vec2(scale), vec2(scale * (added - float(head & 0x1FFFu))));
}
