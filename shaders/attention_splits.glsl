// Where kernels that share out a row's keys leave what they have for attention_combine.comp: for each head of a row how
// many splits are used, then for each of SPLITS {acc [VALUE_DIM], max, sum}. The including shader has both constants.
const uint kSplitFloats = VALUE_DIM + 2;

uint splitsAt(uint row, uint heads, uint head) {
    return (row * heads + head) * (1 + SPLITS * kSplitFloats);
}
uint splitAt(uint row, uint heads, uint head, uint split) {
    return splitsAt(row, heads, head) + 1 + split * kSplitFloats;
}
