// The RWKV-4 recurrence: y = (N + e^(u+k) v) / (D + e^(u+k)), then N = e^w N + e^k v, D = e^w D + e^k, with N
// and D divided by e^E so that they stay in range.   OpCode::Wkv4 Source: Peng et al., "RWKV: Reinventing
// RNNs for the Transformer Era" (2023), eq. 16 and appendix D.
//
// Bindings: 0 step; 1 N, 2 D, 3 E [sequences, padded(width)]; 4 w, 5 u [width]; 6 k, 7 v, 8 y [rows, padded(width)].
// One invocation takes a channel (x) of a run (workgroup y) through all its rows.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"

layout(binding = 1) buffer Numerator { float numerator[]; };
layout(binding = 2) buffer Denominator { float denominator[]; };
layout(binding = 3) buffer Exponent { float exponent[]; };
layout(binding = 4) readonly buffer W { float w[]; };
layout(binding = 5) readonly buffer U { float u[]; };
layout(binding = 6) readonly buffer K { float k[]; };
layout(binding = 7) readonly buffer V { float v[]; };
layout(binding = 8) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width, paddedWidth; };

void keep(uint at, float n, float d, float e) {
    numerator[at] = n;
    denominator[at] = d;
    exponent[at] = e;
}

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= width || gl_WorkGroupID.y >= step.numRuns) return;
    const Run run = step.entries[gl_WorkGroupID.y].run;
    const uint at = run.slot * paddedWidth + i;
    float n = numerator[at], d = denominator[at], e = exponent[at];
    for (uint row = run.firstRow; row < run.firstRow + run.numRows; ++row) {
        if (row == run.firstGuess) keep(run.keptSlot * paddedWidth + i, n, d, e);
        const float key = k[row * paddedWidth + i];
        const float value = v[row * paddedWidth + i];
        const float now = max(e, u[i] + key);
        const float past = exp(e - now);
        const float present = exp(u[i] + key - now);
        y[row * paddedWidth + i] = (past * n + present * value) / (past * d + present);
        const float next = max(e + w[i], key);
        const float keep = exp(e + w[i] - next);
        const float take = exp(key - next);
        n = keep * n + take * value;
        d = keep * d + take;
        e = next;
    }
    keep(run.slotAfter * paddedWidth + i, n, d, e);
}
