// y[t][o] = sum over i of W[o][i] * x[t][i] for many rows of x, with the epilogue of epilogue.glsl, where subgroups
// multiply small matrices together.   OpCode::Linear
//
// An approximation: weights and x are rounded to halves. Sums are floats. Bindings: as matvec.comp, but x as
// convert_rows.comp makes it. A workgroup computes a tile of BM outputs (x) by BN rows of x (y), each subgroup WM
// outputs by WN rows; it takes BK columns at a time into shared memory, while the next are on their way to registers
// as they lie in memory: they are decoded when the products before have been computed. Where workgroups are few, they
// share out the columns (z), and matmul_parts.comp adds up what they have. Of EXPERTS workgroup y takes one of the
// tiles of expert_plan.comp: rows of x that chose one expert, wherever they lie.
//
// `sums` is indexed by what is constant once loops are unrolled, and by nothing else: otherwise drivers keep it in
// memory all through the kernel.
// variant per quant but f32
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_NV_cooperative_matrix : require  // what glslang 12 has; see substrate/cooperative_matrix.h
#pragma use_vulkan_memory_model
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint BM = 128;
layout(constant_id = 2) const uint BN = 128;
// The matrices' shape: each size has a name of its own, so that factors are told apart.
layout(constant_id = 7) const uint M = 16;
layout(constant_id = 8) const uint N = 16;
layout(constant_id = 9) const uint K = 16;
layout(constant_id = 10) const uint BK = 64;
layout(constant_id = 11) const uint WM = 32;  // of two parts in turns, two matrices at least
layout(constant_id = 12) const uint WN = 64;
layout(constant_id = 13) const uint SUBGROUP = 32;
layout(constant_id = 14) const bool IS_SPLIT = false;
layout(constant_id = 15) const bool EXPERTS = false;  // OpCode::ExpertLinear, see expert_linear.comp

layout(binding = 1) readonly buffer X { uvec4 x[]; };
layout(push_constant) uniform Push {
    uint rowVectors, plane1, plane2, plane3;
    uint k, numRows, firstRow;
    uint numOut, split1, split2;
    uint numTokens;
    uint xParts, numUsed;  // of EXPERTS
};
layout(binding = 3) readonly buffer Plan { uint plan[]; };  // of EXPERTS

#include "weights.glsl"
#include "halves.glsl"
#include "quant.glsl"
#include "epilogue.glsl"
#include "halves_of.glsl"

#define Weights fcoopmatNV<16, gl_ScopeSubgroup, M, K>
#define Values fcoopmatNV<16, gl_ScopeSubgroup, K, N>
#define Sums fcoopmatNV<32, gl_ScopeSubgroup, M, N>

const uint kSubgroupsOut = BM / WM;
const uint kThreads = kSubgroupsOut * (BN / WN) * SUBGROUP;
const uint kOutTiles = WM / M, kTokenTiles = WN / N;
const uint kSums = kOutTiles * kTokenTiles;
const uint kElems = M * N / SUBGROUP;  // of a matrix of sums, in an invocation
// Vectors of eight halves; one more than a row needs, so that rows begin in different banks.
const uint kStride = BK / 8 + 1;
const uint kGroups = BK / kGroup, kVectors = BK / 8;
shared uvec4 wTile[BM * kStride];
shared uvec4 xTile[BN * kStride];

// Of EXPERTS: the slots of the tile's rows of x, and whose they are.
shared uint slotOf[EXPERTS ? BN : 1];
uint expert = 0, numSlots = 0;

#define lane gl_LocalInvocationID.x
#define firstOut (gl_WorkGroupID.x * BM)
#define firstToken (gl_WorkGroupID.y * BN)

// What an invocation brings: groups of rows of W, vectors of rows of x.
const uint kWeightItems = BM * kGroups, kOwnWeights = (kWeightItems + kThreads - 1) / kThreads;
const uint kValueItems = BN * kVectors, kOwnValues = (kValueItems + kThreads - 1) / kThreads;
Waiting nextW[kOwnWeights];
uvec4 nextX[kOwnValues];

uint groupOf(uint column, uint item) {
    return min(column / kGroup + item % kGroups, (k - 1) / kGroup);
}

// False: there is no such tile.
bool findSlots() {
    if (gl_WorkGroupID.y >= plan[0]) return false;
    const uint tile = 1 + 3 * gl_WorkGroupID.y, slots = 1 + 3 * gl_NumWorkGroups.y;
    expert = plan[tile];
    numSlots = plan[tile + 2];
    for (uint i = lane; i < BN; i += kThreads) slotOf[i] = plan[slots + plan[tile + 1] + min(i, numSlots - 1)];
    barrier();
    return true;
}

// A row of the tile among the rows that are bound, and among those of x.
uint weightRow(uint row) {
    if (!EXPERTS) return min(firstOut + row, numRows - 1);
    return min(expert * numOut + min(firstOut + row, numOut - 1) - firstRow, numRows - 1);
}
uint valueRow(uint token) {
    if (!EXPERTS) return min(firstToken + token, numTokens - 1);
    return xParts == 1 ? slotOf[token] / numUsed : slotOf[token];
}

// Rows and columns that are not there are read from others: rows' sums are not stored, columns are multiplied by the
// zeros behind x.
void load(uint column) {
    [[unroll]] for (uint i = 0; i < kOwnWeights; ++i) {
        const uint item = i * kThreads + lane;
        if (kWeightItems % kThreads == 0 || item < kWeightItems)
            nextW[i] = waitingAt(weightRow(item / kGroups) * rowVectors, groupOf(column, item));
    }
    [[unroll]] for (uint i = 0; i < kOwnValues; ++i) {
        const uint item = i * kThreads + lane;
        if (kValueItems % kThreads == 0 || item < kValueItems)
            nextX[i] = x[valueRow(item / kVectors) * ((k + 63) / 64 * 8) + column / 8 + item % kVectors];
    }
}

// Where a row of the tile lies in shared memory: of two parts in turns first one's rows, then the other's, so that a
// subgroup has a gate and what it gates in the same place of two matrices.
uint placeOf(uint row) {
    return ORDER == kBehind ? row : row % 2 * (BM / 2) + row / 2;
}

void keep(uint column) {
    [[unroll]] for (uint i = 0; i < kOwnWeights; ++i) {
        const uint item = i * kThreads + lane;
        if (kWeightItems % kThreads == 0 || item < kWeightItems) {
            const uint at = placeOf(item / kGroups) * kStride + item % kGroups * 4;
            const uvec4 eights[4] = halvesOf(nextW[i], groupOf(column, item));
            [[unroll]] for (uint j = 0; j < 4; ++j) wTile[at + j] = eights[j];
        }
    }
    [[unroll]] for (uint i = 0; i < kOwnValues; ++i) {
        const uint item = i * kThreads + lane;
        if (kValueItems % kThreads == 0 || item < kValueItems)
            xTile[item / kVectors * kStride + item % kVectors] = nextX[i];
    }
}

const uint kPairs = kOutTiles / 2;  // of matrices, where parts come in turns

// The first row of a subgroup's matrix `i`, in shared memory; ourOut: the first of the subgroup, were they in order.
uint placeOfMatrix(uint ourOut, uint i) {
    if (ORDER == kBehind) return ourOut + i * M;
    return i < kPairs ? ourOut / 2 + i * M : (BM + ourOut) / 2 + (i - kPairs) * M;
}
// The row of the tile that element `e` (row by row) of matrix `i` belongs to.
uint rowOf(uint ourOut, uint i, uint e) {
    const uint place = placeOfMatrix(ourOut, i) + e / N;
    return ORDER == kBehind ? place : place < BM / 2 ? 2 * place : 2 * place - BM + 1;
}

// An expert's output `o` for row `token` of the tile, where both are there and the row of W is bound.
void storeExpert(uint o, uint token, float sum) {
    const uint row = expert * numOut + o;
    if (o < numOut && token < numSlots && row - firstRow < numRows)
        y0[slotOf[token] * numOut + o] = biased(row, sum);
}

void main() {
    if (EXPERTS && !findSlots()) return;
    const uint ourOut = gl_SubgroupID % kSubgroupsOut * WM;
    const uint ourToken = gl_SubgroupID / kSubgroupsOut * WN;
    Sums sums[kSums];  // kOutTiles for each of the token tiles
    [[unroll]] for (uint i = 0; i < kSums; ++i) sums[i] = Sums(0.0);
    const uint share = IS_SPLIT ? ((k + BK - 1) / BK + gl_NumWorkGroups.z - 1) / gl_NumWorkGroups.z * BK : k;
    const uint begin = IS_SPLIT ? gl_WorkGroupID.z * share : 0;
    const uint end = IS_SPLIT ? min(begin + share, k) : k;
    load(begin);
    for (uint column = begin; column < end; column += BK) {
        barrier();  // the tiles have been read
        keep(column);
        barrier();
        if (column + BK < end) load(column + BK);
        [[unroll]] for (uint i = 0; i < BK / K; ++i) {
            Weights w[kOutTiles];
            [[unroll]] for (uint o = 0; o < kOutTiles; ++o)
                coopMatLoadNV(w[o], wTile, placeOfMatrix(ourOut, o) * kStride + i * (K / 8), kStride, false);
            [[unroll]] for (uint t = 0; t < kTokenTiles; ++t) {
                Values v;
                coopMatLoadNV(v, xTile, (ourToken + t * N) * kStride + i * (K / 8), kStride, true);
                [[unroll]] for (uint o = 0; o < kOutTiles; ++o)
                    sums[t * kOutTiles + o] = coopMatMulAddNV(w[o], v, sums[t * kOutTiles + o]);
            }
        }
    }
    if (IS_SPLIT) {
        // As shaders/matmul_parts.comp reads them: whole tiles, those of two parts in turns as they lie here.
        const uint width = gl_NumWorkGroups.x * BM;
        const uint row = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * BN + ourToken;
        [[unroll]] for (uint t = 0; t < kTokenTiles; ++t)
            [[unroll]] for (uint o = 0; o < kOutTiles; ++o)
                coopMatStoreNV(sums[t * kOutTiles + o], y0,
                               (row + t * N) * width + firstOut + placeOfMatrix(ourOut, o), width, true);
        return;
    }
    // Matrices are stored as wholes where all of the tile is there and none lies across the border of two parts.
    const bool isWhole = !EXPERTS && firstOut + BM <= numRows && firstToken + BN <= numTokens &&
        firstRow % (2 * M) == 0 && (ORDER != kBehind || split1 % M == 0 && split2 % M == 0);
    if (!isWhole) {
        // Which element an invocation has as its component j: a matrix of numbers tells.
        barrier();
        for (uint i = lane; i < M * N / 4; i += kThreads)
            wTile[i] = floatBitsToUint(vec4(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3));
        barrier();
        Sums numbers;
        coopMatLoadNV(numbers, wTile, 0, N / 4, false);
        [[unroll]] for (uint t = 0; t < kTokenTiles; ++t) {
            [[unroll]] for (uint o = 0; o < (ORDER == kGated ? kPairs : kOutTiles); ++o) {
                [[unroll]] for (uint j = 0; j < kElems; ++j) {
                    const uint e = uint(numbers[j]);
                    const uint row = firstOut + rowOf(ourOut, o, e), inTile = ourToken + t * N + e % N;
                    if (EXPERTS) {
                        storeExpert(row, inTile, sums[t * kOutTiles + o][j]);
                        continue;
                    }
                    const uint token = firstToken + inTile;
                    if (row >= numRows || token >= numTokens) continue;
                    if (ORDER == kGated)
                        storeGated(firstRow + row, token, sums[t * kOutTiles + o][j],
                                   sums[t * kOutTiles + o + kPairs][j]);
                    else
                        store(firstRow + row, token, sums[t * kOutTiles + o][j]);
                }
            }
        }
        return;
    }
    if (HAS_BIAS) {
        // Where W was; each as often as a matrix has columns.
        barrier();
        for (uint i = lane; i < BM; i += kThreads)
            [[unroll]] for (uint j = 0; j < N / 4; ++j)
                wTile[placeOf(i) * (N / 4) + j] = uvec4(floatBitsToUint(bias[firstRow + firstOut + i]));
        barrier();
        [[unroll]] for (uint o = 0; o < kOutTiles; ++o) {
            Sums b;
            coopMatLoadNV(b, wTile, placeOfMatrix(ourOut, o) * (N / 4), N / 4, false);
            [[unroll]] for (uint t = 0; t < kTokenTiles; ++t)
                sums[t * kOutTiles + o] = sums[t * kOutTiles + o] + b;
        }
    }
    [[unroll]] for (uint t = 0; t < kTokenTiles; ++t) {
        const uint token = firstToken + ourToken + t * N;
        [[unroll]] for (uint o = 0; o < (ORDER == kGated ? kPairs : kOutTiles); ++o) {
            const uint i = t * kOutTiles + o;
            if (ORDER == kGated) {
                [[unroll]] for (uint j = 0; j < kElems; ++j)
                    sums[i][j] = activate(ACTIVATION, sums[i][j]) * sums[i + kPairs][j];
            } else if (ACTIVATION != ~0u) {
                [[unroll]] for (uint j = 0; j < kElems; ++j) sums[i][j] = activate(ACTIVATION, sums[i][j]);
            }
            if (ORDER != kBehind) {
                const uint stride = padded(numOut / 2);
                const uint at = token * stride + (firstRow + firstOut + ourOut) / 2;
                if (ORDER == kGated || o < kPairs)
                    coopMatStoreNV(sums[i], y0, at + o * M, stride, true);
                else
                    coopMatStoreNV(sums[i], y1, at + (o - kPairs) * M, stride, true);
                continue;
            }
            const uint row = firstRow + firstOut + ourOut + o * M;
            if (row < split1) {
                const uint stride = padded(split1), at = token * stride + row;
                if (HAS_RESIDUAL) {
                    Sums r;
                    coopMatLoadNV(r, residual, at, stride, true);
                    sums[i] = sums[i] + r;
                }
                coopMatStoreNV(sums[i], y0, at, stride, true);
            } else if (row < split2) {
                const uint stride = padded(split2 - split1);
                coopMatStoreNV(sums[i], y1, token * stride + row - split1, stride, true);
            } else {
                const uint stride = padded(numOut - split2);
                coopMatStoreNV(sums[i], y2, token * stride + row - split2, stride, true);
            }
        }
    }
}
