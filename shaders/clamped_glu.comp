// y = g σ(1.702 g) (u + 1), g = min(a, limit), u = clamp(b, -limit, limit).   OpCode::ClampedGlu
//
// Bindings: 0 a, 1 b, 2 y [rows, padded(width)]. One invocation takes a float (x) of a row (workgroup y).
#version 450
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width; float limit; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= width) return;
    const uint at = gl_WorkGroupID.y * ((width + 3) & ~3u) + i;
    const float g = min(a[at], limit);
    const float u = clamp(b[at], -limit, limit);
    y[at] = g / (1 + exp(-1.702 * g)) * (u + 1);
}
