// y = softmax(q K scale, causal) V over the cache, for many rows: online softmax over tiles of 32 keys.
// OpCode::Attention
//
// Bindings: 0 step; 1 q [rows, padded(numHeads * HEAD_DIM)]; 2 keys, 3 values of the layer, 4 page tables
// (cache.glsl); 5 y, shaped like q. A workgroup of 64 takes a head (x) of 16 rows (y), those of one run after
// those of another. For scores invocation (half, key) takes every second row's dot with a key; then
// invocation (slice, d) adds up four dimensions of every slice-th row.
// variant: attention_tile_f32 -DCACHE=32
// variant: attention_tile_f16 -DCACHE=16
// variant: attention_tile_q8 -DCACHE=8
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
#define STEP_BINDING 0
#include "step.glsl"
layout(constant_id = 1) const uint HEAD_DIM = 64;  // at most 128, so that tiles fit into 32 KiB

layout(binding = 1) readonly buffer Q { float q[]; };
layout(binding = 2) readonly buffer Keys { uint keys[]; };
layout(binding = 3) readonly buffer Values { uint values[]; };
layout(binding = 5) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push {
    uint numHeads, headsPerKv;
    float scale;
    uint maxPages;
    uint keyRowWords, keyScaleWord, valueRowWords, valueScaleWord;
    uint numRows;
};
#define PAGES_BINDING 4
#include "cache.glsl"
#include "cache_read.glsl"

const uint kTileRows = 16, kTileKeys = 32;
const uint kVectors = (HEAD_DIM + 3) / 4;  // of a head
const uint kSlices = 64 / kVectors;
const uint kSliceRows = (kTileRows + kSlices - 1) / kSlices;
const uint kStride = kVectors + 1;  // rows begin in different banks
const float kLowest = -3.4e38;

shared vec4 queries[kTileRows * kVectors];
shared vec4 tile[kTileKeys * kStride];  // of keys, then of values
shared float weights[kTileRows * kTileKeys];
shared float shrinks[kTileRows];
shared float sums[kTileRows];

void loadKeys(Run run, uint first, uint end, uint element) {
    for (uint i = gl_LocalInvocationID.x; i < kTileKeys * kVectors; i += 64) {
        const uint position = first + i / kVectors;
        vec4 value = vec4(0);
        if (position < end) {
            const uint row = cacheRow(run.slot, position) * keyRowWords;
            value = masked(i % kVectors, CACHED(keys, row, keyScaleWord, element + 4 * (i % kVectors)));
        }
        tile[i / kVectors * kStride + i % kVectors] = value;
    }
}

void loadValues(Run run, uint first, uint end, uint element) {
    for (uint i = gl_LocalInvocationID.x; i < kTileKeys * kVectors; i += 64) {
        const uint position = first + i / kVectors;
        vec4 value = vec4(0);
        if (position < end) {
            const uint row = cacheRow(run.slot, position) * valueRowWords;
            value = masked(i % kVectors, CACHED(values, row, valueScaleWord, element + 4 * (i % kVectors)));
        }
        tile[i / kVectors * kStride + i % kVectors] = value;
    }
}

// Rows [firstRow, firstRow + count) of one run.
void attend(Run run, uint firstRow, uint count) {
    const uint lane = gl_LocalInvocationID.x;
    const uint head = gl_WorkGroupID.x;
    const uint element = head / headsPerKv * HEAD_DIM;  // of the kv head, in a row of the cache
    const uint width = (numHeads * HEAD_DIM + 3) & ~3u;
    const uint firstPosition = positionOfRow(run, firstRow);
    const uint numKeys = firstPosition + count;
    barrier();  // the rows before have been read
    for (uint i = lane; i < kTileRows * kVectors; i += 64) {
        vec4 value = vec4(0);
        if (i / kVectors < count) {
            const uint at = (firstRow + i / kVectors) * width + head * HEAD_DIM + 4 * (i % kVectors);
            for (uint j = 0; j < 4 && 4 * (i % kVectors) + j < HEAD_DIM; ++j) value[j] = scale * q[at + j];
        }
        queries[i] = value;
    }
    float largest = kLowest;  // of row `lane`, where there is one
    if (lane < kTileRows) sums[lane] = 0;
    vec4 acc[kSliceRows];
    [[unroll]] for (uint i = 0; i < kSliceRows; ++i) acc[i] = vec4(0);

    for (uint first = 0; first < numKeys; first += kTileKeys) {
        loadKeys(run, first, numKeys, element);
        barrier();
        const uint key = lane % kTileKeys;
        float score[kTileRows / 2];
        [[unroll]] for (uint i = 0; i < kTileRows / 2; ++i) score[i] = 0;
        for (uint d = 0; d < kVectors; ++d) {
            const vec4 k = tile[key * kStride + d];
            [[unroll]] for (uint i = 0; i < kTileRows / 2; ++i)
                score[i] += dot(queries[(2 * i + lane / kTileKeys) * kVectors + d], k);
        }
        [[unroll]] for (uint i = 0; i < kTileRows / 2; ++i) {
            const uint row = 2 * i + lane / kTileKeys;
            const bool visible = first + key <= firstPosition + row && first + key < numKeys;
            weights[row * kTileKeys + key] = visible ? score[i] : kLowest;
        }
        barrier();
        // The first tile holds key 0, which every row sees: from there on `largest` is a score.
        if (lane < kTileRows) {
            float most = largest;
            for (uint i = 0; i < kTileKeys; ++i) most = max(most, weights[lane * kTileKeys + i]);
            float sum = sums[lane] * exp(largest - most);
            for (uint i = 0; i < kTileKeys; ++i) {
                const float weight = exp(weights[lane * kTileKeys + i] - most);
                weights[lane * kTileKeys + i] = weight;
                sum += weight;
            }
            shrinks[lane] = exp(largest - most);
            sums[lane] = sum;
            largest = most;
        }
        loadValues(run, first, numKeys, element);
        barrier();
        if (lane < kSlices * kVectors) {
            [[unroll]] for (uint i = 0; i < kSliceRows; ++i) {
                const uint row = min(i * kSlices + lane / kVectors, kTileRows - 1);
                vec4 sum = acc[i] * shrinks[row];
                for (uint j = 0; j < kTileKeys; ++j)
                    sum += weights[row * kTileKeys + j] * tile[j * kStride + lane % kVectors];
                acc[i] = sum;
            }
        }
        barrier();
    }
    [[unroll]] for (uint i = 0; i < kSliceRows; ++i) {
        const uint row = i * kSlices + lane / kVectors;
        if (lane >= kSlices * kVectors || row >= min(count, kTileRows)) continue;
        const uint d = 4 * (lane % kVectors);
        const vec4 value = acc[i] / sums[row];
        for (uint j = 0; j < 4 && d + j < HEAD_DIM; ++j) y[(firstRow + row) * width + head * HEAD_DIM + d + j] = value[j];
    }
}

void main() {
    const uint end = min((gl_WorkGroupID.y + 1) * kTileRows, numRows);
    for (uint row = gl_WorkGroupID.y * kTileRows; row < end;) {
        const uint index = step.entries[row].runOfRow;
        if (index == kNone) return;
        const Run run = step.entries[index].run;
        const uint count = min(run.firstRow + run.numRows, end) - row;
        attend(run, row, count);
        row += count;
    }
}
