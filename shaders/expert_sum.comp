// y = [h +] sum over experts with p_e != 0, in order of e, of p_e times the next part of x.
// OpCode::ExpertSum, and the Add behind it
//
// Bindings: 0 x [rows, padded(numUsed * width)]; 1 p [rows, padded(numExperts)]; 2 h, 3 y [rows, padded(width)]. One
// invocation takes a channel (x) of a row (workgroup y).
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool HAS_RESIDUAL = false;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer P { float p[]; };
layout(binding = 2) readonly buffer H { float h[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width, numUsed, numExperts; };

uint padded(uint count) {
    return (count + 3) & ~3u;
}

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    if (i >= width) return;
    float sum = 0;
    uint at = row * padded(numUsed * width) + i;
    for (uint e = 0; e < numExperts; ++e) {
        const float weight = p[row * padded(numExperts) + e];
        if (weight == 0) continue;
        sum += weight * x[at];
        at += width;
    }
    y[row * padded(width) + i] = HAS_RESIDUAL ? h[row * padded(width) + i] + sum : sum;
}
