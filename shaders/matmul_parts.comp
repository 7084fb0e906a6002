// Adds up the sums that workgroups of matmul_halves.comp have of a part of the columns each, with the epilogue of
// epilogue.glsl.   OpCode::Linear
//
// Bindings: 0 sums [numParts, partRows, width], in tiles of BM outputs, where those of two parts in turns are in the
// order of the tiles: first one's, then the other's; 1 is not used; 2 to 6 as in epilogue.glsl. An invocation makes an
// output (x) of a row (y).
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint BM = 128;

layout(binding = 0) readonly buffer Parts { float parts[]; };
layout(push_constant) uniform Push {
    uint numRows, firstRow;
    uint numOut, split1, split2;
    uint numParts, partRows, width;
};

#include "epilogue.glsl"

float sumOf(uint row, uint token) {
    const uint inTile = row % BM;
    const uint place = ORDER == kBehind ? inTile : inTile % 2 * (BM / 2) + inTile / 2;
    float sum = 0;
    for (uint i = 0; i < numParts; ++i) sum += parts[(i * partRows + token) * width + row - inTile + place];
    return sum;
}

void main() {
    const uint i = gl_GlobalInvocationID.x, token = gl_WorkGroupID.y;
    const uint row = ORDER == kGated ? 2 * i : i;
    if (row >= numRows) return;
    if (ORDER == kGated) storeGated(firstRow + row, token, sumOf(row, token), sumOf(row + 1, token));
    else store(firstRow + row, token, sumOf(row, token));
}
