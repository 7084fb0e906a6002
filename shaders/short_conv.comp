// y[t] = sum_j w_j x[t - KERNEL + 1 + j] [+ b] within each run; the state holds the rows before its first, then those
// before the row behind it.   OpCode::ShortConv
//
// Bindings: 0 step; 1 state [sequences, KERNEL - 1, width], oldest row first; 2 w [width, KERNEL]; 3 b [width]; 4 x, 5 y
// [rows, padded(width)]. An invocation takes a channel (x) of a run (workgroup y) through all its rows.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"
layout(constant_id = 1) const uint KERNEL = 4;
layout(constant_id = 2) const bool HAS_BIAS = false;

layout(binding = 1) buffer State { float state[]; };
layout(binding = 2) readonly buffer W { float w[]; };
layout(binding = 3) readonly buffer B { float b[]; };
layout(binding = 4) readonly buffer X { float x[]; };
layout(binding = 5) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width, stateElems; };

void main() {
    const uint channel = gl_GlobalInvocationID.x;
    if (gl_WorkGroupID.y >= step.numRuns || channel >= width) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint paddedWidth = (width + 3) & ~3u;
    float window[KERNEL];
    [[unroll]] for (uint j = 0; j < KERNEL - 1; ++j)
        window[j] = state[run.slot * stateElems + j * width + channel];
    for (uint row = run.firstRow; row < run.firstRow + run.numRows; ++row) {
        window[KERNEL - 1] = x[row * paddedWidth + channel];
        float sum = 0;
        [[unroll]] for (uint j = 0; j < KERNEL; ++j) sum += w[channel * KERNEL + j] * window[j];
        y[row * paddedWidth + channel] = HAS_BIAS ? sum + b[channel] : sum;
        [[unroll]] for (uint j = 0; j + 1 < KERNEL; ++j) window[j] = window[j + 1];
    }
    [[unroll]] for (uint j = 0; j < KERNEL - 1; ++j)
        state[run.slotAfter * stateElems + j * width + channel] = window[j];
}
