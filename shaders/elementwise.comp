// y = f(a, b), `count` vectors of four. FUNCTION:
//   kAdd a + b   kMultiply a * b   kScale a * factor   kActivate f(a)   kGate f(a) * b
// OpCode::Add, Multiply, Scale, Activation, GatedActivation
//
// Bindings: 0 a; 1 b; 2 y. Padding of rows is computed like values and never read.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
const uint kAdd = 0, kMultiply = 1, kScale = 2, kActivate = 3, kGate = 4;
layout(constant_id = 1) const uint FUNCTION = kAdd;
layout(constant_id = 2) const uint ACTIVATION = 0;

layout(binding = 0) readonly buffer A { vec4 a[]; };
layout(binding = 1) readonly buffer B { vec4 b[]; };
layout(binding = 2) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform Push { uint count; float factor; };

#include "activation.glsl"

vec4 activated(vec4 v) {
    return vec4(activate(ACTIVATION, v.x), activate(ACTIVATION, v.y), activate(ACTIVATION, v.z),
                activate(ACTIVATION, v.w));
}

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= count) return;
    if (FUNCTION == kAdd) y[i] = a[i] + b[i];
    else if (FUNCTION == kMultiply) y[i] = a[i] * b[i];
    else if (FUNCTION == kScale) y[i] = a[i] * factor;
    else if (FUNCTION == kActivate) y[i] = activated(a[i]);
    else y[i] = activated(a[i]) * b[i];
}
