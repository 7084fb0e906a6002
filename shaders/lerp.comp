// y = a + (b - a) * (m + d); m is one row for all, d has as many rows as a; either may be missing.   OpCode::Lerp
//
// Bindings: 0 a; 1 b; 2 m; 3 d; 4 y. Rows of `rowVectors` vectors of four, `count` vectors in all.
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool HAS_M = true;
layout(constant_id = 2) const bool HAS_D = false;

layout(binding = 0) readonly buffer A { vec4 a[]; };
layout(binding = 1) readonly buffer B { vec4 b[]; };
layout(binding = 2) readonly buffer M { vec4 m[]; };
layout(binding = 3) readonly buffer D { vec4 d[]; };
layout(binding = 4) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform Push { uint count, rowVectors; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= count) return;
    vec4 share = vec4(0);
    if (HAS_M) share += m[i % rowVectors];
    if (HAS_D) share += d[i];
    y[i] = a[i] + (b[i] - a[i]) * share;
}
