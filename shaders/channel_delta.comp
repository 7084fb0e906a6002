// Kimi's delta rule: g_j = A ln(1 + e^(rawStep_j + bias_j)), or with a lower bound lowest / (1 + e^(-A (rawStep_j +
// bias_j))); S_ji = exp(g_j) S_ji; e_i = rate (v_i - sum_j k_j S_ji); S_ji = S_ji + k_j e_i; y_i = sum_j q_j S_ji.
// OpCode::ChannelDelta   Source: Kimi Team, "Kimi Linear: An Expressive, Efficient Attention Architecture" (2025),
// section 3; see engine/kernels/ref/channel_scan.h.
//
// Bindings: 0 step; 1 S [sequences, heads, KEY, VALUE]; 2 q, 3 k [rows, padded(heads * KEY)]; 4 v [rows,
// padded(heads * VALUE)]; 5 raw steps, shaped like k; 6 rates [rows, padded(heads)]; 7 A [heads]; 8 bias of steps
// [heads * KEY]; 9 y, shaped like v. A workgroup of VALUE takes a head (x) of a run (y) through all its rows;
// invocation i keeps column i of S in registers.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"
layout(constant_id = 1) const uint KEY = 128;
layout(constant_id = 2) const uint VALUE = 128;

layout(binding = 1) buffer State { float state[]; };
layout(binding = 2) readonly buffer Q { float q[]; };
layout(binding = 3) readonly buffer K { float k[]; };
layout(binding = 4) readonly buffer V { float v[]; };
layout(binding = 5) readonly buffer RawSteps { float rawSteps[]; };
layout(binding = 6) readonly buffer Rates { float rates[]; };
layout(binding = 7) readonly buffer A { float a[]; };
layout(binding = 8) readonly buffer Bias { float bias[]; };
layout(binding = 9) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push {
    uint paddedKeys, paddedValues, paddedHeads, stateElems;
    float lowest;  // 0: decays have no lower bound
};

#include "activation.glsl"

shared float qs[KEY], ks[KEY], decays[KEY];

float s[KEY];

void keep(uint slot, uint within) {
    [[unroll]] for (uint j = 0; j < KEY; ++j) state[slot * stateElems + within + j * VALUE] = s[j];
}

void main() {
    if (gl_WorkGroupID.y >= step.numRuns) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint head = gl_WorkGroupID.x;
    const uint i = gl_LocalInvocationID.x;
    const uint within = head * KEY * VALUE + i;
    const float strength = a[head];
    [[unroll]] for (uint j = 0; j < KEY; ++j) s[j] = state[run.slot * stateElems + within + j * VALUE];
    for (uint row = run.firstRow; row < run.firstRow + run.numRows; ++row) {
        if (row == run.firstGuess) keep(run.keptSlot, within);
        barrier();  // the row before has been read
        for (uint j = i; j < KEY; j += VALUE) {
            const uint at = row * paddedKeys + head * KEY + j;
            const float size = rawSteps[at] + bias[head * KEY + j];
            qs[j] = q[at];
            ks[j] = k[at];
            decays[j] = lowest == 0 ? exp(strength * softplus(size)) : exp(lowest / (1 + exp(-strength * size)));
        }
        barrier();
        const uint at = row * paddedValues + head * VALUE + i;
        float found = 0;
        [[unroll]] for (uint j = 0; j < KEY; ++j) {
            s[j] *= decays[j];
            found += ks[j] * s[j];
        }
        const float change = rates[row * paddedHeads + head] * (v[at] - found);
        float sum = 0;
        [[unroll]] for (uint j = 0; j < KEY; ++j) {
            s[j] += ks[j] * change;
            sum += qs[j] * s[j];
        }
        y[at] = sum;
    }
    keep(run.slotAfter, within);
}
