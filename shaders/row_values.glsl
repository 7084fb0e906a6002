// The i-th four values of a row of x [rows, padded(width)], 0 beyond its end: what lies in the padding is not a value.
vec4 valuesAt(uint row, uint i) {
    const uint vectors = (width + 3) / 4;
    vec4 v = i < vectors ? x[row * vectors + i] : vec4(0);
    [[unroll]] for (uint j = 0; j < 4; ++j)
        if (4 * i + j >= width) v[j] = 0;
    return v;
}
