// Rounds rows of x to bytes: RowForm::Bytes, see row_bytes.glsl.
//
// Bindings: 0 x [rows, padded(width)]; 1 bytes. An invocation takes eight values (x) of a row (workgroup y).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint INVOCATIONS = 64;

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(push_constant) uniform Push { uint width; };

#define BYTES_BINDING 1
#include "row_bytes_store.glsl"

vec4 xAt(uint row, uint i) {
    const uint vectors = (width + 3) / 4;
    vec4 v = i < vectors ? x[row * vectors + i] : vec4(0);
    // What lies in the padding is not a value.
    [[unroll]] for (uint j = 0; j < 4; ++j)
        if (4 * i + j >= width) v[j] = 0;
    return v;
}

void main() {
    const uint row = gl_WorkGroupID.y, eighth = gl_GlobalInvocationID.x;
    storeBytes(row, (width + 31) / 32, eighth, xAt(row, 2 * eighth), xAt(row, 2 * eighth + 1));
}
