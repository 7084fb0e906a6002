// y[t] = sum_j w_j x[t - KERNEL + 1 + j] [+ b] within each run; the state is a ring of the last rows, where position
// p has row p mod RING (engine/backend/chunk_state.h).   OpCode::ShortConv
//
// Bindings: 0 step; 1 state [sequences, RING, width]; 2 w [width, KERNEL]; 3 b [width]; 4 x, 5 y [rows,
// padded(width)]. An invocation takes a channel (x) of a run (workgroup y) through all its rows.
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

#include "chunk.glsl"

const uint RING = kChunk + KERNEL - 1;

void main() {
    const uint channel = gl_GlobalInvocationID.x;
    if (gl_WorkGroupID.y >= step.numRuns || channel >= width) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint before = run.slot * stateElems + channel;
    const uint after = run.slotAfter * stateElems + channel;
    const uint end = run.firstPosition + run.numRows;
    float window[KERNEL];
    [[unroll]] for (uint j = 0; j < KERNEL - 1; ++j)
        window[j] = state[before + (run.firstPosition + RING + 1 - KERNEL + j) % RING * width];
    // What the tokens of the last chunk see moves along (StateSpec::keptRows()).
    for (uint i = chunkStart(end) + RING + 1 - KERNEL; before != after && i < run.firstPosition + RING; ++i)
        state[after + i % RING * width] = state[before + i % RING * width];
    for (uint position = run.firstPosition; position < end; ++position) {
        const uint at = (run.firstRow + position - run.firstPosition) * padded(width) + channel;
        window[KERNEL - 1] = x[at];
        float sum = 0;
        [[unroll]] for (uint j = 0; j < KERNEL; ++j) sum += w[channel * KERNEL + j] * window[j];
        y[at] = HAS_BIAS ? sum + b[channel] : sum;
        if (position + RING >= end) state[after + position % RING * width] = window[KERNEL - 1];
        [[unroll]] for (uint j = 0; j + 1 < KERNEL; ++j) window[j] = window[j + 1];
    }
}
