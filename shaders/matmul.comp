// y[t][o] = sum over i of W[o][i] * x[t][i] for many rows of x, with the epilogue of epilogue.glsl.   OpCode::Linear
//
// Bindings: as matvec.comp; x [numTokens, padded(k)]. A workgroup of 64 computes a tile of 64 outputs (x) by
// 32 rows of x (y): it takes 32 columns at a time into shared memory, and each invocation keeps 8 outputs by
// 4 rows in registers.
// variant per quant
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;

layout(binding = 1) readonly buffer X { vec4 x[]; };
layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
    uint numOut, split1, split2;
    uint numTokens;
};

#include "weights.glsl"
#include "quant.glsl"
#include "epilogue.glsl"

const uint kTileOut = 64, kTileTokens = 32;
// [column][output] and [column][row]; one more than needed, so that columns begin in different banks.
shared float wTile[kGroup * (kTileOut + 1)];
shared float xTile[kGroup * (kTileTokens + 1)];

void loadTiles(uint firstOut, uint firstToken, uint group) {
    const uint lane = gl_LocalInvocationID.x;
    vec4 w[8];
    decodeGroup(min(firstOut + lane, numRows - 1) * rowVectors, group, w);
    [[unroll]] for (uint i = 0; i < kGroup; ++i) wTile[i * (kTileOut + 1) + lane] = w[i / 4][i % 4];
    const uint vectors = (k + 3) / 4;
    // Eight vectors a row of x.
    for (uint i = lane; i < kTileTokens * 8; i += 64) {
        const uint token = min(firstToken + i / 8, numTokens - 1);
        const uint vector = 8 * group + i % 8;
        const vec4 v = vector < vectors ? x[token * vectors + vector] : vec4(0);
        [[unroll]] for (uint j = 0; j < 4; ++j)
            xTile[(i % 8 * 4 + j) * (kTileTokens + 1) + i / 8] = 4 * vector + j < k ? v[j] : 0;
    }
}

void main() {
    const uint firstOut = gl_WorkGroupID.x * kTileOut;
    const uint firstToken = gl_WorkGroupID.y * kTileTokens;
    const uint ours = gl_LocalInvocationID.x % 8 * 8;      // outputs
    const uint oursTokens = gl_LocalInvocationID.x / 8 * 4;  // rows
    float sums[8][4];
    [[unroll]] for (uint o = 0; o < 8; ++o)
        [[unroll]] for (uint t = 0; t < 4; ++t) sums[o][t] = 0;
    for (uint group = 0; group * kGroup < k; ++group) {
        loadTiles(firstOut, firstToken, group);
        barrier();
        for (uint i = 0; i < kGroup; ++i) {
            float w[8];
            [[unroll]] for (uint o = 0; o < 8; ++o) w[o] = wTile[i * (kTileOut + 1) + ours + o];
            [[unroll]] for (uint t = 0; t < 4; ++t) {
                const float value = xTile[i * (kTileTokens + 1) + oursTokens + t];
                [[unroll]] for (uint o = 0; o < 8; ++o) sums[o][t] += w[o] * value;
            }
        }
        barrier();
    }
    [[unroll]] for (uint t = 0; t < 4; ++t) {
        const uint token = firstToken + oursTokens + t;
        if (token >= numTokens) break;
        [[unroll]] for (uint o = 0; o < 8; ++o) {
            const uint row = firstOut + ours + o;
            if (row >= numRows) break;
            if (ORDER != kGated) store(firstRow + row, token, sums[o][t]);
            else if (o % 2 == 0) storeGated(firstRow + row, token, sums[o][t], sums[o + 1][t]);
        }
    }
}
