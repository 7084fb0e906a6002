// As matvec.comp, in integers: x is rounded to a byte for each value, with a scale for each group of 32, by the
// invocation that uses it. An approximation, as on the CPU (engine/kernels: activations in Q8_0).
// OpCode::Linear; see matvec.glsl
// variant per integer quant
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
#include "matvec.glsl"

// OpSDot with DotProductInput4x8BitPacked, for compilers that have no GL_EXT_integer_dot_product.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int signedDot(uint a, uint b, spirv_literal int format);

// Sum of the products of four signed bytes.
int dotBytes(uint a, uint b) {
    return signedDot(a, b, 0);
}

uint packBytes(ivec4 v) {
    const uvec4 u = uvec4(v) & 255;
    return u.x | u.y << 8 | u.z << 16 | u.w << 24;
}

void addGroup(uint first, uint group) {
    uint bytes[COLS * 8];
    float scales[COLS];
    vec2 totals[COLS];  // sums of the bytes of each half
    [[unroll]] for (uint c = 0; c < COLS; ++c) {
        vec4 v[8];
        vec4 most = vec4(0), sum = vec4(0);
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            v[i] = xAt(c, 8 * group + i);
            most = max(most, abs(v[i]));
            sum += abs(v[i]);
        }
        const float largest = max(max(most.x, most.y), max(most.z, most.w));
        const float inverse = largest > 0 ? 127 / largest : 0;
        ivec2 total = ivec2(0);
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            bytes[8 * c + i] = packBytes(ivec4(roundEven(v[i] * inverse)));
            total[i / 4] += dotBytes(bytes[8 * c + i], 0x01010101u);
        }
        totals[c] = vec2(total);
        // What is no number must not become one.
        const float all = sum.x + sum.y + sum.z + sum.w;
        scales[c] = all < 1.0 / 0.0 ? largest / 127 : 0.0 / 0.0;
    }
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const Levels levels = levelsAt(rowVector(first + r), group);
        [[unroll]] for (uint c = 0; c < COLS; ++c) {
            ivec2 products = ivec2(0);
            [[unroll]] for (uint i = 0; i < 8; ++i) products[i / 4] += dotBytes(levels.q[i], bytes[8 * c + i]);
            sums[c * ROWS + r] += scales[c] * (dot(levels.scale, vec2(products)) + dot(levels.offset, totals[c]));
        }
    }
}
