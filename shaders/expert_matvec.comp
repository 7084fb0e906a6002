// y[t] part s = W_e x[t] (or x[t] part s), where e is the s-th expert with p[t][e] != 0.   OpCode::ExpertLinear
//
// Bindings: 0 W, rows firstRow … firstRow + numRows of all experts' matrices behind each other, numOut rows
// each; 1 x [rows, padded(xParts * k)]; 2 p [rows, padded(numExperts)]; 3 y [rows, padded(numUsed * numOut)].
// A workgroup computes ROWS outputs (workgroup x) of part s (y) of a row (z).
// variant per quant
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ROWS = 2;

layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) readonly buffer P { float p[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
    uint numOut, numExperts, xParts;
};

#include "weights.glsl"
#include "quant.glsl"
#include "workgroup_sum.glsl"

uint padded(uint width) {
    return (width + 3) & ~3u;
}

// numExperts: there is none.
uint expertOfPart(uint token, uint part) {
    uint e = 0;
    for (uint seen = 0; e < numExperts; ++e) {
        if (p[token * padded(numExperts) + e] == 0) continue;
        if (seen++ == part) break;
    }
    return e;
}

void main() {
    const uint part = gl_WorkGroupID.y;
    const uint token = gl_WorkGroupID.z;
    const uint expert = expertOfPart(token, part);
    if (expert == numExperts) return;
    const uint xFirst = token * padded(xParts * k) + (xParts == 1 ? 0 : part * k);
    const uint yFirst = token * padded(gl_NumWorkGroups.y * numOut) + part * numOut;
    for (uint r = 0; r < ROWS; ++r) {
        const uint o = gl_WorkGroupID.x * ROWS + r;
        const uint row = expert * numOut + o - firstRow;
        if (o >= numOut || row >= numRows) continue;
        float sum = 0;
        for (uint group = gl_LocalInvocationID.x; group * kGroup < k; group += gl_WorkGroupSize.x) {
            vec4 w[8];
            decodeGroup(row * rowVectors, group, w);
            for (uint i = 0; i < kGroup && group * kGroup + i < k; ++i)
                sum += w[i / 4][i % 4] * x[xFirst + group * kGroup + i];
        }
        sum = workgroupSum(sum);
        if (gl_LocalInvocationID.x == 0) y[yFirst + o] = sum;
    }
}
