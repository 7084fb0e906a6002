// A matrix as engine/backend/vulkan/weights lays it out: rows of `rowVectors` 16-byte vectors. A row is a few
// planes behind each other, each at a whole vector: plane 0 at 0, the others at plane1, plane2, plane3 (in
// vectors). What the planes hold is said in quant/<type>.glsl. The including shader declares those four and
// `numRows`, how many rows are bound, in its push constants.
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require

layout(binding = 0) readonly buffer WeightVectors { uvec4 weightVectors[]; };
layout(binding = 0) readonly buffer WeightWords { uint weightWords[]; };
layout(binding = 0) readonly buffer WeightShorts { uint16_t weightShorts[]; };

// Values are decoded in groups of this many.
const uint kGroup = 32;

// `row`: the index of the row's first vector; `plane`: 0 or one of plane1 to plane3.
uvec4 vectorAt(uint row, uint plane, uint i) {
    return weightVectors[row + plane + i];
}
uint wordAt(uint row, uint plane, uint i) {
    return weightWords[4 * (row + plane) + i];
}
uint shortAt(uint row, uint plane, uint i) {
    return uint(weightShorts[8 * (row + plane) + i]);
}
uint byteAt(uint row, uint plane, uint i) {
    return bitfieldExtract(wordAt(row, plane, i / 4), int(i % 4) * 8, 8);
}
// What shortAt() gives, as a half. Apart, so that a load can be under way.
float halfOf(uint bits) {
    return unpackHalf2x16(bits).x;
}

vec4 signedBytes(uint word) {
    return vec4(ivec4(uvec4(word << 24, word << 16, word << 8, word)) >> 24);
}
