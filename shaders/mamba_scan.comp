// Mamba-2 in chunks: y_t = D(t,c) S^T C_t + sum over s <= t of D(t,s) (B_s · C_t) step_s x_s + D x_t.  
// OpCode::MambaScan Source: Dao & Gu, "Transformers are SSMs" (2024), eq. 16 with A one number, and 6; steps: Gu &
// Dao, "Mamba" (2023), 3.6; see engine/kernels/ref/mamba_scan.h.
//
// Bindings: 0 step; 1 state [sequences, stateElems]; 2 x [rows, padded(heads * VALUE)]; 3 B (the keys), 4 C [rows,
// padded(groups * KEY)]; 5 raw steps [rows, padded(heads)]; 6 A, 7 D, 8 bias of steps [heads]; 9 y, shaped like x. A
// workgroup of VALUE takes a head (x) of a run (y) through all its rows, see chunk_walk.glsl; changes are step x.
// chunk_keys.comp keeps B afterwards.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"
layout(constant_id = 1) const uint KEY = 128;
layout(constant_id = 2) const uint VALUE = 64;

layout(binding = 1) buffer State { float state[]; };
layout(binding = 2) readonly buffer X { float x[]; };
layout(binding = 3) readonly buffer K { float k[]; };
layout(binding = 4) readonly buffer C { float c[]; };
layout(binding = 5) readonly buffer RawSteps { float rawSteps[]; };
layout(binding = 6) readonly buffer A { float a[]; };
layout(binding = 7) readonly buffer D { float d[]; };
layout(binding = 8) readonly buffer Bias { float bias[]; };
layout(binding = 9) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint stateElems, groups; };

#include "activation.glsl"
#include "chunk_walk.glsl"

shared float cs[KEY];
shared float dots[kChunk];  // of B of row s of the chunk with this row's C

void main() {
    if (gl_WorkGroupID.y >= step.numRuns) return;
    const uint heads = gl_NumWorkGroups.x;
    const uint head = gl_WorkGroupID.x;
    const uint j = gl_LocalInvocationID.x;
    beginWalk(step.entries[gl_WorkGroupID.y].run, heads, head, groups, head / (heads / groups), stateElems);
    for (uint position = walk.first; position < walk.end; ++position) {
        const uint row = walk.firstRow + position - walk.first;
        const uint t = position % kChunk;
        if (t == 0 && position > 0) fold(position);
        const uint at = row * padded(heads * VALUE) + head * VALUE + j;
        barrier();  // the row before has been read
        for (uint i = j; i < KEY; i += VALUE) cs[i] = c[row * walk.keyWidth + walk.keyColumn + i];
        const float size = softplus(rawSteps[row * padded(heads) + head] + bias[head]);
        if (j == 0) keepDecay(t, exp(size * a[head]));
        barrier();
        for (uint n = j; n <= t; n += VALUE) {
            float sum = 0;
            for (uint i = 0; i < KEY; ++i) sum += keyAt(position - t + n, i) * cs[i];
            dots[n] = sum;
        }
        barrier();
        float sum = 0;
        [[unroll]] for (uint i = 0; i < KEY; ++i) sum += cs[i] * s[i];
        const float value = x[at];
        const float change = size * value;
        keepChange(t, change);
        float since = dots[t] * change, left = 1;
        for (uint n = t; n-- > 0;) {
            left *= decays[n + 1];
            since += dots[n] * left * changeOf(n);
        }
        y[at] = left * decays[0] * sum + since + d[head] * value;
    }
    endWalk();
}
