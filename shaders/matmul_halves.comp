// y[t][o] = sum over i of W[o][i] * x[t][i] for many rows of x, with the epilogue of epilogue.glsl, where subgroups
// multiply small matrices together.   OpCode::Linear
//
// An approximation: weights and x are rounded to halves, and what is finite in x but too large for one becomes the
// largest half. Sums are floats. Bindings: as matmul.comp. A workgroup of 8 subgroups computes a tile of 128 outputs
// (x) by TILE_TOKENS rows of x (y), each subgroup 32 outputs by half of the rows; it takes 64 columns at a time into
// shared memory, while the next are on their way to registers.
// variant per quant but f32
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_NV_cooperative_matrix : require  // what glslang 12 has; see substrate/cooperative_matrix.h
#pragma use_vulkan_memory_model
layout(local_size_x = 256) in;
layout(constant_id = 1) const uint TILE_TOKENS = 64;
// Never specialized: each size has a name of its own, so that factors are told apart.
layout(constant_id = 7) const uint M = 16;
layout(constant_id = 8) const uint N = 16;
layout(constant_id = 9) const uint K = 16;

layout(binding = 1) readonly buffer X { vec4 x[]; };
layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
    uint numOut, split1, split2;
    uint numTokens;
};

#include "weights.glsl"
#include "quant.glsl"
#include "epilogue.glsl"

#define Weights fcoopmatNV<16, gl_ScopeSubgroup, M, K>
#define Values fcoopmatNV<16, gl_ScopeSubgroup, K, N>
#define Sums fcoopmatNV<32, gl_ScopeSubgroup, M, N>

const uint kTileOut = 128, kColumns = 64, kSide = 16;
const uint kSubgroupsOut = 4, kLanes = 32;
const uint kOutTiles = kTileOut / kSubgroupsOut / kSide;
const uint kTokenTiles = TILE_TOKENS / 2 / kSide;
// Vectors of eight halves; one more than a row needs, so that rows begin in different banks.
const uint kStride = kColumns / 8 + 1;
shared uvec4 wTile[kTileOut * kStride];
shared uvec4 xTile[TILE_TOKENS * kStride];
shared float sumTiles[8 * kSide * kSide];

#define firstOut (gl_WorkGroupID.x * kTileOut)
#define firstToken (gl_WorkGroupID.y * TILE_TOKENS)

// An invocation brings 32 columns of a row of W, and eight of every 32nd row of x.
uvec4 nextW[4];
uvec4 nextX[TILE_TOKENS / 32];

uvec4 packed(vec4 low, vec4 high) {
    return uvec4(packHalf2x16(low.xy), packHalf2x16(low.zw), packHalf2x16(high.xy), packHalf2x16(high.zw));
}

vec4 xAt(uint token, uint vector) {
    const uint vectors = (k + 3) / 4;
    vec4 v = vector < vectors ? x[min(token, numTokens - 1) * vectors + vector] : vec4(0);
    [[unroll]] for (uint j = 0; j < 4; ++j) {
        if (4 * vector + j >= k) v[j] = 0;
        const float size = abs(v[j]);
        if (size > 65504 && size < 1.0 / 0.0) v[j] = sign(v[j]) * 65504;
    }
    return v;
}

void load(uint column) {
    const uint lane = gl_LocalInvocationID.x;
    const uint group = column / kGroup + lane % 2;
    vec4 w[8];
    if (group * kGroup < k) {
        decodeGroup(min(firstOut + lane / 2, numRows - 1) * rowVectors, group, w);
    } else {
        [[unroll]] for (uint i = 0; i < 8; ++i) w[i] = vec4(0);
    }
    [[unroll]] for (uint i = 0; i < 4; ++i) nextW[i] = packed(w[2 * i], w[2 * i + 1]);
    const uint vector = column / 4 + lane % 8 * 2;
    [[unroll]] for (uint i = 0; i < TILE_TOKENS / 32; ++i) {
        const uint token = firstToken + 32 * i + lane / 8;
        nextX[i] = packed(xAt(token, vector), xAt(token, vector + 1));
    }
}

void keep() {
    const uint lane = gl_LocalInvocationID.x;
    [[unroll]] for (uint i = 0; i < 4; ++i) wTile[lane / 2 * kStride + lane % 2 * 4 + i] = nextW[i];
    [[unroll]] for (uint i = 0; i < TILE_TOKENS / 32; ++i)
        xTile[(32 * i + lane / 8) * kStride + lane % 8] = nextX[i];
}

void main() {
    const uint ourOut = gl_SubgroupID % kSubgroupsOut * kOutTiles * kSide;
    const uint ourToken = gl_SubgroupID / kSubgroupsOut * kTokenTiles * kSide;
    Sums sums[kOutTiles * kTokenTiles];
    [[unroll]] for (uint i = 0; i < kOutTiles * kTokenTiles; ++i) sums[i] = Sums(0.0);
    load(0);
    for (uint column = 0; column < k; column += kColumns) {
        barrier();  // the tiles have been read
        keep();
        barrier();
        if (column + kColumns < k) load(column + kColumns);
        [[unroll]] for (uint i = 0; i < kColumns / kSide; ++i) {
            Weights w[kOutTiles];
            [[unroll]] for (uint o = 0; o < kOutTiles; ++o)
                coopMatLoadNV(w[o], wTile, (ourOut + o * kSide) * kStride + 2 * i, kStride, false);
            [[unroll]] for (uint t = 0; t < kTokenTiles; ++t) {
                Values v;
                coopMatLoadNV(v, xTile, (ourToken + t * kSide) * kStride + 2 * i, kStride, true);
                [[unroll]] for (uint o = 0; o < kOutTiles; ++o)
                    sums[o * kTokenTiles + t] = coopMatMulAddNV(w[o], v, sums[o * kTokenTiles + t]);
            }
        }
    }
    const uint ours = gl_SubgroupID * kSide * kSide;
    [[unroll]] for (uint o = 0; o < kOutTiles; ++o) {
        [[unroll]] for (uint t = 0; t < kTokenTiles; ++t) {
            subgroupBarrier();  // the tile before has been stored
            coopMatStoreNV(sums[o * kTokenTiles + t], sumTiles, ours, kSide, true);
            subgroupBarrier();
            const uint step = ORDER == kGated ? 2 : 1;
            // Of a known count: a driver that cannot unroll it keeps `sums` in memory all through the kernel.
            [[unroll]] for (uint turn = 0; turn < kSide * kSide / kLanes; ++turn) {
                const uint i = (turn * kLanes + gl_SubgroupInvocationID) * step;
                if (i >= kSide * kSide) continue;
                const uint row = firstOut + ourOut + o * kSide + i % kSide;
                const uint token = firstToken + ourToken + t * kSide + i / kSide;
                if (row >= numRows || token >= numTokens) continue;
                if (ORDER == kGated) storeGated(firstRow + row, token, sumTiles[ours + i], sumTiles[ours + i + 1]);
                else store(firstRow + row, token, sumTiles[ours + i]);
            }
        }
    }
}
