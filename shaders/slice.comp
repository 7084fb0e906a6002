// y = of each part of x, `part` floats long, those in [first, first + count).   OpCode::Slice
//
// Bindings: 0 x [rows, xPadded]; 1 y [rows, padded(width)]. One invocation takes a float of y (x) of a row
// (workgroup y).
#version 450
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width, count, part, first, xPadded; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    if (i >= width) return;
    y[row * ((width + 3) & ~3u) + i] = x[row * xPadded + i / count * part + first + i % count];
}
