// y[c][o] = sum over i of W[o][i] * x[c][i] for few rows of x: c < COLS, with the epilogue of epilogue.glsl.
// OpCode::Linear
//
// Bindings: 0 W, rows firstRow … firstRow + numRows of the stacked matrix; 1 x [COLS, padded(k)]; 2 to 6 as
// in epilogue.glsl. A workgroup computes ROWS outputs: its invocations take groups of 32 values in turns and
// add up their sums at the end. Workgroups are counted along x, then y.
// variant per quant
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint COLS = 1;
layout(constant_id = 2) const uint ROWS = 2;

layout(binding = 1) readonly buffer X { vec4 x[]; };
layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
    uint numOut, split1, split2;
};

#include "weights.glsl"
#include "quant.glsl"
#include "epilogue.glsl"

// Narrowest subgroups are 4 wide, workgroups at most 256.
shared float partSums[64 * COLS * ROWS];

vec4 xAt(uint col, uint i) {
    const uint vectors = (k + 3) / 4;
    if (4 * i + 4 <= k) return x[col * vectors + i];
    if (4 * i >= k) return vec4(0);
    // What lies in the padding is not a value.
    const vec4 last = x[col * vectors + i];
    return vec4(last.x, 4 * i + 1 < k ? last.y : 0, 4 * i + 2 < k ? last.z : 0, 0);
}

void main() {
    const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * ROWS;
    if (first >= numRows) return;
    float sums[COLS * ROWS];
    [[unroll]] for (uint i = 0; i < COLS * ROWS; ++i) sums[i] = 0;
    for (uint group = gl_LocalInvocationID.x; group * kGroup < k; group += gl_WorkGroupSize.x) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            vec4 w[8];
            decodeGroup(min(first + r, numRows - 1) * rowVectors, group, w);
            [[unroll]] for (uint c = 0; c < COLS; ++c) {
                vec4 sum = vec4(0);
                [[unroll]] for (uint i = 0; i < 8; ++i) sum += w[i] * xAt(c, 8 * group + i);
                sums[c * ROWS + r] += sum.x + sum.y + sum.z + sum.w;
            }
        }
    }
    [[unroll]] for (uint i = 0; i < COLS * ROWS; ++i) {
        const float sum = subgroupAdd(sums[i]);
        if (subgroupElect()) partSums[gl_SubgroupID * COLS * ROWS + i] = sum;
    }
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < COLS * ROWS; i += gl_WorkGroupSize.x) {
        float sum = 0;
        for (uint s = 0; s < gl_NumSubgroups; ++s) sum += partSums[s * COLS * ROWS + i];
        const uint row = first + i % ROWS;
        if (row >= numRows) continue;
        if (ORDER != kGated) {
            store(firstRow + row, i / ROWS, sum);
        } else if (row % 2 == 0) {
            float up = 0;
            for (uint s = 0; s < gl_NumSubgroups; ++s) up += partSums[s * COLS * ROWS + i + 1];
            storeGated(firstRow + row, i / ROWS, sum, up);
        }
    }
}
