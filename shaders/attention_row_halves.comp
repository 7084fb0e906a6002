// y = softmax(scores) V over the cache, for rows one by one, where subgroups multiply small matrices together: the
// query heads of a kv head are the rows of a matrix.   OpCode::Attention
//
// An approximation: as attention_halves.comp. Bindings and splits: as attention.comp. Heads: as attention_halves.comp;
// layouts of sums and left factors have to be known (matrix_rows.glsl). A workgroup takes up to M query heads of one kv
// head: workgroup x counts workers, then heads; y rows. Each of its subgroups takes blocks of KEYS keys of its own, in
// turn with those of all splits, so that nothing waits; the next block is on its way to registers meanwhile. Then the
// workgroup joins what its subgroups have.
// variant: attention_row_halves_f32 -DCACHE=32
// variant: attention_row_halves_f16 -DCACHE=16
// variant: attention_row_halves_q8 -DCACHE=8
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_NV_cooperative_matrix : require  // what glslang 12 has; see substrate/cooperative_matrix.h
#pragma use_vulkan_memory_model
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint INVOCATIONS = 128;
#define STEP_BINDING 0
#include "step.glsl"
#include "attention.glsl"
layout(constant_id = 5) const uint SPLITS = 1;
layout(constant_id = 6) const uint KEYS = 32;
layout(constant_id = 14) const uint WORKERS = 1;
layout(constant_id = 15) const uint FORM = 0;
#include "matrix_rows.glsl"
#define PAGES_BINDING 4
#include "cache.glsl"
#include "cache_halves.glsl"
layout(binding = 1) readonly buffer QueryVectors { vec4 queryVectors[]; };

const uint kSubgroups = INVOCATIONS / SUBGROUP;
const uint kKeySteps = KEY_DIM / K, kKeyTiles = KEYS / N, kValueTiles = VALUE_DIM / N;
const uint kKeyHalves = KEY_DIM / 8, kValueHalves = VALUE_DIM / 8;
const uint kKeyStride = kKeyHalves + 1, kValueStride = kValueHalves + 1;
const uint kKeyItems = (KEYS * kKeyHalves + SUBGROUP - 1) / SUBGROUP;
const uint kValueItems = (KEYS * kValueHalves + SUBGROUP - 1) / SUBGROUP;
const uint kValuesAt = KEYS * kKeyStride;
// Of a subgroup: keys and values, in the end sums.
const uint kCacheVectors = kValuesAt + KEYS * kValueStride, kSumVectors = M * VALUE_DIM / 4;
const uint kVectors = kCacheVectors > kSumVectors ? kCacheVectors : kSumVectors;
const uint kQueryVectors = M * kKeyStride;
shared uvec4 tile[kSubgroups * kVectors > kQueryVectors ? kSubgroups * kVectors : kQueryVectors];
shared float numbers[M * N];
shared float mosts[kSubgroups * M], totals[kSubgroups * M];

const uint kMostHeads = M;
void keepFactor(uint i, float factor) {
    tile[i / 4][i % 4] = floatBitsToUint(factor);
}
float factorAt(uint i) {
    return uintBitsToFloat(tile[i / 4][i % 4]);
}
#include "attention_splits.glsl"

// Positions past the end are those of the last key again: nobody sees them, and what is there is finite.
#define rowOfItem(item, halves, firstKey) cacheRow(run.slot, min((firstKey) + (item) / halves, seen.y - 1))
#define KEY_AT(row, item) \
    RAW(keyVectors, keys, (row) * keyRowWords, keyScaleWord, kvHead * KEY_DIM + (item) % kKeyHalves * 8)
#define VALUE_AT(row, item) \
    RAW(valueVectors, values, (row) * valueRowWords, valueScaleWord, kvHead * VALUE_DIM + (item) % kValueHalves * 8)
// Keys and values that are equally wide lie in the same rows, which are looked up once.
#define FETCH_BLOCK(firstKey) \
    [[unroll]] for (uint i = 0; i < kKeyItems; ++i) { \
        const uint item = i * SUBGROUP + lane; \
        if (KEYS * kKeyHalves % SUBGROUP == 0 || item < KEYS * kKeyHalves) { \
            const uint from = rowOfItem(item, kKeyHalves, firstKey); \
            nextKeys[i] = KEY_AT(from, item); \
            if (KEY_DIM == VALUE_DIM) nextValues[i] = VALUE_AT(from, item); \
        } \
    } \
    if (KEY_DIM != VALUE_DIM) { \
        [[unroll]] for (uint i = 0; i < kValueItems; ++i) { \
            const uint item = i * SUBGROUP + lane; \
            if (KEYS * kValueHalves % SUBGROUP == 0 || item < KEYS * kValueHalves) \
                nextValues[i] = VALUE_AT(rowOfItem(item, kValueHalves, firstKey), item); \
        } \
    }
#define KEEP(next, items, halves, at, stride) \
    [[unroll]] for (uint i = 0; i < items; ++i) { \
        const uint item = i * SUBGROUP + lane; \
        if (KEYS * halves % SUBGROUP == 0 || item < KEYS * halves) \
            tile[at + item / halves * stride + item % halves] = halvesOf(next[i]); \
    }

void main() {
    const uint row = gl_WorkGroupID.y;
    const uint index = step.entries[row].runOfRow;
    if (index == kNone) return;
    const Run run = step.entries[index].run;
    const uint position = positionOfRow(run, row);
    const uvec2 seen = seenBy(run, position);
    const uint worker = gl_WorkGroupID.x % WORKERS;
    const uint headGroups = (headsPerKv + M - 1) / M;
    const uint group = gl_WorkGroupID.x / WORKERS;
    const uint kvHead = group / headGroups;
    const uint firstHead = kvHead * headsPerKv + group % headGroups * M;
    const uint count = min(M, (kvHead + 1) * headsPerKv - firstHead);
    const uint lane = gl_SubgroupInvocationID;
    const uint begin = seen.x / KEYS * KEYS;
    const uint numBlocks = (seen.y - begin + KEYS - 1) / KEYS;
    const uint numUsed = min(SPLITS, (numBlocks + kSubgroups - 1) / kSubgroups);
    if (worker >= numUsed) return;

    const float factor = has(kSoftCap) ? scale : scale * kLog2E;
    for (uint i = gl_LocalInvocationID.x; i < M * kKeyHalves; i += INVOCATIONS) {
        const uint head = firstHead + min(i / kKeyHalves, count - 1), vector = i % kKeyHalves;
        const uint at = (row * numHeads + head) * (KEY_DIM / 4) + vector * 2;
        tile[i / kKeyHalves * kKeyStride + vector] =
            packed(factor * queryVectors[at], factor * queryVectors[at + 1]);
    }
    for (uint i = gl_LocalInvocationID.x; i < M * N; i += INVOCATIONS) numbers[i] = float(i);
    barrier();
    Left queries[kKeySteps];
    [[unroll]] for (uint i = 0; i < kKeySteps; ++i)
        coopMatLoadNV(queries[i], tile, i * (K / 8), kKeyStride, false);
    Sums places;  // element j is number j / N * N + j % N of a matrix
    coopMatLoadNV(places, numbers, 0, N, false);
    uint headOf[ROWS];
    [[unroll]] for (uint w = 0; w < ROWS; ++w)
        headOf[w] = firstHead + min(uint(places[w << SHIFT]) / N, count - 1);
    for (uint split = worker; split < numUsed; split += WORKERS) {
        Sums acc[kValueTiles];
        [[unroll]] for (uint i = 0; i < kValueTiles; ++i) acc[i] = Sums(0.0);
        float most[ROWS], sum[ROWS];
        [[unroll]] for (uint w = 0; w < ROWS; ++w) {
            most[w] = kNothing;
            sum[w] = 0;
        }
        uvec4 nextKeys[kKeyItems], nextValues[kValueItems];
        const uint ours = gl_SubgroupID * kVectors;
        const uint stride = numUsed * kSubgroups;
        uint first = begin + (split * kSubgroups + gl_SubgroupID) * KEYS;
        FETCH_BLOCK(first)
        barrier();  // queries, or what the split before left, have been read
        // As often in all subgroups, as some drivers want of subgroupBarrier(): a block past the end is hidden.
        for (uint block = split * kSubgroups; block < numBlocks; block += stride) {
            subgroupBarrier();
            KEEP(nextKeys, kKeyItems, kKeyHalves, ours, kKeyStride)
            KEEP(nextValues, kValueItems, kValueHalves, ours + kValuesAt, kValueStride)
            subgroupBarrier();
            if (block + stride < numBlocks) FETCH_BLOCK(first + stride * KEYS)
            Sums score[kKeyTiles];
            [[unroll]] for (uint n = 0; n < kKeyTiles; ++n) score[n] = Sums(0.0);
            [[unroll]] for (uint i = 0; i < kKeySteps; ++i) {
                [[unroll]] for (uint n = 0; n < kKeyTiles; ++n) {
                    Right k;
                    coopMatLoadNV(k, tile, ours + n * N * kKeyStride + i * (K / 8), kKeyStride, true);
                    score[n] = coopMatMulAddNV(queries[i], k, score[n]);
                }
            }
            const bool hides = first < seen.x || first + KEYS > seen.y;
            if (hides || has(kSoftCap | kSlopes)) {
                [[unroll]] for (uint n = 0; n < kKeyTiles; ++n) {
                    [[unroll]] for (uint j = 0; j < kElements; ++j) {
                        const uint key = first + n * N + uint(places[j]) % N;
                        const float s = score[n][j];
                        score[n][j] =
                            key < seen.x || key >= seen.y ? kHidden : scoreOfBase2(s, headOf[rowOf(j)], position, key);
                    }
                }
            }
            float now[ROWS], shrink[ROWS];
            [[unroll]] for (uint w = 0; w < ROWS; ++w) now[w] = most[w];
            [[unroll]] for (uint n = 0; n < kKeyTiles; ++n)
                [[unroll]] for (uint j = 0; j < kElements; ++j) now[rowOf(j)] = max(now[rowOf(j)], score[n][j]);
            [[unroll]] for (uint w = 0; w < ROWS; ++w) {
                now[w] = rowMax(now[w]);
                shrink[w] = exp2(most[w] - now[w]);
                most[w] = now[w];
                sum[w] *= shrink[w];
            }
            [[unroll]] for (uint n = 0; n < kKeyTiles; ++n) {
                [[unroll]] for (uint j = 0; j < kElements; ++j) {
                    const float weight = exp2(score[n][j] - now[rowOf(j)]);
                    score[n][j] = weight;
                    sum[rowOf(j)] += weight;
                }
            }
            [[unroll]] for (uint i = 0; i < kValueTiles; ++i)
                [[unroll]] for (uint j = 0; j < kElements; ++j) acc[i][j] *= shrink[rowOf(j)];
            [[unroll]] for (uint i = 0; i < kKeyTiles; ++i) {
                Left weight;  // lies as sums do
                [[unroll]] for (uint j = 0; j < kElements; ++j) weight[j] = float16_t(score[i][j]);
                [[unroll]] for (uint n = 0; n < kValueTiles; ++n) {
                    Right v;
                    coopMatLoadNV(v, tile, ours + kValuesAt + i * K * kValueStride + n * (N / 8), kValueStride, false);
                    acc[n] = coopMatMulAddNV(weight, v, acc[n]);
                }
            }
            first += stride * KEYS;
        }

        subgroupBarrier();  // keys and values have been read
        [[unroll]] for (uint i = 0; i < kValueTiles; ++i)
            coopMatStoreNV(acc[i], tile, ours + i * (N / 4), VALUE_DIM / 4, false);
        [[unroll]] for (uint w = 0; w < ROWS; ++w) {
            const uint at = gl_SubgroupID * M + uint(places[w << SHIFT]) / N;
            mosts[at] = most[w];
            totals[at] = rowSum(sum[w]);
        }
        barrier();
        for (uint i = gl_LocalInvocationID.x; i < count * VALUE_DIM; i += INVOCATIONS) {
            const uint h = i / VALUE_DIM, d = i % VALUE_DIM, head = firstHead + h;
            float largest = kNothing;
            [[unroll]] for (uint s = 0; s < kSubgroups; ++s) largest = max(largest, mosts[s * M + h]);
            if (SPLITS == 1 && has(kSinks)) largest = max(largest, kLog2E * sinks[head]);
            float total = SPLITS == 1 && has(kSinks) ? exp2(kLog2E * sinks[head] - largest) : 0;
            float value = 0;
            [[unroll]] for (uint s = 0; s < kSubgroups; ++s) {
                const float by = exp2(mosts[s * M + h] - largest);
                total += by * totals[s * M + h];
                value += by * uintBitsToFloat(tile[s * kVectors + h * (VALUE_DIM / 4) + d / 4][d % 4]);
            }
            if (SPLITS == 1) {
                y[(row * numHeads + head) * VALUE_DIM + d] = value / total;
                continue;
            }
            splits[4 * splitAt(row, head, split) + d] = value;
            if (d > 0) continue;
            splits[splitMaxAt(row, head, split)] = largest / kLog2E;
            splits[splitMaxAt(row, head, split) + 1] = total;
        }
    }
    if (SPLITS > 1) joinSplits(row, group, firstHead, count, min(WORKERS, numUsed), numUsed);
}
