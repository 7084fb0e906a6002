// y = for each of `groups` equal parts of a row a's part, then b's.   OpCode::Concat
//
// Bindings: 0 a [rows, padded(groups * aPart)]; 1 b [rows, padded(groups * bPart)]; 2 y [rows, padded(groups *
// (aPart + bPart))]. One invocation takes a float of y (x) of a row (workgroup y).
#version 450
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint aPart, bPart, groups; };

uint padded(uint width) {
    return (width + 3) & ~3u;
}

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    const uint part = aPart + bPart;
    if (i >= groups * part) return;
    const uint group = i / part;
    const uint at = i % part;
    y[row * padded(groups * part) + i] = at < aPart
        ? a[row * padded(groups * aPart) + group * aPart + at]
        : b[row * padded(groups * bPart) + group * bPart + at - aPart];
}
