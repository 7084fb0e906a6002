// y = (sum over the head of r * k * u) * v.   OpCode::WkvBonus
// Source: Peng et al., "RWKV-7 Goose with Expressive Dynamic State Evolution" (2025), eq. 20.
//
// Bindings: 0 r, 1 k, 2 v [rows, padded(heads * size)]; 3 u [heads * size]; 4 y, shaped like r. A workgroup
// takes a head (x) of a row (y).
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer R { float r[]; };
layout(binding = 1) readonly buffer K { float k[]; };
layout(binding = 2) readonly buffer V { float v[]; };
layout(binding = 3) readonly buffer U { float u[]; };
layout(binding = 4) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint size, paddedWidth; };

#include "workgroup_sum.glsl"

void main() {
    const uint channel = gl_WorkGroupID.x * size;
    const uint first = gl_WorkGroupID.y * paddedWidth + channel;
    float sum = 0;
    for (uint i = gl_LocalInvocationID.x; i < size; i += gl_WorkGroupSize.x)
        sum += r[first + i] * k[first + i] * u[channel + i];
    sum = workgroupSum(sum);
    for (uint i = gl_LocalInvocationID.x; i < size; i += gl_WorkGroupSize.x) y[first + i] = sum * v[first + i];
}
