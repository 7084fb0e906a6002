// The best kKept of each kSorted candidates: what may still be among the best of all.
//
// Bindings: 0 step (flags); 1, 2 see topk.glsl; 3 candidates [groups, kKept]. Workgroup x takes kSorted of them.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#define STEP_ACCESS
#include "step.glsl"
#include "topk.glsl"

layout(binding = 3) writeonly buffer Best { uvec2 best[]; };

void main() {
    sortCandidates(gl_WorkGroupID.x * kSorted);
    for (uint i = gl_LocalInvocationID.x; i < kKept; i += gl_WorkGroupSize.x)
        best[gl_WorkGroupID.x * kKept + i] = candidates[i];
}
