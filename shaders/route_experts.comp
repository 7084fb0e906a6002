// p = softmax(x), of which the numUsed largest stay (ties: the lower expert) and are divided by their sum;
// the others become 0. Whatever x holds, at most numUsed are above 0.   OpCode::RouteExperts
//
// Bindings: 0 x; 1 p [rows, padded(numExperts)]. A workgroup takes a row (x). Softmax's own sum cancels out.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer P { float p[]; };
layout(push_constant) uniform Push { uint numExperts, numUsed; };

#include "workgroup_sum.glsl"

void main() {
    const uint first = gl_WorkGroupID.x * ((numExperts + 3) & ~3u);
    float largest = x[first];
    for (uint e = 1; e < numExperts; ++e) largest = max(largest, x[first + e]);
    float chosenTotal = 0;
    // Chosen is what has fewer than numUsed ahead of it.
    for (uint e = gl_LocalInvocationID.x; e < numExperts; e += gl_WorkGroupSize.x) {
        const float ours = x[first + e];
        uint ahead = 0;
        for (uint other = 0; other < numExperts; ++other) {
            const float theirs = x[first + other];
            if (theirs > ours || (theirs == ours && other < e)) ++ahead;
        }
        const float weight = exp(ours - largest);
        const bool chosen = ahead < numUsed && weight > 0;
        chosenTotal += chosen ? weight : 0;
        p[first + e] = chosen ? weight : 0;
    }
    chosenTotal = workgroupSum(chosenTotal);
    for (uint e = gl_LocalInvocationID.x; e < numExperts; e += gl_WorkGroupSize.x) p[first + e] /= chosenTotal;
}
