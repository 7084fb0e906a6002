// y[t] = x[t] (1 + a ln(floor(i / n) + 1)), i the position of token t, counted from `first`.   OpCode::PositionScale
//
// Bindings: 0 step; 1 x, 2 y [rows, padded(width)]. One invocation takes a float (x) of a row (workgroup y).
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"

layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width; float a; uint n; uint first; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    if (i >= width) return;
    const uint run = step.entries[row].runOfRow;
    const uint position = run == kNone ? 0 : positionOfRow(step.entries[run].run, row);
    const uint at = row * ((width + 3) & ~3u) + i;
    y[at] = x[at] * (1 + a * log(float((position + first) / n) + 1));
}
