// Mamba-2 in chunks: y_t = D(t,c) S^T C_t + sum over s <= t of D(t,s) (B_s · C_t) step_s x_s + D x_t.   OpCode::MambaScan
// Source: Dao & Gu, "Transformers are SSMs" (2024), eq. 16 with A one number, and 6; steps: Gu & Dao, "Mamba" (2023), 3.6;
// see engine/kernels/ref/mamba_scan.h.
//
// Bindings: 0 step; 1 state [sequences, stateElems], see chunk.glsl; 2 x [rows, padded(heads * SIZE)]; 3 B, 4 C [rows,
// padded(groups * STATE)]; 5 raw steps [rows, padded(heads)]; 6 A, 7 D, 8 bias of steps [heads]; 9 y, shaped like x. A
// workgroup of SIZE takes a head (x) of a run (y) through all its rows; invocation p keeps column p of S in registers, and
// alone reads and writes column p of the changes step x. chunk_keys.comp keeps B afterwards.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"
layout(constant_id = 1) const uint STATE = 128;
layout(constant_id = 2) const uint SIZE = 64;

layout(binding = 1) buffer State { float state[]; };
layout(binding = 2) readonly buffer X { float x[]; };
layout(binding = 3) readonly buffer B { float b[]; };
layout(binding = 4) readonly buffer C { float c[]; };
layout(binding = 5) readonly buffer RawSteps { float rawSteps[]; };
layout(binding = 6) readonly buffer A { float a[]; };
layout(binding = 7) readonly buffer D { float d[]; };
layout(binding = 8) readonly buffer Bias { float bias[]; };
layout(binding = 9) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint stateElems, groups; };

#include "activation.glsl"
#include "chunk.glsl"

shared float bs[STATE], cs[STATE];
shared float decays[kChunk];
shared float dots[kChunk];  // of B of row s of the chunk with this row's C

void main() {
    if (gl_WorkGroupID.y >= step.numRuns) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint heads = gl_NumWorkGroups.x;
    const uint head = gl_WorkGroupID.x;
    const uint group = head / (heads / groups);
    const uint width = groups * STATE;
    const uint p = gl_LocalInvocationID.x;
    const uint before = run.slot * stateElems + head * STATE * SIZE + p;
    const uint after = run.slotAfter * stateElems + head * STATE * SIZE + p;
    // Rows of the chunk: changes of all heads, keys, decays.
    const uint rowElems = heads * SIZE + width + heads;
    const uint rowsBefore = run.slot * stateElems + heads * STATE * SIZE;
    const uint rowsAfter = run.slotAfter * stateElems + heads * STATE * SIZE;
    const uint changes = rowsAfter + head * SIZE + p;
    const uint keptKeys = rowsBefore + heads * SIZE + group * STATE;
    const uint decayAt = heads * SIZE + width + head;
    const uint first = run.firstPosition;
    const uint end = first + run.numRows;
    const uint numKept = first - chunkStart(first);
    bool changed = before != after;  // S, or where it is
    for (uint i = p; i < numKept; i += SIZE) {
        decays[i] = state[rowsBefore + i * rowElems + decayAt];
        if (changed) state[rowsAfter + i * rowElems + decayAt] = decays[i];
    }
    for (uint i = 0; changed && i < numKept; ++i)
        state[changes + i * rowElems] = state[rowsBefore + head * SIZE + p + i * rowElems];
    float s[STATE];
    [[unroll]] for (uint n = 0; n < STATE; ++n) s[n] = state[before + n * SIZE];
    for (uint position = first; position < end; ++position) {
        const uint row = run.firstRow + position - first;
        const uint t = position % kChunk;
        if (t == 0 && position > 0) {
            changed = true;
            barrier();  // decays are written
            float left = 1;
            for (uint i = 0; i < kChunk; ++i) left *= decays[i];
            [[unroll]] for (uint n = 0; n < STATE; ++n) s[n] *= left;
            float share = 1;
            for (uint i = kChunk; i-- > 0;) {
                barrier();  // the row before has been read
                const uint earlier = position - kChunk + i;
                for (uint n = p; n < STATE; n += SIZE)
                    bs[n] = earlier < first ? state[keptKeys + i * rowElems + n]
                                            : b[(row + i - kChunk) * padded(width) + group * STATE + n];
                barrier();
                const float change = share * state[changes + i * rowElems];
                [[unroll]] for (uint n = 0; n < STATE; ++n) s[n] += bs[n] * change;
                share *= decays[i];
            }
        }
        const uint groupAt = row * padded(width) + group * STATE;
        const uint at = row * padded(heads * SIZE) + head * SIZE + p;
        barrier();  // the row before has been read
        for (uint n = p; n < STATE; n += SIZE) cs[n] = c[groupAt + n];
        const float size = softplus(rawSteps[row * padded(heads) + head] + bias[head]);
        if (p == 0) {
            decays[t] = exp(size * a[head]);
            state[rowsAfter + t * rowElems + decayAt] = decays[t];
        }
        barrier();
        for (uint i = p; i <= t; i += SIZE) {
            const uint earlier = position - t + i;
            float sum = 0;
            for (uint n = 0; n < STATE; ++n) {
                const float key = earlier < first ? state[keptKeys + i * rowElems + n]
                                                  : b[groupAt - (t - i) * padded(width) + n];
                sum += key * cs[n];
            }
            dots[i] = sum;
        }
        barrier();
        float sum = 0;
        [[unroll]] for (uint n = 0; n < STATE; ++n) sum += cs[n] * s[n];
        const float value = x[at];
        const float change = size * value;
        state[changes + t * rowElems] = change;
        float since = dots[t] * change, left = 1;
        for (uint i = t; i-- > 0;) {
            left *= decays[i + 1];
            since += dots[i] * left * state[changes + i * rowElems];
        }
        y[at] = left * decays[0] * sum + since + d[head] * value;
    }
    if (!changed) return;
    [[unroll]] for (uint n = 0; n < STATE; ++n) state[after + n * SIZE] = s[n];
}
