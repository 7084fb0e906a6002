// The parts of matvec.comp and matvec_int.comp that are the same; they define addGroup().
//
// Bindings: 0 W, rows firstRow … firstRow + numRows of the stacked matrix; 1 x [COLS]; 2 to 6 as in epilogue.glsl.
// A workgroup is TEAMS teams of whole subgroups. A team computes ROWS outputs: its invocations take groups of 32
// values in turns, GROUPS at a time, and add up their sums at the end. Workgroups are counted along x, then y.
//
// Of EXPERTS (OpCode::ExpertLinear, see expert_linear.comp) there is one column: workgroup z takes an expert that a row
// of x chose, and binding 3 is the routing.
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint INVOCATIONS = 64;
layout(constant_id = 1) const uint COLS = 1;
layout(constant_id = 2) const uint ROWS = 2;
layout(constant_id = 7) const uint TEAMS = 1;
layout(constant_id = 8) const uint GROUPS = 1;
layout(constant_id = 9) const bool EXPERTS = false;

layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
    uint numOut, split1, split2;
    uint numTokens;
    uint xParts, numUsed;  // of EXPERTS
};
layout(binding = 3) readonly buffer Routing { float routing[]; };  // of EXPERTS [numTokens, padded(2 * numUsed)]

#include "weights.glsl"
#include "quant.glsl"
#include "epilogue.glsl"

// Narrowest subgroups are 4 wide.
shared float partSums[INVOCATIONS / 4 * COLS * ROWS];

#define slot gl_WorkGroupID.z
uint expert = 0;

// The row of x that a column is, and how many values of it come before the column's.
uint rowOfColumn(uint column) {
    return EXPERTS ? slot / numUsed : column;
}
uint firstOfColumn() {
    return EXPERTS && xParts > 1 ? slot % numUsed * k : 0;
}
// Values of a row of x.
uint rowWidth() {
    return EXPERTS ? xParts * k : k;
}
// Rows of the workgroup's matrix, one of them among those that are bound, and its first vector; rows beyond the last
// are computed like it, and not stored.
uint rowsToCompute() {
    return EXPERTS ? numOut : numRows;
}
uint boundRow(uint row) {
    return EXPERTS ? expert * numOut + row - firstRow : row;
}
uint rowVector(uint row) {
    return min(boundRow(min(row, rowsToCompute() - 1)), numRows - 1) * rowVectors;
}

// No parameters: glslang 12 cannot pass arrays of a specialized size.
float sums[COLS * ROWS];   // by [column][row]
Raw raws[GROUPS * ROWS];   // by [group][row], of all that are loaded before the first is computed

// Adds the products of a group, the n-th that is loaded, to the sums.
void addGroup(uint n, uint group);

// The sum of a row of the workgroup.
float rowSum(uint col, uint row) {
    const uint subgroups = gl_NumSubgroups / TEAMS;
    float sum = 0;
    for (uint s = 0; s < subgroups; ++s)
        sum += partSums[((row / ROWS * subgroups + s) * COLS + col) * ROWS + row % ROWS];
    return sum;
}

void main() {
    const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint rows = TEAMS * ROWS;
    if (workgroup * rows >= rowsToCompute()) return;
    if (EXPERTS) expert = uint(routing[slot / numUsed * padded(2 * numUsed) + slot % numUsed]);
    const uint lanes = INVOCATIONS / TEAMS;
    // With one team any numbering does, even where subgroups are not full.
    const uint invocation =
        TEAMS == 1 ? gl_LocalInvocationID.x : gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    const uint first = workgroup * rows + invocation / lanes * ROWS;
    const uint groups = (k + kGroup - 1) / kGroup;
    [[unroll]] for (uint i = 0; i < COLS * ROWS; ++i) sums[i] = 0;
    for (uint group = invocation % lanes; group < groups; group += lanes * GROUPS) {
        [[unroll]] for (uint n = 0; n < GROUPS; ++n)
            [[unroll]] for (uint r = 0; r < ROWS; ++r)
                raws[n * ROWS + r] = rawAt(rowVector(first + r), min(group + n * lanes, groups - 1));
        [[unroll]] for (uint n = 0; n < GROUPS; ++n)
            if (group + n * lanes < groups) addGroup(n, group + n * lanes);
    }
    [[unroll]] for (uint i = 0; i < COLS * ROWS; ++i) {
        const float sum = subgroupAdd(sums[i]);
        if (subgroupElect()) partSums[gl_SubgroupID * COLS * ROWS + i] = sum;
    }
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < COLS * rows; i += INVOCATIONS) {
        const uint col = i / rows, r = i % rows, row = workgroup * rows + r;
        if (row >= rowsToCompute()) continue;
        if (EXPERTS) {
            if (boundRow(row) < numRows) y0[slot * numOut + row] = biased(expert * numOut + row, rowSum(col, r));
        } else if (ORDER != kGated) store(firstRow + row, col, rowSum(col, r));
        else if (row % 2 == 0) storeGated(firstRow + row, col, rowSum(col, r), rowSum(col, r + 1));
    }
}
