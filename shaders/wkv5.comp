// The recurrence of RWKV-5 and RWKV-6: y_j = sum_i r_i (u_i k_i v_j + S_ij), then S_ij = k_i v_j + w_i S_ij.
// OpCode::Wkv5   Source: Peng et al., "Eagle and Finch: RWKV with Matrix-Valued States" (2024), eq. 17-19.
//
// Bindings: 0 step; 1 S [sequences, heads, size, size], row = key index i; 2 r, 3 k, 4 v, 5 y [rows,
// padded(heads * size)]; 6 w: a decay per token, shaped like r (W_PER_TOKEN), or [heads, wPerHead]; 7 u
// [heads, uPerHead]; …PerHead: size, or 1 for one number per head. A workgroup of `size` takes a head (x) of
// a run (y) through all its rows; invocation j keeps column j of S in registers.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"
layout(constant_id = 1) const uint SIZE = 64;
layout(constant_id = 2) const bool W_PER_TOKEN = false;

layout(binding = 1) buffer State { float state[]; };
layout(binding = 2) readonly buffer R { float r[]; };
layout(binding = 3) readonly buffer K { float k[]; };
layout(binding = 4) readonly buffer V { float v[]; };
layout(binding = 5) writeonly buffer Y { float y[]; };
layout(binding = 6) readonly buffer W { float w[]; };
layout(binding = 7) readonly buffer U { float u[]; };
layout(push_constant) uniform Push { uint paddedWidth, stateElems, wPerHead, uPerHead; };

shared float rs[SIZE], ks[SIZE], ws[SIZE], us[SIZE];

float s[SIZE];

void keep(uint slot) {
    const uint at = slot * stateElems + gl_WorkGroupID.x * SIZE * SIZE + gl_LocalInvocationID.x;
    [[unroll]] for (uint i = 0; i < SIZE; ++i) state[at + i * SIZE] = s[i];
}

void main() {
    if (gl_WorkGroupID.y >= step.numRuns) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint head = gl_WorkGroupID.x;
    const uint j = gl_LocalInvocationID.x;
    const uint first = run.slot * stateElems + head * SIZE * SIZE + j;
    [[unroll]] for (uint i = 0; i < SIZE; ++i) s[i] = state[first + i * SIZE];
    us[j] = u[head * uPerHead + j % uPerHead];
    if (!W_PER_TOKEN) ws[j] = w[head * wPerHead + j % wPerHead];
    for (uint row = run.firstRow; row < run.firstRow + run.numRows; ++row) {
        if (row == run.firstGuess) keep(run.keptSlot);
        const uint at = row * paddedWidth + head * SIZE + j;
        barrier();  // the row before has been read
        rs[j] = r[at];
        ks[j] = k[at];
        if (W_PER_TOKEN) ws[j] = w[at];
        barrier();
        const float value = v[at];
        float sum = 0;
        [[unroll]] for (uint i = 0; i < SIZE; ++i) {
            const float kv = ks[i] * value;
            sum += rs[i] * (us[i] * kv + s[i]);
            s[i] = kv + ws[i] * s[i];
        }
        y[at] = sum;
    }
    keep(run.slotAfter);
}
