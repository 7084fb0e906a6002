// y = softmax(scores) V over the cache, for rows one by one: online softmax over pages of 64 tokens.
// OpCode::Attention
//
// Bindings: 0 step; 1 q [rows, padded(numHeads * KEY_DIM)]; 2 keys, 3 values of the layer, 4 page tables (cache.glsl);
// 5 y [rows, padded(numHeads * VALUE_DIM)]; 6 slopes, 7 sinks; 8, 9, 10 see attention_splits.glsl. A workgroup of 64
// takes HEADS query heads that read one kv head: workgroup x counts workers, then heads; y rows. A split is a share of
// the pages the row sees, so that the grid does not depend on how many there are; where they are few, the last splits
// have none. A worker takes every WORKERS-th split: their number may depend on how many rows there are, that of
// splits, and so what a row gives, must not. Invocation t scores token t of a page; then invocation (slice, d) adds up
// four dimensions, or several times four, of every slice-th value.
// variant: attention_f32 -DCACHE=32
// variant: attention_f16 -DCACHE=16
// variant: attention_q8 -DCACHE=8
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
#define STEP_BINDING 0
#include "step.glsl"
#include "attention.glsl"
layout(constant_id = 4) const uint HEADS = 1;
layout(constant_id = 5) const uint SPLITS = 1;
layout(constant_id = 6) const uint WORKERS = 1;
layout(constant_id = 7) const uint FORM = 0;
const uint INVOCATIONS = 64;
#define PAGES_BINDING 4
#include "cache.glsl"

#include "cache_read.glsl"

const uint kLaneVectors = (kValueVectors + 63) / 64;
const uint kSlices = kValueVectors > 64 ? 1 : 64 / kValueVectors;

shared vec4 qs[HEADS * kKeyVectors];
shared float weights[HEADS * 64];
shared float parts[HEADS * 16];  // one per subgroup; the narrowest are 4 wide
shared vec4 accs[64];

const uint kMostHeads = HEADS;
void keepFactor(uint i, float factor) {
    weights[i] = factor;
}
float factorAt(uint i) {
    return weights[i];
}
#include "attention_splits.glsl"

void main() {
    const uint row = gl_WorkGroupID.y;
    const uint index = step.entries[row].runOfRow;
    if (index == kNone) return;
    const Run run = step.entries[index].run;
    const uint position = positionOfRow(run, row);
    const uvec2 seen = seenBy(run, position);
    const uint worker = gl_WorkGroupID.x % WORKERS;
    const uint firstHead = gl_WorkGroupID.x / WORKERS * HEADS;
    const uint kvHead = firstHead / headsPerKv;
    const uint lane = gl_LocalInvocationID.x;
    const uint firstPage = seen.x / kPageTokens;
    const uint endPage = (seen.y + kPageTokens - 1) / kPageTokens;
    const uint share = (endPage - firstPage + SPLITS - 1) / SPLITS;
    const uint numUsed = (endPage - firstPage + share - 1) / share;
    if (worker >= numUsed) return;
    for (uint i = lane; i < HEADS * kKeyVectors; i += 64)
        qs[i] = queryAt(row * padded(numHeads * KEY_DIM) + (firstHead + i / kKeyVectors) * KEY_DIM, i % kKeyVectors);

    for (uint split = worker; split < numUsed; split += WORKERS) {
        barrier();  // queries are there, and what the split before left has been read
        float largest[HEADS], sum[HEADS];
        vec4 acc[HEADS * kLaneVectors];
        [[unroll]] for (uint h = 0; h < HEADS; ++h) {
            largest[h] = kLowest;
            sum[h] = 0;
            [[unroll]] for (uint i = 0; i < kLaneVectors; ++i) acc[h * kLaneVectors + i] = vec4(0);
        }
        for (uint page = firstPage + split * share; page < min(firstPage + (split + 1) * share, endPage); ++page) {
            const uint firstRow = cacheRow(run.slot, page * kPageTokens);
            const uint count = min(kPageTokens, seen.y - page * kPageTokens);
            const uint key = page * kPageTokens + lane;
            const bool visible = lane < count && key >= seen.x;
            float score[HEADS];
            [[unroll]] for (uint h = 0; h < HEADS; ++h) score[h] = visible ? 0 : kLowest;
            if (visible) {
                const uint keyRow = (firstRow + lane) * keyRowWords;
                for (uint d = 0; d < kKeyVectors; ++d) {
                    const vec4 k = masked(d, KEY_DIM, CACHED(keys, keyRow, keyScaleWord, kvHead * KEY_DIM + 4 * d));
                    [[unroll]] for (uint h = 0; h < HEADS; ++h) score[h] += dot(qs[h * kKeyVectors + d], k);
                }
                [[unroll]] for (uint h = 0; h < HEADS; ++h) score[h] = scoreOf(score[h], firstHead + h, position, key);
            }
            [[unroll]] for (uint h = 0; h < HEADS; ++h) {
                const float most = subgroupMax(score[h]);
                if (subgroupElect()) parts[h * 16 + gl_SubgroupID] = most;
            }
            barrier();
            [[unroll]] for (uint h = 0; h < HEADS; ++h) {
                float most = largest[h];
                for (uint s = 0; s < gl_NumSubgroups; ++s) most = max(most, parts[h * 16 + s]);
                const float shrink = exp(largest[h] - most);
                const float weight = visible ? exp(score[h] - most) : 0;
                largest[h] = most;
                sum[h] = sum[h] * shrink + weight;
                [[unroll]] for (uint i = 0; i < kLaneVectors; ++i) acc[h * kLaneVectors + i] *= shrink;
                weights[h * 64 + lane] = weight;
            }
            barrier();
            if (lane < kSlices * kValueVectors) {
                for (uint t = lane / kValueVectors; t < count; t += kSlices) {
                    const uint valueRow = (firstRow + t) * valueRowWords;
                    [[unroll]] for (uint i = 0; i < kLaneVectors; ++i) {
                        const uint vector = lane % kValueVectors + 64 * i;
                        if (kLaneVectors > 1 && vector >= kValueVectors) continue;
                        const uint at = kvHead * VALUE_DIM + 4 * vector;
                        const vec4 value = masked(vector, VALUE_DIM, CACHED(values, valueRow, valueScaleWord, at));
                        [[unroll]] for (uint h = 0; h < HEADS; ++h)
                            acc[h * kLaneVectors + i] += weights[h * 64 + t] * value;
                    }
                }
            }
        }

        barrier();
        [[unroll]] for (uint h = 0; h < HEADS; ++h) {
            const float total = subgroupAdd(sum[h]);
            if (subgroupElect()) parts[h * 16 + gl_SubgroupID] = total;
        }
        [[unroll]] for (uint h = 0; h < HEADS; ++h) {
            barrier();
            float total = 0;
            for (uint s = 0; s < gl_NumSubgroups; ++s) total += parts[h * 16 + s];
            const uint head = firstHead + h;
            float factor = 1;
            if (SPLITS == 1) {
                float shrink = 1;
                float whole = total;
                if (has(kSinks)) {
                    const float most = max(largest[h], sinks[head]);
                    shrink = exp(largest[h] - most);
                    whole = total * shrink + exp(sinks[head] - most);
                }
                factor = shrink / whole;
            }
            const uint first = row * padded(numHeads * VALUE_DIM) + head * VALUE_DIM;
            [[unroll]] for (uint i = 0; i < kLaneVectors; ++i) {
                const uint vector = lane + 64 * i;
                barrier();
                accs[lane] = acc[h * kLaneVectors + i];
                barrier();
                if (vector < kValueVectors) {
                    vec4 value = vec4(0);
                    for (uint s = 0; s < kSlices; ++s) value += accs[s * kValueVectors + lane];
                    if (SPLITS > 1) splitVectors[splitAt(row, head, split) + vector] = value;
                    for (uint j = 0; SPLITS == 1 && j < 4 && 4 * vector + j < VALUE_DIM; ++j)
                        y[first + 4 * vector + j] = factor * value[j];
                }
            }
            if (SPLITS > 1 && lane == 0) {
                splits[splitMaxAt(row, head, split)] = largest[h];
                splits[splitMaxAt(row, head, split) + 1] = total;
            }
        }
    }
    if (SPLITS > 1)
        joinSplits(row, gl_WorkGroupID.x / WORKERS, firstHead, HEADS, min(WORKERS, numUsed), numUsed);
}
