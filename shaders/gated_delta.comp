// The gated delta rule in chunks: d_t = rate_t (v_t - D(t,c) S^T k_t - sum over s < t of D(t,s) (k_s · k_t) d_s), y_t
// = D(t,c) S^T q_t + sum over s <= t of D(t,s) (k_s · q_t) d_s.   OpCode::GatedDelta
// Source: Yang et al., "Gated Delta Networks" (2024), eq. 10 and 3.3; see engine/kernels/ref/gated_delta.h.
//
// Bindings: 0 step; 1 state [sequences, stateElems]; 2 q, 3 k [rows, padded(numKeyHeads * KEY)]; 4 v [rows,
// padded(heads * VALUE)]; 5 raw steps, 6 rates [rows, padded(heads)]; 7 A, 8 bias of steps [heads]; 9 y, shaped like
// v. A workgroup of VALUE takes a head (x) of a run (y) through all its rows, see chunk_walk.glsl; changes are d.
// chunk_keys.comp keeps the keys afterwards.
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
#include "chunk_walk.glsl"

shared float qs[KEY];
shared float dots[2 * kChunk];  // of the key of row s of the chunk with this row's key, then with its query

void main() {
    if (gl_WorkGroupID.y >= step.numRuns) return;
    const uint heads = gl_NumWorkGroups.x;
    const uint head = gl_WorkGroupID.x;
    const uint keyHead = TILED ? head % numKeyHeads : head / (heads / numKeyHeads);
    const uint j = gl_LocalInvocationID.x;
    beginWalk(step.entries[gl_WorkGroupID.y].run, heads, head, numKeyHeads, keyHead, stateElems);
    for (uint position = walk.first; position < walk.end; ++position) {
        const uint row = walk.firstRow + position - walk.first;
        const uint t = position % kChunk;
        if (t == 0 && position > 0) fold(position);
        const uint valueAt = row * padded(heads * VALUE) + head * VALUE + j;
        const uint headAt = row * padded(heads) + head;
        barrier();  // the row before has been read
        for (uint i = j; i < KEY; i += VALUE) {
            qs[i] = q[row * walk.keyWidth + walk.keyColumn + i];
            ks[i] = keyAt(position, i);
        }
        if (j == 0) keepDecay(t, exp(softplus(rawSteps[headAt] + bias[head]) * a[head]));
        barrier();
        for (uint item = j; item < 2 * (t + 1); item += VALUE) {
            const uint n = item / 2;
            float sum = 0;
            for (uint i = 0; i < KEY; ++i)
                sum += keyAt(position - t + n, i) * (item % 2 == 0 ? ks[i] : qs[i]);
            dots[item % 2 * kChunk + n] = sum;
        }
        barrier();
        float found = 0, sum = 0;
        [[unroll]] for (uint i = 0; i < KEY; ++i) {
            found += ks[i] * s[i];
            sum += qs[i] * s[i];
        }
        float foundSince = 0, sumSince = 0, left = 1;
        for (uint n = t; n-- > 0;) {
            left *= decays[n + 1];
            const float change = left * changeOf(n);
            foundSince += dots[n] * change;
            sumSince += dots[kChunk + n] * change;
        }
        left *= decays[0];
        const float change = rates[headAt] * (v[valueAt] - left * found - foundSince);
        keepChange(t, change);
        y[valueAt] = left * sum + sumSince + dots[kChunk + t] * change;
    }
    endWalk();
}
