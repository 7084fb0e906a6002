// The recurrence of Mamba-2: S_np = decay S_np + step B_n x_p, then y_p = sum_n C_n S_np + D x_p.   OpCode::MambaScan
// Source: Dao & Gu, "Transformers are SSMs" (2024), eq. 16 with A one number; steps: Gu & Dao, "Mamba" (2023), 3.6.
//
// Bindings: 0 step; 1 S [sequences, heads, STATE, SIZE]; 2 x [rows, padded(heads * SIZE)]; 3 B, 4 C [rows, padded(groups *
// STATE)]; 5 raw steps [rows, padded(heads)]; 6 A, 7 D, 8 bias of steps [heads]; 9 y, shaped like x. A workgroup of SIZE
// takes a head (x) of a run (y) through all its rows; invocation p keeps column p of S in registers.
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

shared float bs[STATE], cs[STATE];

uint padded(uint width) {
    return (width + 3) & ~3u;
}

void main() {
    if (gl_WorkGroupID.y >= step.numRuns) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint heads = gl_NumWorkGroups.x;
    const uint head = gl_WorkGroupID.x;
    const uint group = head / (heads / groups);
    const uint p = gl_LocalInvocationID.x;
    const uint first = run.slot * stateElems + head * STATE * SIZE + p;
    float s[STATE];
    [[unroll]] for (uint n = 0; n < STATE; ++n) s[n] = state[first + n * SIZE];
    for (uint row = run.firstRow; row < run.firstRow + run.numRows; ++row) {
        const uint groupAt = row * padded(groups * STATE) + group * STATE;
        const uint at = row * padded(heads * SIZE) + head * SIZE + p;
        barrier();  // the row before has been read
        for (uint n = p; n < STATE; n += SIZE) {
            bs[n] = b[groupAt + n];
            cs[n] = c[groupAt + n];
        }
        barrier();
        const float size = softplus(rawSteps[row * padded(heads) + head] + bias[head]);
        const float decay = exp(size * a[head]);
        const float value = x[at];
        float sum = 0;
        [[unroll]] for (uint n = 0; n < STATE; ++n) {
            s[n] = decay * s[n] + size * bs[n] * value;
            sum += cs[n] * s[n];
        }
        y[at] = sum + d[head] * value;
    }
    const uint after = run.slotAfter * stateElems + head * STATE * SIZE + p;
    [[unroll]] for (uint n = 0; n < STATE; ++n) state[after + n * SIZE] = s[n];
}
