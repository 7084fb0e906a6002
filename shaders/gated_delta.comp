// The gated delta rule: S_ij = decay S_ij, d_j = rate (v_j - sum_i k_i S_ij), S_ij = S_ij + k_i d_j, y_j = sum_i q_i S_ij.
// OpCode::GatedDelta   Source: Yang et al., "Gated Delta Networks" (2024), eq. 10.
//
// Bindings: 0 step; 1 S [sequences, heads, KEY, VALUE], row = key index i; 2 q, 3 k [rows, padded(numKeyHeads * KEY)]; 4 v
// [rows, padded(heads * VALUE)]; 5 raw steps, 6 rates [rows, padded(heads)]; 7 A, 8 bias of steps [heads]; 9 y, shaped like
// v. A workgroup of VALUE takes a head (x) of a run (y) through all its rows; invocation j keeps column j of S in registers.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"
layout(constant_id = 1) const uint KEY = 128;
layout(constant_id = 2) const uint VALUE = 128;
layout(constant_id = 3) const bool TILED = false;

layout(binding = 1) buffer State { float state[]; };
layout(binding = 2) readonly buffer Q { float q[]; };
layout(binding = 3) readonly buffer K { float k[]; };
layout(binding = 4) readonly buffer V { float v[]; };
layout(binding = 5) readonly buffer RawSteps { float rawSteps[]; };
layout(binding = 6) readonly buffer Rates { float rates[]; };
layout(binding = 7) readonly buffer A { float a[]; };
layout(binding = 8) readonly buffer Bias { float bias[]; };
layout(binding = 9) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint stateElems, numKeyHeads; };

#include "activation.glsl"

shared float qs[KEY], ks[KEY];

uint padded(uint width) {
    return (width + 3) & ~3u;
}

void main() {
    if (gl_WorkGroupID.y >= step.numRuns) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint heads = gl_NumWorkGroups.x;
    const uint head = gl_WorkGroupID.x;
    const uint keyHead = TILED ? head % numKeyHeads : head / (heads / numKeyHeads);
    const uint j = gl_LocalInvocationID.x;
    const uint first = run.slot * stateElems + head * KEY * VALUE + j;
    float s[KEY];
    [[unroll]] for (uint i = 0; i < KEY; ++i) s[i] = state[first + i * VALUE];
    for (uint row = run.firstRow; row < run.firstRow + run.numRows; ++row) {
        const uint keyAt = row * padded(numKeyHeads * KEY) + keyHead * KEY;
        const uint valueAt = row * padded(heads * VALUE) + head * VALUE + j;
        const uint headAt = row * padded(heads) + head;
        barrier();  // the row before has been read
        for (uint i = j; i < KEY; i += VALUE) {
            qs[i] = q[keyAt + i];
            ks[i] = k[keyAt + i];
        }
        barrier();
        const float decay = exp(softplus(rawSteps[headAt] + bias[head]) * a[head]);
        float found = 0;
        [[unroll]] for (uint i = 0; i < KEY; ++i) found += ks[i] * s[i];
        const float change = rates[headAt] * (v[valueAt] - decay * found);
        float sum = 0;
        [[unroll]] for (uint i = 0; i < KEY; ++i) {
            s[i] = decay * s[i] + ks[i] * change;
            sum += qs[i] * s[i];
        }
        y[valueAt] = sum;
    }
    const uint after = run.slotAfter * stateElems + head * KEY * VALUE + j;
    [[unroll]] for (uint i = 0; i < KEY; ++i) state[after + i * VALUE] = s[i];
}
