// The best kKept of each kSorted candidates of a row: what may still be among its best of all.
//
// Bindings: 0 step (flags); 1, 2 see topk.glsl; 3 candidates [rows, groups, kKept]. Workgroup (x, y) takes kSorted of
// row y.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#define STEP_ACCESS
#include "step.glsl"
#include "topk.glsl"

layout(binding = 3) writeonly buffer Best { uvec2 best[]; };

void main() {
    if (gl_WorkGroupID.y >= step.numLogitRows) return;
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    sortCandidates(gl_WorkGroupID.x * kSorted);
    for (uint i = gl_LocalInvocationID.x; i < kKept; i += gl_WorkGroupSize.x)
        best[group * kKept + i] = candidates[i];
}
