// The RWKV-7 recurrence: S_ji = w_j S_ji - (sum_m kk_m S_mi) kk_j a_j + k_j v_i, then y_i = sum_j r_j S_ji.
// OpCode::Wkv7   Source: Peng et al., "RWKV-7 Goose with Expressive Dynamic State Evolution" (2025), eq. 16-17.
//
// Bindings: 0 step; 1 S [sequences, heads, size, size], row = key index j; 2 r, 3 w, 4 k, 5 v, 6 kk, 7 a, 8 y
// [rows, padded(heads * size)]. A workgroup of `size` takes a head (x) of a run (y) through all its rows;
// invocation i keeps column i of S in registers.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"
layout(constant_id = 1) const uint SIZE = 64;

layout(binding = 1) buffer State { float state[]; };
layout(binding = 2) readonly buffer R { float r[]; };
layout(binding = 3) readonly buffer W { float w[]; };
layout(binding = 4) readonly buffer K { float k[]; };
layout(binding = 5) readonly buffer V { float v[]; };
layout(binding = 6) readonly buffer KK { float kk[]; };
layout(binding = 7) readonly buffer A { float a[]; };
layout(binding = 8) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint paddedWidth, stateElems; };

shared float rs[SIZE], ws[SIZE], ks[SIZE], kks[SIZE], rates[SIZE];

float s[SIZE];

void keep(uint slot) {
    const uint at = slot * stateElems + gl_WorkGroupID.x * SIZE * SIZE + gl_LocalInvocationID.x;
    [[unroll]] for (uint j = 0; j < SIZE; ++j) state[at + j * SIZE] = s[j];
}

void main() {
    if (gl_WorkGroupID.y >= step.numRuns) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint head = gl_WorkGroupID.x;
    const uint i = gl_LocalInvocationID.x;
    const uint first = run.slot * stateElems + head * SIZE * SIZE + i;
    [[unroll]] for (uint j = 0; j < SIZE; ++j) s[j] = state[first + j * SIZE];
    for (uint row = run.firstRow; row < run.firstRow + run.numRows; ++row) {
        if (row == run.firstGuess) keep(run.keptSlot);
        const uint at = row * paddedWidth + head * SIZE + i;
        barrier();  // the row before has been read
        rs[i] = r[at];
        ws[i] = w[at];
        ks[i] = k[at];
        kks[i] = kk[at];
        rates[i] = kk[at] * a[at];
        barrier();
        const float value = v[at];
        float removed = 0;
        [[unroll]] for (uint j = 0; j < SIZE; ++j) removed += kks[j] * s[j];
        float sum = 0;
        [[unroll]] for (uint j = 0; j < SIZE; ++j) {
            s[j] = ws[j] * s[j] - removed * rates[j] + ks[j] * value;
            sum += rs[j] * s[j];
        }
        y[at] = sum;
    }
    keep(run.slotAfter);
}
