// y[i] = x[logitRows[i]].   OpCode::SelectRows
//
// Bindings: 0 step; 1 x [rows, rowVectors]; 2 y [logit rows, rowVectors], vectors of four. One invocation
// takes a vector (x) of a row of y (workgroup y).
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"

layout(binding = 1) readonly buffer X { vec4 x[]; };
layout(binding = 2) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform Push { uint rowVectors; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    if (i < rowVectors && row < step.numLogitRows)
        y[row * rowVectors + i] = x[step.entries[row].logitRow * rowVectors + i];
}
