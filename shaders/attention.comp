// y = softmax(q K scale, causal) V over the cache, for rows one by one: online softmax over pages of 64 tokens.
// OpCode::Attention
//
// Bindings: 0 step; 1 q [rows, padded(numHeads * HEAD_DIM)]; 2 keys, 3 values of the layer, 4 page tables
// (cache.glsl); 5 y, shaped like q, when SPLITS is 1, else for each row, head and split {acc [HEAD_DIM], max,
// sum}, which attention_combine.comp makes y of. A workgroup of 64 takes HEADS query heads that read one kv
// head: workgroup x counts splits, then heads; y rows. A split is a share of the pages the row sees, so that
// the grid does not depend on how many there are. Invocation t scores token t of a page; then invocation
// (slice, d) adds up four dimensions of every slice-th value.
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
layout(constant_id = 1) const uint HEAD_DIM = 64;  // at most 256
layout(constant_id = 2) const uint HEADS = 1;
layout(constant_id = 3) const uint SPLITS = 1;

layout(binding = 1) readonly buffer Q { float q[]; };
layout(binding = 2) readonly buffer Keys { uint keys[]; };
layout(binding = 3) readonly buffer Values { uint values[]; };
layout(binding = 5) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push {
    uint numHeads, headsPerKv;
    float scale;
    uint maxPages;
    uint keyRowWords, keyScaleWord, valueRowWords, valueScaleWord;
};
#define PAGES_BINDING 4
#include "cache.glsl"

#include "cache_read.glsl"

const uint kVectors = (HEAD_DIM + 3) / 4;  // of a head
const uint kSlices = 64 / kVectors;
const float kLowest = -3.4e38;

shared vec4 qs[HEADS * kVectors];
shared float weights[HEADS * 64];
shared float parts[HEADS * 16];  // one per subgroup; the narrowest are 4 wide
shared vec4 accs[64];

vec4 queryAt(uint first, uint vector) {
    vec4 value = vec4(0);
    for (uint i = 0; i < 4 && 4 * vector + i < HEAD_DIM; ++i) value[i] = q[first + 4 * vector + i];
    return value;
}

void main() {
    const uint row = gl_WorkGroupID.y;
    const uint index = step.entries[row].runOfRow;
    if (index == kNone) return;
    const Run run = step.entries[index].run;
    const uint numKeys = positionOfRow(run, row) + 1;
    const uint split = gl_WorkGroupID.x % SPLITS;
    const uint firstHead = gl_WorkGroupID.x / SPLITS * HEADS;
    const uint element = firstHead / headsPerKv * HEAD_DIM;  // of the kv head, in a row of the cache
    const uint lane = gl_LocalInvocationID.x;
    const uint width = (numHeads * HEAD_DIM + 3) & ~3u;
    for (uint i = lane; i < HEADS * kVectors; i += 64)
        qs[i] = scale * queryAt(row * width + (firstHead + i / kVectors) * HEAD_DIM, i % kVectors);
    barrier();

    const uint numPages = (numKeys + kPageTokens - 1) / kPageTokens;
    const uint share = (numPages + SPLITS - 1) / SPLITS;
    float largest[HEADS], sum[HEADS];
    vec4 acc[HEADS];
    [[unroll]] for (uint h = 0; h < HEADS; ++h) {
        largest[h] = kLowest;
        sum[h] = 0;
        acc[h] = vec4(0);
    }
    for (uint page = split * share; page < min((split + 1) * share, numPages); ++page) {
        const uint firstRow = cacheRow(run.slot, page * kPageTokens);
        const uint count = min(kPageTokens, numKeys - page * kPageTokens);
        const bool visible = lane < count;
        float score[HEADS];
        [[unroll]] for (uint h = 0; h < HEADS; ++h) score[h] = visible ? 0 : kLowest;
        if (visible) {
            const uint keyRow = (firstRow + lane) * keyRowWords;
            for (uint d = 0; d < kVectors; ++d) {
                const vec4 key = masked(d, CACHED(keys, keyRow, keyScaleWord, element + 4 * d));
                [[unroll]] for (uint h = 0; h < HEADS; ++h) score[h] += dot(qs[h * kVectors + d], key);
            }
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
            acc[h] *= shrink;
            weights[h * 64 + lane] = weight;
        }
        barrier();
        if (lane < kSlices * kVectors) {
            const uint vector = lane % kVectors;
            for (uint t = lane / kVectors; t < count; t += kSlices) {
                const uint valueRow = (firstRow + t) * valueRowWords;
                const vec4 value = masked(vector, CACHED(values, valueRow, valueScaleWord, element + 4 * vector));
                [[unroll]] for (uint h = 0; h < HEADS; ++h) acc[h] += weights[h * 64 + t] * value;
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
        accs[lane] = acc[h];
        barrier();
        float total = 0;
        for (uint s = 0; s < gl_NumSubgroups; ++s) total += parts[h * 16 + s];
        const uint head = firstHead + h;
        const uint first = SPLITS == 1 ? row * width + head * HEAD_DIM
                                       : ((row * numHeads + head) * SPLITS + split) * (HEAD_DIM + 2);
        if (lane < kVectors) {
            vec4 value = vec4(0);
            for (uint s = 0; s < kSlices; ++s) value += accs[s * kVectors + lane];
            if (SPLITS == 1) value /= total;
            for (uint i = 0; i < 4 && 4 * lane + i < HEAD_DIM; ++i) y[first + 4 * lane + i] = value[i];
        }
        if (SPLITS > 1 && lane == 0) {
            y[first + HEAD_DIM] = largest[h];
            y[first + HEAD_DIM + 1] = total;
        }
    }
}
