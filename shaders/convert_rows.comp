// y = rows of x as halves, as products read them: eight values a vector, in the order 0 2 1 3 4 6 5 7 in which nibbles
// of weights are unpacked; rows are filled up with zeros to a multiple of 64 values. What is finite but too large for a
// half becomes the largest one.
//
// Bindings: 0 x [rows, padded(width)]; 1 y. An invocation makes a vector (x) of a row (y).
#version 450
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer Y { uvec4 y[]; };
layout(push_constant) uniform Push { uint width; };

vec4 valuesAt(uint row, uint i) {
    const uint vectors = (width + 3) / 4;
    vec4 v = i < vectors ? x[row * vectors + i] : vec4(0);
    [[unroll]] for (uint j = 0; j < 4; ++j) {
        if (4 * i + j >= width) v[j] = 0;  // what lies in the padding is not a value
        const float size = abs(v[j]);
        if (size > 65504 && size < 1.0 / 0.0) v[j] = sign(v[j]) * 65504;
    }
    return v;
}

void main() {
    const uint i = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
    const uint vectors = (width + 63) / 64 * 8;
    if (i >= vectors) return;
    const vec4 low = valuesAt(row, 2 * i), high = valuesAt(row, 2 * i + 1);
    y[row * vectors + i] =
        uvec4(packHalf2x16(low.xz), packHalf2x16(low.yw), packHalf2x16(high.xz), packHalf2x16(high.yw));
}
