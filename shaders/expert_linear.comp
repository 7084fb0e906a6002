// y[t] part s = W_e x[t] (or x[t] part s) + b_e, where e is the s-th expert of r[t].   OpCode::ExpertLinear
//
// Bindings: 0 W, rows firstRow … firstRow + numRows of all experts' matrices behind each other, numOut rows
// each; 1 x [numTokens, padded(xParts * k)]; 2 r [numTokens, padded(2 * numUsed)]; 3 y [numTokens,
// padded(numUsed * numOut)]; 4 b [numExperts, numOut]. A workgroup computes ROWS outputs (workgroup x) of an expert
// (y), for COLS of the rows of x that chose it at a time: so its weights are read once for as many.
// variant per quant
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ROWS = 2;
layout(constant_id = 2) const bool HAS_BIAS = false;
const uint COLS = 4;

layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) readonly buffer R { float r[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(binding = 4) readonly buffer B { float b[]; };
layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
    uint numOut, xParts, numUsed, numTokens;
};

#include "weights.glsl"
#include "quant.glsl"
#include "workgroup_sum.glsl"

uint padded(uint width) {
    return (width + 3) & ~3u;
}

// Where the columns begin.
uint xFirst[COLS], yFirst[COLS];

// The next rows from `token` on that chose the expert; returns how many there are.
uint collectColumns(uint expert, inout uint token) {
    uint count = 0;
    for (; token < numTokens && count < COLS; ++token) {
        // Rows that are not there name anything.
        const uint chosen = token * padded(2 * numUsed);
        uint part = 0;
        while (part < numUsed && r[chosen + part] != float(expert)) ++part;
        if (part == numUsed) continue;
        xFirst[count] = token * padded(xParts * k) + (xParts == 1 ? 0 : part * k);
        yFirst[count] = token * padded(numUsed * numOut) + part * numOut;
        ++count;
    }
    return count;
}

// Row `row` of the weights makes output `o` of the columns.
void computeOutput(uint row, uint expert, uint o, uint count) {
    float sums[COLS];
    [[unroll]] for (uint c = 0; c < COLS; ++c) sums[c] = 0;
    for (uint group = gl_LocalInvocationID.x; group * kGroup < k; group += gl_WorkGroupSize.x) {
        vec4 w[8];
        decodeGroup(row * rowVectors, group, w);
        const uint size = min(kGroup, k - group * kGroup);
        [[unroll]] for (uint c = 0; c < COLS; ++c) {
            if (c >= count) break;
            for (uint i = 0; i < size; ++i) sums[c] += w[i / 4][i % 4] * x[xFirst[c] + group * kGroup + i];
        }
    }
    [[unroll]] for (uint c = 0; c < COLS; ++c) {
        if (c >= count) break;
        const float sum = workgroupSum(sums[c]);
        if (gl_LocalInvocationID.x == 0) y[yFirst[c] + o] = HAS_BIAS ? sum + b[expert * numOut + o] : sum;
    }
}

void main() {
    const uint expert = gl_WorkGroupID.y;
    for (uint token = 0; token < numTokens;) {
        const uint count = collectColumns(expert, token);
        for (uint r = 0; r < ROWS; ++r) {
            const uint o = gl_WorkGroupID.x * ROWS + r;
            const uint row = expert * numOut + o - firstRow;
            if (o < numOut && row < numRows) computeOutput(row, expert, o, count);
        }
    }
}
