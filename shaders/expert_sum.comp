// y = [h +] sum over s of share_s times part s of x.
// OpCode::ExpertSum, and the Add behind it
//
// Bindings: 0 x [rows, padded(numUsed * width)]; 1 r [rows, padded(2 * numUsed)]; 2 h, 3 y [rows, padded(width)]. One
// invocation takes a channel (x) of a row (workgroup y).
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool HAS_RESIDUAL = false;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer R { float r[]; };
layout(binding = 2) readonly buffer H { float h[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width, numUsed; };

uint padded(uint count) {
    return (count + 3) & ~3u;
}

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    if (i >= width) return;
    float sum = 0;
    const uint xFirst = row * padded(numUsed * width) + i;
    const uint shares = row * padded(2 * numUsed) + numUsed;
    for (uint part = 0; part < numUsed; ++part) sum += r[shares + part] * x[xFirst + part * width];
    y[row * padded(width) + i] = HAS_RESIDUAL ? h[row * padded(width) + i] + sum : sum;
}
