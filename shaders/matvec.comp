// y[c][o] = sum over i of W[o][i] * x[c][i] for few rows of x: c < COLS, with the epilogue of epilogue.glsl.
// OpCode::Linear; see matvec.glsl
// variant per quant
#version 450
#extension GL_GOOGLE_include_directive : require
#include "matvec.glsl"

// A row at a time, so that few registers are taken and many workgroups wait for memory side by side.
void addGroupOfOne(uint first, uint group) {
    vec4 v[8];
    [[unroll]] for (uint i = 0; i < 8; ++i) v[i] = xAt(0, 8 * group + i);
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        vec4 w[8];
        decodeGroup(rowVector(first + r), group, w);
        [[unroll]] for (uint i = 0; i < 8; ++i) sums[r] += dot(w[i], v[i]);
    }
}

void addGroup(uint first, uint group) {
    if (COLS == 1) {
        addGroupOfOne(first, group);
        return;
    }
    vec4 w[ROWS * 8];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        vec4 decoded[8];
        decodeGroup(rowVector(first + r), group, decoded);
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
