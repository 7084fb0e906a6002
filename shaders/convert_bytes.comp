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
#include "row_values.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, eighth = gl_GlobalInvocationID.x;
    storeBytes(row, (width + 31) / 32, eighth, valuesAt(row, 2 * eighth), valuesAt(row, 2 * eighth + 1));
}
