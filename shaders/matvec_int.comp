// As matvec.comp, in integers: x has been rounded to a byte for each value, with a scale for each group of 32
// (row_bytes.glsl). An approximation, as on the CPU (engine/kernels: activations in Q8_0).
// OpCode::Linear; see matvec.glsl
// variant per integer quant
#version 450
#extension GL_GOOGLE_include_directive : require
#include "matvec.glsl"
#include "dot_bytes.glsl"
#include "row_bytes.glsl"

// RowForm::Bytes, see row_bytes.glsl.
layout(binding = 1) readonly buffer XBytes { uvec4 xBytes[]; };
layout(binding = 1) readonly buffer XScales { uvec2 xScales[]; };

void addGroup(uint n, uint group) {
    Levels levels[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) levels[r] = levelsOf(raws[n * ROWS + r], group);
    const uint groups = (rowWidth() + kGroup - 1) / kGroup;
    group += firstOfColumn() / kGroup;
    [[unroll]] for (uint c = 0; c < COLS; ++c) {
        const uint row = rowOfColumn(c) * byteRowVectors(groups);
        const uvec4 low = xBytes[row + 2 * group], high = xBytes[row + 2 * group + 1];
        const uvec2 scaleAndTotals = xScales[2 * (row + 2 * groups) + group];
        const float scale = uintBitsToFloat(scaleAndTotals.x);
        const vec2 totals = unpackHalf2x16(scaleAndTotals.y);
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            ivec2 products = ivec2(0);
            [[unroll]] for (uint i = 0; i < 4; ++i) {
                products.x += dotBytes(levels[r].q[i], low[i]);
                products.y += dotBytes(levels[r].q[4 + i], high[i]);
            }
#ifdef TWO_SCALES
            const float sum = dot(levels[r].scale, vec2(products)) + dot(levels[r].offset, totals);
#else
            const float sum = levels[r].scale.x * float(products.x + products.y)
                + levels[r].offset.x * (totals.x + totals.y);
#endif
            sums[c * ROWS + r] += scale * sum;
        }
    }
}
