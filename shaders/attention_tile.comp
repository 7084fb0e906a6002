// y = softmax(scores) V over the cache, for many rows: online softmax over tiles of 32 keys.
// OpCode::Attention
//
// Bindings: 0 step; 1 q [rows, padded(numHeads * KEY_DIM)]; 2 keys, 3 values of the layer, 4 page tables
// (cache.glsl); 5 y [rows, padded(numHeads * VALUE_DIM)]; 6 slopes, 7 sinks. Heads have at most 128 dimensions, so that
// tiles fit into 32 KiB. A workgroup of 64 takes a head (x) of 16 rows (y), those of one run after those of another.
// For scores invocation (half, key) takes every second row's dot with a key; then invocation (slice, d) adds up four
// dimensions of every slice-th row.
// variant: attention_tile_f32 -DCACHE=32
// variant: attention_tile_f16 -DCACHE=16
// variant: attention_tile_q8 -DCACHE=8
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
#define STEP_BINDING 0
#include "step.glsl"
#include "attention.glsl"
#define PAGES_BINDING 4
#include "cache.glsl"
#include "cache_read.glsl"

const uint kTileRows = 16, kTileKeys = 32;
const uint kSlices = 64 / kValueVectors;
const uint kSliceRows = (kTileRows + kSlices - 1) / kSlices;
const uint kStride = (KEY_DIM > VALUE_DIM ? kKeyVectors : kValueVectors) + 1;  // rows begin in different banks

shared vec4 queries[kTileRows * kKeyVectors];
shared vec4 tile[kTileKeys * kStride];  // of keys, then of values
shared float weights[kTileRows * kTileKeys];
shared float shrinks[kTileRows];
shared float sums[kTileRows];

void loadKeys(Run run, uint first, uint end, uint element) {
    for (uint i = gl_LocalInvocationID.x; i < kTileKeys * kKeyVectors; i += 64) {
        const uint position = first + i / kKeyVectors;
        const uint vector = i % kKeyVectors;
        vec4 value = vec4(0);
        if (position < end) {
            const uint row = cacheRow(run.slot, position) * keyRowWords;
            value = masked(vector, KEY_DIM, CACHED(keys, row, keyScaleWord, element + 4 * vector));
        }
        tile[i / kKeyVectors * kStride + vector] = value;
    }
}

void loadValues(Run run, uint first, uint end, uint element) {
    for (uint i = gl_LocalInvocationID.x; i < kTileKeys * kValueVectors; i += 64) {
        const uint position = first + i / kValueVectors;
        const uint vector = i % kValueVectors;
        vec4 value = vec4(0);
        if (position < end) {
            const uint row = cacheRow(run.slot, position) * valueRowWords;
            value = masked(vector, VALUE_DIM, CACHED(values, row, valueScaleWord, element + 4 * vector));
        }
        tile[i / kValueVectors * kStride + vector] = value;
    }
}

// Rows [firstRow, firstRow + count) of one run.
void attend(Run run, uint firstRow, uint count) {
    const uint lane = gl_LocalInvocationID.x;
    const uint head = gl_WorkGroupID.x;
    const uint kvHead = head / headsPerKv;
    const uint firstPosition = positionOfRow(run, firstRow);
    const uint begin = seenBy(run, firstPosition).x / kTileKeys * kTileKeys;
    const uint end = seenBy(run, firstPosition + count - 1).y;
    barrier();  // the rows before have been read
    for (uint i = lane; i < kTileRows * kKeyVectors; i += 64) {
        const uint at = (firstRow + i / kKeyVectors) * padded(numHeads * KEY_DIM) + head * KEY_DIM;
        queries[i] = i / kKeyVectors < count ? queryAt(at, i % kKeyVectors) : vec4(0);
    }
    float largest = kLowest;  // of row `lane`, where there is one
    if (lane < kTileRows) sums[lane] = 0;
    vec4 acc[kSliceRows];
    [[unroll]] for (uint i = 0; i < kSliceRows; ++i) acc[i] = vec4(0);

    for (uint first = begin; first < end; first += kTileKeys) {
        loadKeys(run, first, end, kvHead * KEY_DIM);
        barrier();
        const uint key = lane % kTileKeys;
        float score[kTileRows / 2];
        [[unroll]] for (uint i = 0; i < kTileRows / 2; ++i) score[i] = 0;
        for (uint d = 0; d < kKeyVectors; ++d) {
            const vec4 k = tile[key * kStride + d];
            [[unroll]] for (uint i = 0; i < kTileRows / 2; ++i)
                score[i] += dot(queries[(2 * i + lane / kTileKeys) * kKeyVectors + d], k);
        }
        [[unroll]] for (uint i = 0; i < kTileRows / 2; ++i) {
            const uint row = 2 * i + lane / kTileKeys;
            const uvec2 seen = seenBy(run, firstPosition + row);
            const bool visible = first + key >= seen.x && first + key < min(seen.y, end);
            weights[row * kTileKeys + key] =
                visible ? scoreOf(score[i], head, firstPosition + row, first + key) : kLowest;
        }
        barrier();
        // The first tile holds key 0, which every row sees: from there on `largest` is a score. Not so with windows.
        if (lane < kTileRows) {
            float most = largest;
            for (uint i = 0; i < kTileKeys; ++i) most = max(most, weights[lane * kTileKeys + i]);
            float sum = sums[lane] * exp(largest - most);
            for (uint i = 0; i < kTileKeys; ++i) {
                const float score = weights[lane * kTileKeys + i];
                const float weight = has(kWindow | kChunk) && score == kLowest ? 0 : exp(score - most);
                weights[lane * kTileKeys + i] = weight;
                sum += weight;
            }
            shrinks[lane] = exp(largest - most);
            sums[lane] = sum;
            largest = most;
        }
        loadValues(run, first, end, kvHead * VALUE_DIM);
        barrier();
        if (lane < kSlices * kValueVectors) {
            [[unroll]] for (uint i = 0; i < kSliceRows; ++i) {
                const uint row = min(i * kSlices + lane / kValueVectors, kTileRows - 1);
                vec4 sum = acc[i] * shrinks[row];
                for (uint j = 0; j < kTileKeys; ++j)
                    sum += weights[row * kTileKeys + j] * tile[j * kStride + lane % kValueVectors];
                acc[i] = sum;
            }
        }
        barrier();
    }
    if (has(kSinks) && lane < kTileRows) {
        const float most = max(largest, sinks[head]);
        shrinks[lane] = exp(largest - most);
        sums[lane] = sums[lane] * shrinks[lane] + exp(sinks[head] - most);
    }
    if (has(kSinks)) barrier();
    [[unroll]] for (uint i = 0; i < kSliceRows; ++i) {
        const uint row = i * kSlices + lane / kValueVectors;
        if (lane >= kSlices * kValueVectors || row >= min(count, kTileRows)) continue;
        const uint d = 4 * (lane % kValueVectors);
        const uint at = (firstRow + row) * padded(numHeads * VALUE_DIM) + head * VALUE_DIM + d;
        const vec4 value = (has(kSinks) ? acc[i] * shrinks[row] : acc[i]) / sums[row];
        for (uint j = 0; j < 4 && d + j < VALUE_DIM; ++j) y[at + j] = value[j];
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
