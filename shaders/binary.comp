// y = a OP b, elementwise over `count` floats.   OpCode::Add, OpCode::Multiply
// variant: add -DOP=+
// variant: multiply -DOP=*
#version 450
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint count; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < count) y[i] = a[i] OP b[i];
}
