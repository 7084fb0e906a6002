// y = x / sqrt(mean(x^2) + eps) * g over each part of `size` floats.   OpCode::RmsNorm
// One workgroup per part: group x is the part within its row, group y the row.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { float x[]; };    // [rows, parts, size]
layout(binding = 1) readonly buffer G { float g[]; };    // [size]
layout(binding = 2) writeonly buffer Y { float y[]; };   // [rows, parts, size]
layout(push_constant) uniform Push { uint size; float eps; };

#include "workgroup_sum.glsl"

void main() {
    const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * size;
    float squares = 0;
    for (uint i = gl_LocalInvocationID.x; i < size; i += gl_WorkGroupSize.x) squares += x[first + i] * x[first + i];
    const float inverse = inversesqrt(workgroupSum(squares) / float(size) + eps);
    for (uint i = gl_LocalInvocationID.x; i < size; i += gl_WorkGroupSize.x)
        y[first + i] = x[first + i] * inverse * g[i];
}
