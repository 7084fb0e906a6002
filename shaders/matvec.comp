// y[c][o] = sum over i of W[o][i] * x[c][i] for few rows of x: c < COLS, with the epilogue of epilogue.glsl.
// x [COLS, padded(k)].   OpCode::Linear; see matvec.glsl
// variant per quant
#version 450
#extension GL_GOOGLE_include_directive : require
#include "matvec.glsl"

layout(binding = 1) readonly buffer X { vec4 x[]; };

vec4 xAt(uint col, uint i) {
    const uint first = rowOfColumn(col) * ((rowWidth() + 3) / 4) + firstOfColumn() / 4;
    if (4 * i + 4 <= k) return x[first + i];
    if (4 * i >= k) return vec4(0);
    // What lies in the padding is not a value.
    const vec4 last = x[first + i];
    return vec4(last.x, 4 * i + 1 < k ? last.y : 0, 4 * i + 2 < k ? last.z : 0, 0);
}

void addGroup(uint n, uint group) {
    vec4 w[ROWS * 8];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        vec4 decoded[8];
        decodeGroup(raws[n * ROWS + r], group, decoded);
        [[unroll]] for (uint i = 0; i < 8; ++i) w[8 * r + i] = decoded[i];
    }
    // A value of x is loaded once for all rows: not every compiler would see that by itself.
    [[unroll]] for (uint c = 0; c < COLS; ++c) {
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            const vec4 v = xAt(c, 8 * group + i);
            [[unroll]] for (uint r = 0; r < ROWS; ++r) sums[c * ROWS + r] += dot(w[8 * r + i], v);
        }
    }
}
