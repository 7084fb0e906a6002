// y = min(max(x, low), high).   OpCode::Clamp
//
// Bindings: 0 x, 1 y [rows, padded(width)]. One invocation takes a float (x) of a row (workgroup y).
#version 450
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width; float low, high; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= width) return;
    const uint at = gl_WorkGroupID.y * ((width + 3) & ~3u) + i;
    y[at] = clamp(x[at], low, high);
}
