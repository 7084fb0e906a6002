// y = x, and in rows of a picture what is given, or x + that.   OpCode::PictureRows
//
// Bindings: 0 x [rows, padded(width)]; 1 pictures.glsl; 2 given [rows of pictures, givenWidth]; 3 y as x. One
// invocation takes a float of a row (workgroup y).
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool ADD = false;

layout(binding = 0) readonly buffer X { float x[]; };
#define PICTURES_BINDING 1
#include "pictures.glsl"
layout(binding = 2) readonly buffer Given { float given[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint width, givenWidth, first; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    if (i >= width) return;
    const uint at = row * ((width + 3) & ~3u) + i;
    const uint picture = pictures[row].given;
    if (picture == kNoRow) {
        y[at] = x[at];
        return;
    }
    const float value = given[picture * givenWidth + first + i];
    y[at] = ADD ? x[at] + value : value;
}
