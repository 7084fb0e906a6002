// y[t] = row tokens[t] of W.   OpCode::Embed
//
// Bindings: 0 W, rows firstRow … firstRow + numRows of the table; 1 step; 2 y [rows, padded(k)]. One
// invocation decodes 32 values (x) of a row (workgroup y); rows of other shards are left alone.
// variant per quant
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 1
#include "step.glsl"

layout(binding = 2) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
};

#include "weights.glsl"
#include "quant.glsl"

void main() {
    const uint group = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    const uint token = step.entries[row].token - firstRow;
    if (group * kGroup >= k || token >= numRows) return;
    vec4 w[8];
    decodeGroup(token * rowVectors, group, w);
    const uint vectors = (k + 3) / 4, first = group * (kGroup / 4);
    for (uint i = 0; i < kGroup / 4 && first + i < vectors; ++i) y[row * vectors + first + i] = w[i];
}
