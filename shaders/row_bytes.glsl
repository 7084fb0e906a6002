// RowForm::Bytes: rows rounded to signed bytes, with a scale for each group of 32 values. A row is the bytes of its
// groups, two vectors of 16 bytes each; then two words a group: the scale, and the sums of the bytes of both halves
// as halves, which are exact; filled up to whole vectors.

// Vectors of a row.
uint byteRowVectors(uint groups) {
    return 2 * groups + (groups + 1) / 2;
}
