// Keeps the keys of the chunk that each run ends in, once all heads have read those before: the last part of
// OpCode::GatedDelta and OpCode::MambaScan.
//
// Bindings: 0 step; 1 state [sequences, stateElems], in each from keysAt on 32 rows, rowElems apart; 2 keys [rows,
// padded(width)]. An invocation takes a number of the rows (x) of a run (workgroup y).
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"

layout(binding = 1) buffer State { float state[]; };
layout(binding = 2) readonly buffer K { float k[]; };
layout(push_constant) uniform Push { uint stateElems, keysAt, rowElems, width; };

#include "chunk.glsl"

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (gl_WorkGroupID.y >= step.numRuns || i >= width) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint end = run.firstPosition + run.numRows;
    for (uint position = chunkStart(end); position < end; ++position) {
        const uint at = keysAt + position % kChunk * rowElems + i;
        if (position >= run.firstPosition)
            state[run.slotAfter * stateElems + at] =
                k[(run.firstRow + position - run.firstPosition) * padded(width) + i];
        else if (run.slotAfter != run.slot)
            state[run.slotAfter * stateElems + at] = state[run.slot * stateElems + at];
    }
}
