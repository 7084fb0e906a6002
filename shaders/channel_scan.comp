// Mamba: d_p = ln(1 + e^(rawStep_p + bias_p)); S_pn = exp(d_p A_pn) S_pn + d_p b_n x_p; y_p = sum_n c_n S_pn + D_p x_p.
// OpCode::ChannelScan   Source: Gu & Dao, "Mamba: Linear-Time Sequence Modeling with Selective State Spaces" (2023),
// section 3; see engine/kernels/ref/channel_scan.h.
//
// Bindings: 0 step; 1 S [sequences, width, STATE]; 2 x [rows, padded(width)]; 3 B, 4 C [rows, padded(STATE)]; 5 raw
// steps, shaped like x; 6 A [width, STATE]; 7 D, 8 bias of steps [width]; 9 y, shaped like x. A workgroup of GROUP
// takes as many channels (x) of a run (y) through all its rows; an invocation keeps the state of its channel in
// registers.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"
layout(constant_id = 1) const uint STATE = 16;
layout(constant_id = 2) const uint GROUP = 64;

layout(binding = 1) buffer State { float state[]; };
layout(binding = 2) readonly buffer X { float x[]; };
layout(binding = 3) readonly buffer B { float b[]; };
layout(binding = 4) readonly buffer C { float c[]; };
layout(binding = 5) readonly buffer RawSteps { float rawSteps[]; };
layout(binding = 6) readonly buffer A { float a[]; };
layout(binding = 7) readonly buffer D { float d[]; };
layout(binding = 8) readonly buffer Bias { float bias[]; };
layout(binding = 9) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width, paddedWidth, paddedState, stateElems; };

#include "activation.glsl"

shared float bs[STATE], cs[STATE];

float s[STATE];

void keep(uint slot, uint channel) {
    [[unroll]] for (uint n = 0; n < STATE; ++n) state[slot * stateElems + channel * STATE + n] = s[n];
}

void main() {
    if (gl_WorkGroupID.y >= step.numRuns) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint i = gl_LocalInvocationID.x;
    const uint channel = gl_WorkGroupID.x * GROUP + i;
    const bool isThere = channel < width;  // the others help to read
    [[unroll]] for (uint n = 0; n < STATE; ++n)
        s[n] = isThere ? state[run.slot * stateElems + channel * STATE + n] : 0;
    for (uint row = run.firstRow; row < run.firstRow + run.numRows; ++row) {
        barrier();  // the row before has been read
        for (uint n = i; n < STATE; n += GROUP) {
            bs[n] = b[row * paddedState + n];
            cs[n] = c[row * paddedState + n];
        }
        barrier();
        if (!isThere) continue;
        if (row == run.firstGuess) keep(run.keptSlot, channel);
        const uint at = row * paddedWidth + channel;
        const float size = softplus(rawSteps[at] + bias[channel]);
        const float added = size * x[at];
        float sum = 0;
        [[unroll]] for (uint n = 0; n < STATE; ++n) {
            s[n] = exp(size * a[channel * STATE + n]) * s[n] + added * bs[n];
            sum += cs[n] * s[n];
        }
        y[at] = sum + d[channel] * x[at];
    }
    if (isThere) keep(run.slotAfter, channel);
}
