// The gated delta rule in chunks: d_t = rate_t (v_t - D(t,c) S^T k_t - sum over s < t of D(t,s) (k_s · k_t) d_s), y_t = D(t,c)
// S^T q_t + sum over s <= t of D(t,s) (k_s · q_t) d_s.   OpCode::GatedDelta
// Source: Yang et al., "Gated Delta Networks" (2024), eq. 10 and 3.3; see engine/kernels/ref/gated_delta.h.
//
// Bindings: 0 step; 1 state [sequences, stateElems], see chunk.glsl; 2 q, 3 k [rows, padded(numKeyHeads * KEY)]; 4 v [rows,
// padded(heads * VALUE)]; 5 raw steps, 6 rates [rows, padded(heads)]; 7 A, 8 bias of steps [heads]; 9 y, shaped like v. A
// workgroup of VALUE takes a head (x) of a run (y) through all its rows; invocation j keeps column j of S in registers, and
// alone reads and writes column j of the changes d. chunk_keys.comp keeps the keys afterwards.
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
#include "chunk.glsl"

shared float qs[KEY], ks[KEY];
shared float decays[kChunk];
shared float dots[2 * kChunk];  // of the key of row s of the chunk with this row's key, then with its query

void main() {
    if (gl_WorkGroupID.y >= step.numRuns) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint heads = gl_NumWorkGroups.x;
    const uint head = gl_WorkGroupID.x;
    const uint keyHead = TILED ? head % numKeyHeads : head / (heads / numKeyHeads);
    const uint keyWidth = numKeyHeads * KEY;
    const uint j = gl_LocalInvocationID.x;
    const uint before = run.slot * stateElems + head * KEY * VALUE + j;
    const uint after = run.slotAfter * stateElems + head * KEY * VALUE + j;
    // Rows of the chunk: changes of all heads, keys, decays.
    const uint rowElems = heads * VALUE + keyWidth + heads;
    const uint rowsBefore = run.slot * stateElems + heads * KEY * VALUE;
    const uint rowsAfter = run.slotAfter * stateElems + heads * KEY * VALUE;
    const uint changes = rowsAfter + head * VALUE + j;
    const uint keptKeys = rowsBefore + heads * VALUE + keyHead * KEY;
    const uint decayAt = heads * VALUE + keyWidth + head;
    const uint first = run.firstPosition;
    const uint end = first + run.numRows;
    const uint numKept = first - chunkStart(first);
    bool changed = before != after;  // S, or where it is
    for (uint i = j; i < numKept; i += VALUE) {
        decays[i] = state[rowsBefore + i * rowElems + decayAt];
        if (changed) state[rowsAfter + i * rowElems + decayAt] = decays[i];
    }
    for (uint i = 0; changed && i < numKept; ++i)
        state[changes + i * rowElems] = state[rowsBefore + head * VALUE + j + i * rowElems];
    float s[KEY];
    [[unroll]] for (uint i = 0; i < KEY; ++i) s[i] = state[before + i * VALUE];
    for (uint position = first; position < end; ++position) {
        const uint row = run.firstRow + position - first;
        const uint t = position % kChunk;
        if (t == 0 && position > 0) {
            changed = true;
            barrier();  // decays are written
            float left = 1;
            for (uint i = 0; i < kChunk; ++i) left *= decays[i];
            [[unroll]] for (uint i = 0; i < KEY; ++i) s[i] *= left;
            float share = 1;
            for (uint n = kChunk; n-- > 0;) {
                barrier();  // the keys before have been read
                const uint earlier = position - kChunk + n;
                for (uint i = j; i < KEY; i += VALUE)
                    ks[i] = earlier < first ? state[keptKeys + n * rowElems + i]
                                            : k[(row + n - kChunk) * padded(keyWidth) + keyHead * KEY + i];
                barrier();
                const float change = share * state[changes + n * rowElems];
                [[unroll]] for (uint i = 0; i < KEY; ++i) s[i] += ks[i] * change;
                share *= decays[n];
            }
        }
        const uint keyAt = row * padded(keyWidth) + keyHead * KEY;
        const uint valueAt = row * padded(heads * VALUE) + head * VALUE + j;
        const uint headAt = row * padded(heads) + head;
        barrier();  // the row before has been read
        for (uint i = j; i < KEY; i += VALUE) {
            qs[i] = q[keyAt + i];
            ks[i] = k[keyAt + i];
        }
        if (j == 0) {
            decays[t] = exp(softplus(rawSteps[headAt] + bias[head]) * a[head]);
            state[rowsAfter + t * rowElems + decayAt] = decays[t];
        }
        barrier();
        for (uint item = j; item < 2 * (t + 1); item += VALUE) {
            const uint n = item / 2;
            const uint earlier = position - t + n;
            float sum = 0;
            for (uint i = 0; i < KEY; ++i) {
                const float key = earlier < first ? state[keptKeys + n * rowElems + i]
                                                  : k[keyAt - (t - n) * padded(keyWidth) + i];
                sum += key * (item % 2 == 0 ? ks[i] : qs[i]);
            }
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
            const float change = left * state[changes + n * rowElems];
            foundSince += dots[n] * change;
            sumSince += dots[kChunk + n] * change;
        }
        left *= decays[0];
        const float change = rates[headAt] * (v[valueAt] - left * found - foundSince);
        state[changes + t * rowElems] = change;
        y[valueAt] = left * sum + sumSince + dots[kChunk + t] * change;
    }
    if (!changed) return;
    [[unroll]] for (uint i = 0; i < KEY; ++i) state[after + i * VALUE] = s[i];
}
