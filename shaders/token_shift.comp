// y[t] = x[t-1] within each run, y of its first row is the state; then the state is x of its last row.
// OpCode::TokenShift
//
// Bindings: 0 step; 1 state [sequences, padded(width)]; 2 x; 3 y [rows, padded(width)]. One invocation takes
// a vector of four channels (x) of a row (workgroup y); that of a run's first row also moves the state on.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"

layout(binding = 1) buffer State { vec4 state[]; };
layout(binding = 2) readonly buffer X { vec4 x[]; };
layout(binding = 3) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform Push { uint rowVectors; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    const uint index = step.entries[row].runOfRow;
    if (i >= rowVectors || index == kNone) return;
    const Run run = step.entries[index].run;
    if (row > run.firstRow) {
        y[row * rowVectors + i] = x[(row - 1) * rowVectors + i];
        return;
    }
    y[row * rowVectors + i] = state[run.slot * rowVectors + i];
    state[run.slotAfter * rowVectors + i] = x[(row + run.numRows - 1) * rowVectors + i];
    if (run.firstGuess < run.firstRow + run.numRows)
        state[run.keptSlot * rowVectors + i] = x[(run.firstGuess - 1) * rowVectors + i];
}
