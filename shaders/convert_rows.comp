// y = rows of x as halves, as products read them: RowForm::Halves, see row_halves_store.glsl.
//
// Bindings: 0 x [rows, padded(width)]; 1 y. An invocation makes a vector (x) of a row (y).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(push_constant) uniform Push { uint width; };

#define HALVES_BINDING 1
#include "row_halves_store.glsl"
#include "row_values.glsl"

void main() {
    const uint i = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
    storeHalves(row, (width + 63) / 64 * 8, i, valuesAt(row, 2 * i), valuesAt(row, 2 * i + 1));
}
