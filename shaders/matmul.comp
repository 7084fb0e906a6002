// y[t][o] = sum over i of W[o][i] * x[t][i] for many rows of x, with the epilogue of epilogue.glsl.   OpCode::Linear
//
// Bindings: as matvec.comp; x [numTokens, padded(k)]. A workgroup computes a tile of BM outputs (x) by BN rows of x
// (y), an invocation eight outputs by BLOCK rows, four each in two places. It takes 32 columns at a time into shared
// memory, while the next are on their way to registers as they lie in memory.
// variant per quant
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint BM = 64;
layout(constant_id = 2) const uint BN = 32;
layout(constant_id = 7) const uint BLOCK = 4;  // 4 or 8

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

const uint kAcross = BM / 8, kThreads = kAcross * (BN / BLOCK);
// [column][output] and [column][row], in vectors; one more than needed, so that columns begin in different banks.
const uint kOutStride = BM / 4 + 1, kRowStride = BN / 4 + 1;
shared vec4 wTile[kGroup * kOutStride];
shared vec4 xTile[kGroup * kRowStride];

// What an invocation brings: groups of rows of W, vectors of rows of x.
const uint kOwnGroups = (BM + kThreads - 1) / kThreads;
const uint kVectors = kGroup / 4, kOwnVectors = (BN * kVectors + kThreads - 1) / kThreads;
Raw nextW[kOwnGroups];
vec4 nextX[kOwnVectors];

#define lane gl_LocalInvocationID.x
#define firstOut (gl_WorkGroupID.x * BM)
#define firstToken (gl_WorkGroupID.y * BN)

void load(uint group) {
    [[unroll]] for (uint i = 0; i < kOwnGroups; ++i) {
        const uint row = i * kThreads + lane;
        if (BM % kThreads == 0 || row < BM) nextW[i] = rawAt(min(firstOut + row, numRows - 1) * rowVectors, group);
    }
    const uint vectors = (k + 3) / 4;
    [[unroll]] for (uint i = 0; i < kOwnVectors; ++i) {
        const uint item = i * kThreads + lane;
        if (BN * kVectors % kThreads != 0 && item >= BN * kVectors) continue;
        const uint token = min(firstToken + item / kVectors, numTokens - 1);
        nextX[i] = x[token * vectors + min(group * kVectors + item % kVectors, vectors - 1)];
    }
}

void keep(uint group) {
    [[unroll]] for (uint i = 0; i < kOwnGroups; ++i) {
        const uint row = i * kThreads + lane;
        if (BM % kThreads != 0 && row >= BM) continue;
        vec4 w[8];
        decodeGroup(nextW[i], group, w);
        [[unroll]] for (uint j = 0; j < kGroup; ++j) wTile[j * kOutStride + row / 4][row % 4] = w[j / 4][j % 4];
    }
    [[unroll]] for (uint i = 0; i < kOwnVectors; ++i) {
        const uint item = i * kThreads + lane;
        if (BN * kVectors % kThreads != 0 && item >= BN * kVectors) continue;
        const uint column = item % kVectors * 4, row = item / kVectors;
        // What lies behind the last column is not a value.
        [[unroll]] for (uint j = 0; j < 4; ++j)
            xTile[(column + j) * kRowStride + row / 4][row % 4] = group * kGroup + column + j < k ? nextX[i][j] : 0;
    }
}

void main() {
    // Of the first half of the tile; the other four lie as far into the second one.
    const uint ours = lane % kAcross * 4, ourRows = lane / kAcross * 4;
    vec4 sums[BLOCK * 2];  // two for each row
    [[unroll]] for (uint i = 0; i < BLOCK * 2; ++i) sums[i] = vec4(0);
    const uint groups = (k + kGroup - 1) / kGroup;
    load(0);
    for (uint group = 0; group < groups; ++group) {
        barrier();  // the tiles have been read
        keep(group);
        barrier();
        if (group + 1 < groups) load(group + 1);
        for (uint i = 0; i < kGroup; ++i) {
            const vec4 w0 = wTile[i * kOutStride + ours / 4], w1 = wTile[i * kOutStride + (BM / 2 + ours) / 4];
            [[unroll]] for (uint t = 0; t < BLOCK; ++t) {
                const float v = xTile[i * kRowStride + (t / 4 * (BN / 2) + ourRows) / 4][t % 4];
                sums[2 * t] += w0 * v;
                sums[2 * t + 1] += w1 * v;
            }
        }
    }
    [[unroll]] for (uint t = 0; t < BLOCK; ++t) {
        const uint token = firstToken + t / 4 * (BN / 2) + ourRows + t % 4;
        if (token >= numTokens) continue;
        [[unroll]] for (uint o = 0; o < 8; ++o) {
            const uint row = firstOut + o / 4 * (BM / 2) + ours + o % 4;
            if (row >= numRows) continue;
            if (ORDER != kGated) store(firstRow + row, token, sums[2 * t + o / 4][o % 4]);
            else if (o % 2 == 0)
                storeGated(firstRow + row, token, sums[2 * t + o / 4][o % 4], sums[2 * t + o / 4][o % 4 + 1]);
        }
    }
}
