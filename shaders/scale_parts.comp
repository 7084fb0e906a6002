// Part p of y = f_p times part p of x.   OpCode::ScaleParts
//
// Bindings: 0 x [rows, padded(width)]; 1 f [rows, fPadded]; 2 y as x.
// One invocation takes a float (x) of a row (workgroup y).
#version 450
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer F { float f[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width, part, fPadded; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    if (i >= width) return;
    const uint at = row * ((width + 3) & ~3u) + i;
    y[at] = x[at] * f[row * fPadded + i / part];
}
