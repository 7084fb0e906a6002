// y[t] = row i of W, i the position of token t, or the last row where that is behind it.   OpCode::EmbedPosition
//
// Bindings: 0 W, rows firstRow … firstRow + numRows of the table; 1 step; 2 y [rows, padded(k)]. One
// invocation decodes 32 values (x) of a row (workgroup y); rows of other shards are left alone.
// variant per quant
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 1
#include "step.glsl"

layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
    uint numPositions;
};

#include "weights.glsl"
#include "quant.glsl"

void main() {
    const uint group = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    const uint run = step.entries[row].runOfRow;
    const uint position = run == kNone ? 0 : positionOfRow(step.entries[run].run, row);
    const uint tableRow = min(position, numPositions - 1) - firstRow;
    if (group * kGroup >= k || tableRow >= numRows) return;
    vec4 w[8];
    decodeGroup(tableRow * rowVectors, group, w);
    const uint first = row * ((k + 3) & ~3u) + group * kGroup;
    for (uint i = 0; i < kGroup && group * kGroup + i < k; ++i) y[first + i] = w[i / 4][i % 4];
}
