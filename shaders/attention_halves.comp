// y = softmax(scores) V over the cache, for many rows, where subgroups multiply small matrices together: online softmax
// over KEYS keys at a time.   OpCode::Attention
//
// An approximation: queries, keys, values and weights are rounded to halves; scores and sums are floats. Bindings: as
// attention_tile.comp. Heads have a multiple of the matrices' sides, and of 8, dimensions. A workgroup takes HEADS
// query heads (x) of one kv head, and those tiles of kTokens rows of a run, counted from the run's first row, that
// begin among 16 rows (y). Each subgroup has ROW_TILES * M of the tile's rows, head by head. Scores stay in registers,
// where that is possible (matrix_rows.glsl). The next keys and values are on their way while matrices are multiplied.
// variant: attention_halves_f32 -DCACHE=32
// variant: attention_halves_f16 -DCACHE=16
// variant: attention_halves_q8 -DCACHE=8
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_NV_cooperative_matrix : require  // what glslang 12 has; see substrate/cooperative_matrix.h
#pragma use_vulkan_memory_model
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint INVOCATIONS = 128;
#define STEP_BINDING 0
#include "step.glsl"
#include "attention.glsl"
layout(constant_id = 4) const uint HEADS = 1;
layout(constant_id = 5) const uint ROW_TILES = 1;  // of a subgroup; 1 where scores are staged
layout(constant_id = 6) const uint KEYS = 64;
layout(constant_id = 14) const bool STAGED = false;
#include "matrix_rows.glsl"
#define PAGES_BINDING 4
#include "cache.glsl"
#include "cache_halves.glsl"
layout(binding = 1) readonly buffer QueryVectors { vec4 queryVectors[]; };

const uint kSubgroups = INVOCATIONS / SUBGROUP;
const uint kTileRows = kSubgroups * ROW_TILES * M;
const uint kTokens = kTileRows / HEADS;
const uint kFirstRows = 16;  // among which a workgroup's tiles begin
const uint kKeySteps = KEY_DIM / K, kKeyTiles = KEYS / N, kValueTiles = VALUE_DIM / N;
// Vectors of eight halves: of a head, and from a row in shared memory to the next, which begins in other banks.
const uint kKeyHalves = KEY_DIM / 8, kValueHalves = VALUE_DIM / 8;
const uint kKeyStride = kKeyHalves + 1, kValueStride = kValueHalves + 1;
const uint kKeyItems = (KEYS * kKeyHalves + INVOCATIONS - 1) / INVOCATIONS;
const uint kValueItems = (KEYS * kValueHalves + INVOCATIONS - 1) / INVOCATIONS;
const uint kValuesAt = KEYS * kKeyStride;
const uint kQueryVectors = kTileRows * kKeyStride, kCacheVectors = kValuesAt + KEYS * kValueStride;
shared uvec4 tile[kQueryVectors > kCacheVectors ? kQueryVectors : kCacheVectors];  // queries, then keys and values
shared float numbers[M * N];
// Of STAGED: for each subgroup's rows.
const uint kStagedRows = STAGED ? kTileRows : 1;
const uint kScoreStride = KEYS + 4, kWeightStride = KEYS + 8, kRowLanes = SUBGROUP > M ? SUBGROUP / M : 1;
shared float scoreTile[kStagedRows * kScoreStride];
shared float16_t weightTile[kStagedRows * kWeightStride];
shared float factorTile[kStagedRows * N];

#define LANE gl_LocalInvocationID.x
// Positions past `end` are those of the last key again: nobody sees them, and what is there is finite.
#define FETCH(next, items, halves, vectors, words, rowWords, scaleWord, dim, firstKey) \
    [[unroll]] for (uint i = 0; i < items; ++i) { \
        const uint item = i * INVOCATIONS + LANE; \
        if (KEYS * halves % INVOCATIONS == 0 || item < KEYS * halves) { \
            const uint row = cacheRow(run.slot, min((firstKey) + item / halves, end - 1)) * rowWords; \
            next[i] = RAW(vectors, words, row, scaleWord, kvHead * dim + item % halves * 8); \
        } \
    }
#define FETCH_KEYS(firstKey) \
    FETCH(nextKeys, kKeyItems, kKeyHalves, keyVectors, keys, keyRowWords, keyScaleWord, KEY_DIM, firstKey)
#define FETCH_VALUES(firstKey) \
    FETCH(nextValues, kValueItems, kValueHalves, valueVectors, values, valueRowWords, valueScaleWord, VALUE_DIM, \
          firstKey)
#define KEEP(next, items, halves, at, stride) \
    [[unroll]] for (uint i = 0; i < items; ++i) { \
        const uint item = i * INVOCATIONS + LANE; \
        if (KEYS * halves % INVOCATIONS == 0 || item < KEYS * halves) \
            tile[at + item / halves * stride + item % halves] = halvesOf(next[i]); \
    }

// What a row's sums are multiplied with in the end.
float lastFactor(float most, float sum, uint head) {
    if (!has(kSinks)) return 1 / sum;
    const float sink = kLog2E * sinks[head];
    const float largest = max(most, sink);
    const float shrink = exp2(most - largest);
    return shrink / (sum * shrink + exp2(sink - largest));
}

// Rows [firstRow, firstRow + count) of one run.
void attend(Run run, uint firstRow, uint count) {
    const uint firstHead = gl_WorkGroupID.x * HEADS, kvHead = firstHead / headsPerKv;
    const uint ourRow = gl_SubgroupID * ROW_TILES * M, lane = gl_SubgroupInvocationID;
    const uint firstPosition = positionOfRow(run, firstRow);
    const uvec2 seenByFirst = seenBy(run, firstPosition), seenByLast = seenBy(run, firstPosition + count - 1);
    const uint begin = seenByFirst.x / KEYS * KEYS, end = seenByLast.y;
    const float factor = has(kSoftCap) ? scale : scale * kLog2E;
    barrier();  // the tile before has been read
    for (uint i = LANE; i < kTileRows * kKeyHalves; i += INVOCATIONS) {
        const uint row = i / kKeyHalves, vector = i % kKeyHalves * 2;
        const uint at = ((firstRow + min(row % kTokens, count - 1)) * numHeads + firstHead + row / kTokens) *
                            (KEY_DIM / 4) + vector;
        tile[row * kKeyStride + vector / 2] = packed(factor * queryVectors[at], factor * queryVectors[at + 1]);
    }
    for (uint i = LANE; i < M * N; i += INVOCATIONS) numbers[i] = float(i);
    barrier();
    Left queries[ROW_TILES * kKeySteps];
    [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
        [[unroll]] for (uint i = 0; i < kKeySteps; ++i)
            coopMatLoadNV(queries[r * kKeySteps + i], tile, (ourRow + r * M) * kKeyStride + i * (K / 8), kKeyStride,
                          false);
    Sums places;  // element j is number j / N * N + j % N of a matrix
    coopMatLoadNV(places, numbers, 0, N, false);
    Sums acc[ROW_TILES * kValueTiles];
    [[unroll]] for (uint i = 0; i < ROW_TILES * kValueTiles; ++i) acc[i] = Sums(0.0);
    float most[ROW_TILES * ROWS], sum[ROW_TILES * ROWS];
    [[unroll]] for (uint i = 0; i < ROW_TILES * ROWS; ++i) {
        most[i] = kNothing;
        sum[i] = 0;
    }
    uvec4 nextKeys[kKeyItems], nextValues[kValueItems];
    FETCH_KEYS(begin)
    barrier();  // queries have been read
    KEEP(nextKeys, kKeyItems, kKeyHalves, 0, kKeyStride)

    for (uint first = begin; first < end; first += KEYS) {
        FETCH_VALUES(first)
        barrier();
        Sums score[ROW_TILES * kKeyTiles];
        [[unroll]] for (uint i = 0; i < ROW_TILES * kKeyTiles; ++i) score[i] = Sums(0.0);
        [[unroll]] for (uint i = 0; i < kKeySteps; ++i) {
            [[unroll]] for (uint n = 0; n < kKeyTiles; ++n) {
                Right k;
                coopMatLoadNV(k, tile, n * N * kKeyStride + i * (K / 8), kKeyStride, true);
                [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                    score[r * kKeyTiles + n] =
                        coopMatMulAddNV(queries[r * kKeySteps + i], k, score[r * kKeyTiles + n]);
            }
        }
        const bool hides = first < seenByLast.x || first + KEYS > seenByFirst.y;
        if (STAGED) {
            // An invocation takes a share of a row.
            [[unroll]] for (uint n = 0; n < kKeyTiles; ++n)
                coopMatStoreNV(score[n], scoreTile, ourRow * kScoreStride + n * N, kScoreStride, false);
            subgroupBarrier();
            const uint row = ourRow + lane / kRowLanes;
            const uint position = firstPosition + row % kTokens, head = firstHead + row / kTokens;
            const uvec2 seen = seenBy(run, position);
            float mine[KEYS / kRowLanes];
            float now = most[0];
            [[unroll]] for (uint i = 0; i < KEYS / kRowLanes; ++i) {
                const uint key = first + i * kRowLanes + lane % kRowLanes;
                mine[i] = scoreOfBase2(scoreTile[row * kScoreStride + key - first], head, position, key);
                if (hides && (key < seen.x || key >= seen.y)) mine[i] = kHidden;
                now = max(now, mine[i]);
            }
            [[unroll]] for (uint bit = 1; bit < kRowLanes; bit *= 2) now = max(now, subgroupShuffleXor(now, bit));
            const float shrink = exp2(most[0] - now);
            sum[0] *= shrink;
            most[0] = now;
            [[unroll]] for (uint i = 0; i < KEYS / kRowLanes; ++i) {
                const float weight = exp2(mine[i] - now);
                sum[0] += weight;
                weightTile[row * kWeightStride + i * kRowLanes + lane % kRowLanes] = float16_t(weight);
            }
            [[unroll]] for (uint i = 0; i < N / kRowLanes; ++i)
                factorTile[row * N + i * kRowLanes + lane % kRowLanes] = shrink;
            subgroupBarrier();
            if (!subgroupAll(shrink == 1)) {
                Sums shrinks;
                coopMatLoadNV(shrinks, factorTile, ourRow * N, N, false);
                [[unroll]] for (uint i = 0; i < kValueTiles; ++i)
                    [[unroll]] for (uint j = 0; j < kElements; ++j) acc[i][j] *= shrinks[j];
            }
        } else {
            [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) {
                const uint firstOfTile = firstPosition + (ourRow + r * M) % kTokens;
                const uint head = firstHead + (ourRow + r * M) / kTokens;
                if (hides || has(kSoftCap | kSlopes)) {
                    uint position[ROWS];
                    uvec2 seen[ROWS];
                    [[unroll]] for (uint w = 0; w < ROWS; ++w) {
                        position[w] = firstOfTile + uint(places[w << SHIFT]) / N;
                        seen[w] = seenBy(run, position[w]);
                    }
                    [[unroll]] for (uint n = 0; n < kKeyTiles; ++n) {
                        [[unroll]] for (uint j = 0; j < kElements; ++j) {
                            const uint key = first + n * N + uint(places[j]) % N;
                            const bool hidden = hides && (key < seen[rowOf(j)].x || key >= seen[rowOf(j)].y);
                            const float s = score[r * kKeyTiles + n][j];
                            score[r * kKeyTiles + n][j] =
                                hidden ? kHidden : scoreOfBase2(s, head, position[rowOf(j)], key);
                        }
                    }
                }
                float now[ROWS], shrink[ROWS];
                [[unroll]] for (uint w = 0; w < ROWS; ++w) now[w] = most[r * ROWS + w];
                [[unroll]] for (uint n = 0; n < kKeyTiles; ++n)
                    [[unroll]] for (uint j = 0; j < kElements; ++j)
                        now[rowOf(j)] = max(now[rowOf(j)], score[r * kKeyTiles + n][j]);
                bool same = true;
                [[unroll]] for (uint w = 0; w < ROWS; ++w) {
                    now[w] = rowMax(now[w]);
                    shrink[w] = exp2(most[r * ROWS + w] - now[w]);
                    same = same && shrink[w] == 1;
                    most[r * ROWS + w] = now[w];
                    sum[r * ROWS + w] *= shrink[w];
                }
                [[unroll]] for (uint n = 0; n < kKeyTiles; ++n) {
                    [[unroll]] for (uint j = 0; j < kElements; ++j) {
                        const float weight = exp2(score[r * kKeyTiles + n][j] - now[rowOf(j)]);
                        score[r * kKeyTiles + n][j] = weight;
                        sum[r * ROWS + rowOf(j)] += weight;
                    }
                }
                if (!subgroupAll(same)) {
                    [[unroll]] for (uint i = 0; i < kValueTiles; ++i)
                        [[unroll]] for (uint j = 0; j < kElements; ++j)
                            acc[r * kValueTiles + i][j] *= shrink[rowOf(j)];
                }
            }
        }
        KEEP(nextValues, kValueItems, kValueHalves, kValuesAt, kValueStride)
        const bool more = first + KEYS < end;
        if (more) FETCH_KEYS(first + KEYS)
        barrier();
        [[unroll]] for (uint i = 0; i < KEYS / K; ++i) {
            Left weight[ROW_TILES];
            if (STAGED) {
                coopMatLoadNV(weight[0], weightTile, ourRow * kWeightStride + i * K, kWeightStride, false);
            } else {
                // The layouts of sums and of left factors are the same.
                [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                    [[unroll]] for (uint j = 0; j < kElements; ++j)
                        weight[r][j] = float16_t(score[r * kKeyTiles + i][j]);
            }
            [[unroll]] for (uint n = 0; n < kValueTiles; ++n) {
                Right v;
                coopMatLoadNV(v, tile, kValuesAt + i * K * kValueStride + n * (N / 8), kValueStride, false);
                [[unroll]] for (uint r = 0; r < ROW_TILES; ++r)
                    acc[r * kValueTiles + n] = coopMatMulAddNV(weight[r], v, acc[r * kValueTiles + n]);
            }
        }
        if (more) KEEP(nextKeys, kKeyItems, kKeyHalves, 0, kKeyStride)
    }

    if (STAGED) {
        const uint row = ourRow + lane / kRowLanes;
        float total = sum[0];
        [[unroll]] for (uint bit = 1; bit < kRowLanes; bit *= 2) total += subgroupShuffleXor(total, bit);
        const float last = lastFactor(most[0], total, firstHead + row / kTokens);
        [[unroll]] for (uint i = 0; i < N / kRowLanes; ++i)
            factorTile[row * N + i * kRowLanes + lane % kRowLanes] = last;
        subgroupBarrier();
        Sums factors;
        coopMatLoadNV(factors, factorTile, ourRow * N, N, false);
        [[unroll]] for (uint i = 0; i < kValueTiles; ++i)
            [[unroll]] for (uint j = 0; j < kElements; ++j) acc[i][j] *= factors[j];
    } else {
        [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) {
            [[unroll]] for (uint w = 0; w < ROWS; ++w)
                sum[r * ROWS + w] = lastFactor(most[r * ROWS + w], rowSum(sum[r * ROWS + w]),
                                               firstHead + (ourRow + r * M) / kTokens);
            [[unroll]] for (uint i = 0; i < kValueTiles; ++i)
                [[unroll]] for (uint j = 0; j < kElements; ++j)
                    acc[r * kValueTiles + i][j] *= sum[r * ROWS + rowOf(j)];
        }
    }
    const uint stride = numHeads * VALUE_DIM;
    if (count == kTokens) {
        [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) {
            const uint token = (ourRow + r * M) % kTokens, head = firstHead + (ourRow + r * M) / kTokens;
            [[unroll]] for (uint i = 0; i < kValueTiles; ++i)
                coopMatStoreNV(acc[r * kValueTiles + i], y, (firstRow + token) * stride + head * VALUE_DIM + i * N,
                               stride, false);
        }
        return;
    }
    // Some rows are not there. Through shared memory: single elements of matrices in a branch would move all of them to
    // the memory of the invocation, all through the kernel.
    const uint ours = gl_SubgroupID * M * N;
    barrier();  // values have been read
    [[unroll]] for (uint r = 0; r < ROW_TILES; ++r) {
        const uint token = (ourRow + r * M) % kTokens, head = firstHead + (ourRow + r * M) / kTokens;
        [[unroll]] for (uint i = 0; i < kValueTiles; ++i) {
            coopMatStoreNV(acc[r * kValueTiles + i], tile, ours / 4, N / 4, false);
            subgroupBarrier();
            for (uint e = lane; e < M * N; e += SUBGROUP) {
                const uint at = (ours + e) / 4;
                if (token + e / N < count)
                    y[(firstRow + token + e / N) * stride + head * VALUE_DIM + i * N + e % N] =
                        uintBitsToFloat(tile[at][e % 4]);
            }
            subgroupBarrier();
        }
    }
}

void main() {
    // Those that see most come first.
    const uint begin = (gl_NumWorkGroups.y - 1 - gl_WorkGroupID.y) * kFirstRows;
    const uint end = min(begin + kFirstRows, numRows);
    for (uint row = begin; row < end;) {
        const uint index = step.entries[row].runOfRow;
        if (index == kNone) return;
        const Run run = step.entries[index].run;
        const uint endRow = run.firstRow + run.numRows;
        uint first = run.firstRow + (row - run.firstRow + kTokens - 1) / kTokens * kTokens;
        for (; first < min(end, endRow); first += kTokens) attend(run, first, min(kTokens, endRow - first));
        row = endRow;
    }
}
