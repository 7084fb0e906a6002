// Part s of y = f_e times part s of x, e the s-th expert of r.   OpCode::ExpertScale
//
// Bindings: 0 x [rows, padded(width)]; 1 r [rows, rPadded]; 2 f [numExperts]; 3 y as x. One invocation takes a float
// (x) of a row (workgroup y).
#version 450
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer R { float r[]; };
layout(binding = 2) readonly buffer F { float f[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width, part, rPadded; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    if (i >= width) return;
    const uint at = row * ((width + 3) & ~3u) + i;
    // Rows that are not there name anything.
    const uint expert = uint(clamp(r[row * rPadded + i / part], 0.0, float(f.length() - 1)));
    y[at] = x[at] * f[expert];
}
