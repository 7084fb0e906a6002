// The parts of matvec.comp and matvec_int.comp that are the same; they define addGroup().
//
// Bindings: 0 W, rows firstRow … firstRow + numRows of the stacked matrix; 1 x [COLS, padded(k)]; 2 to 6 as
// in epilogue.glsl. A workgroup computes ROWS outputs: its invocations take groups of 32 values in turns and
// add up their sums at the end. Workgroups are counted along x, then y.
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint COLS = 1;
layout(constant_id = 2) const uint ROWS = 2;

layout(binding = 1) readonly buffer X { vec4 x[]; };
layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
    uint numOut, split1, split2;
};

#include "weights.glsl"
#include "quant.glsl"
#include "epilogue.glsl"

// Narrowest subgroups are 4 wide, workgroups at most 256.
shared float partSums[64 * COLS * ROWS];

// The first vector of a row; rows beyond the last are computed like it, and not stored.
uint rowVector(uint row) {
    return min(row, numRows - 1) * rowVectors;
}

vec4 xAt(uint col, uint i) {
    const uint vectors = (k + 3) / 4;
    if (4 * i + 4 <= k) return x[col * vectors + i];
    if (4 * i >= k) return vec4(0);
    // What lies in the padding is not a value.
    const vec4 last = x[col * vectors + i];
    return vec4(last.x, 4 * i + 1 < k ? last.y : 0, 4 * i + 2 < k ? last.z : 0, 0);
}

// By [column][row]. No parameter: glslang 12 cannot pass arrays of a specialized size.
float sums[COLS * ROWS];

// Adds a group's products to the sums of the rows from `first` on.
void addGroup(uint first, uint group);

void main() {
    const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * ROWS;
    if (first >= numRows) return;
    [[unroll]] for (uint i = 0; i < COLS * ROWS; ++i) sums[i] = 0;
    for (uint group = gl_LocalInvocationID.x; group * kGroup < k; group += gl_WorkGroupSize.x)
        addGroup(first, group);
    [[unroll]] for (uint i = 0; i < COLS * ROWS; ++i) {
        const float sum = subgroupAdd(sums[i]);
        if (subgroupElect()) partSums[gl_SubgroupID * COLS * ROWS + i] = sum;
    }
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < COLS * ROWS; i += gl_WorkGroupSize.x) {
        float sum = 0;
        for (uint s = 0; s < gl_NumSubgroups; ++s) sum += partSums[s * COLS * ROWS + i];
        const uint row = first + i % ROWS;
        if (row >= numRows) continue;
        if (ORDER != kGated) {
            store(firstRow + row, i / ROWS, sum);
        } else if (row % 2 == 0) {
            float up = 0;
            for (uint s = 0; s < gl_NumSubgroups; ++s) up += partSums[s * COLS * ROWS + i + 1];
            storeGated(firstRow + row, i / ROWS, sum, up);
        }
    }
}
