// y[t] part h = M_h x[t] part h, where M_h is rows first … first + count of head h's share of W, headRows rows, or
// these turned.   OpCode::HeadLinear
//
// Bindings: 0 W, rows firstRow … firstRow + numRows of all heads' shares behind each other; 1 x [numTokens,
// padded(numHeads * in)]; 2 y [numTokens, padded(numHeads * out)]. A workgroup computes an output (x) of a head (y) for
// COLS rows of x at a time, so that its weights are read once for as many; or, where the matrix is turned, 32 outputs
// for one row of x at a time, each invocation adding up every size-th term.
// variant per quant
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool TURNED = false;
const uint COLS = 4;

layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
    uint numHeads, headRows, first, count, numTokens;
};

#include "weights.glsl"
#include "quant.glsl"
#include "workgroup_sum.glsl"

uint padded(uint width) {
    return (width + 3) & ~3u;
}

void multiply(uint o, uint head) {
    const uint row = head * headRows + first + o - firstRow;
    if (row >= numRows) return;
    for (uint token = 0; token < numTokens; token += COLS) {
        const uint cols = min(COLS, numTokens - token);
        float sums[COLS];
        [[unroll]] for (uint c = 0; c < COLS; ++c) sums[c] = 0;
        for (uint group = gl_LocalInvocationID.x; group * kGroup < k; group += gl_WorkGroupSize.x) {
            vec4 w[8];
            decodeGroup(row * rowVectors, group, w);
            const uint size = min(kGroup, k - group * kGroup);
            [[unroll]] for (uint c = 0; c < COLS; ++c) {
                if (c >= cols) break;
                const uint at = (token + c) * padded(numHeads * k) + head * k + group * kGroup;
                for (uint i = 0; i < size; ++i) sums[c] += w[i / 4][i % 4] * x[at + i];
            }
        }
        [[unroll]] for (uint c = 0; c < COLS; ++c) {
            if (c >= cols) break;
            const float sum = workgroupSum(sums[c]);
            if (gl_LocalInvocationID.x == 0) y[(token + c) * padded(numHeads * count) + head * count + o] = sum;
        }
    }
}

void multiplyTurned(uint group, uint head) {
    const uint size = min(kGroup, k - group * kGroup);
    for (uint token = 0; token < numTokens; ++token) {
        vec4 sums[8];
        [[unroll]] for (uint i = 0; i < 8; ++i) sums[i] = vec4(0);
        for (uint n = gl_LocalInvocationID.x; n < count; n += gl_WorkGroupSize.x) {
            vec4 w[8];
            decodeGroup((head * headRows + first + n) * rowVectors, group, w);
            const float factor = x[token * padded(numHeads * count) + head * count + n];
            [[unroll]] for (uint i = 0; i < 8; ++i) sums[i] += factor * w[i];
        }
        [[unroll]] for (uint i = 0; i < kGroup; ++i) {
            const float sum = workgroupSum(sums[i / 4][i % 4]);
            if (gl_LocalInvocationID.x == 0 && i < size)
                y[token * padded(numHeads * k) + head * k + group * kGroup + i] = sum;
        }
    }
}

void main() {
    if (TURNED)
        multiplyTurned(gl_WorkGroupID.x, gl_WorkGroupID.y);
    else
        multiply(gl_WorkGroupID.x, gl_WorkGroupID.y);
}
