// Rotates queries and keys, and appends keys and values to the cache: rotated = (a cos - b sin, a sin + b
// cos) for each pair (a, b) of a head, times `magnitude`; dimensions beyond the pairs pass through. Some models
// normalise each head first: x / sqrt(mean(x^2) + eps) * gain.
// OpCode::RmsNorm, Rope, KvAppend
//
// Bindings: 0 step; 1 frequencies (rope.glsl); 2 q, 3 rotated q [rows, padded(qWidth)]; 4 k [rows,
// padded(kWidth)]; 5 v; 6 keys, 7 values of the layer (cache.glsl); 8 page tables; 9 gains of q, 10 of k [headDim];
// 11 pictures.glsl; behind the frequencies the number of each pair's coordinate, where they have some.
// Any of the three widths may be 0. One invocation takes kUnit elements (x) of a row (workgroup y): first of q, then
// of k, then of v.
// variant: rope_cache_f32 -DCACHE=32
// variant: rope_cache_f16 -DCACHE=16
// variant: rope_cache_q8 -DCACHE=8
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#include "step.glsl"
#define ROPE_BINDING 1
#include "rope.glsl"
layout(constant_id = 1) const bool HALF_SPLIT = false;  // pairs (p, p + numPairs), else (2p, 2p + 1)
layout(constant_id = 2) const bool ROTATE_KEYS = true;
layout(constant_id = 3) const bool NORMALISE = false;
layout(constant_id = 4) const bool TWO_POSITIONS = false;  // RopePositions::TwoForEach
layout(constant_id = 5) const bool HAS_AXES = false;       // RopeParams::axes

layout(binding = 2) readonly buffer Q { float q[]; };
layout(binding = 3) writeonly buffer RotatedQ { float rotatedQ[]; };
layout(binding = 4) readonly buffer K { float k[]; };
layout(binding = 5) readonly buffer V { float v[]; };
layout(binding = 6) writeonly buffer Keys { uint keys[]; };
layout(binding = 7) writeonly buffer Values { uint values[]; };
layout(binding = 9) readonly buffer QGain { float qGain[]; };
layout(binding = 10) readonly buffer KGain { float kGain[]; };
#define PICTURES_BINDING 11
#include "pictures.glsl"
layout(push_constant) uniform Push {
    uint qWidth, kWidth, vWidth;
    uint headDim, numPairs;
    float magnitude, eps;
    uint maxPages;
    uint keyRowWords, keyScaleWord, valueRowWords, valueScaleWord;
};
#define PAGES_BINDING 8
#include "cache.glsl"

#if CACHE == 8
const uint kUnit = 64;  // two blocks, whose scales share a word
#else
const uint kUnit = 2;
#endif

uint padded(uint width) {
    return (width + 3) & ~3u;
}

struct Rotation {
    uint pair;
    uint partner;  // element of the head
    bool second;   // b of the pair
};

Rotation rotationOf(uint d) {
    if (HALF_SPLIT) {
        const bool second = d >= numPairs;
        return Rotation(second ? d - numPairs : d, second ? d - numPairs : d + numPairs, second);
    }
    return Rotation(d / 2, d ^ 1, d % 2 == 1);
}

uint lastOfPrefix;  // position of the sequence's token; 0 where it has no prefix

// What a pair of the head of an element is rotated by.
uint ropePosition(uint position, uint element, uint pair) {
    if (HAS_AXES) {
        const uint axis = frequencies[numPairs + pair].x;
        const PictureEntry entry = pictures[gl_WorkGroupID.y];
        if (entry.coordinates[3] == kNoRow) return axis == 3 ? 0 : position;
        return entry.coordinates[axis];
    }
    if (!TWO_POSITIONS) return position;
    const uint inPrefix = min(position, lastOfPrefix);
    return element / headDim % 2 == 0 ? inPrefix : position - inPrefix;
}

float rotated(float ours, float partner, bool second, uint pair, uint position) {
    const vec2 angle = ropeAngle(position, pair) * magnitude;
    return second ? partner * angle.y + ours * angle.x : ours * angle.x - partner * angle.y;
}

// The head that was normalised last, by its first element, and what it is multiplied by. (An invocation takes a
// few elements of one or two heads, so each adds up the squares by itself.)
uint scaledHead = kNone;
float headScale = 1;

float queryElement(uint head, uint d) {
    if (!NORMALISE) return q[head + d];
    if (head != scaledHead) {
        float squares = 0;
        for (uint i = 0; i < headDim; ++i) squares += q[head + i] * q[head + i];
        headScale = 1 / sqrt(squares / float(headDim) + eps);
        scaledHead = head;
    }
    return q[head + d] * headScale * qGain[d];
}

float keyElement(uint head, uint d) {
    if (!NORMALISE) return k[head + d];
    if (head != scaledHead) {
        float squares = 0;
        for (uint i = 0; i < headDim; ++i) squares += k[head + i] * k[head + i];
        headScale = 1 / sqrt(squares / float(headDim) + eps);
        scaledHead = head;
    }
    return k[head + d] * headScale * kGain[d];
}

float queryAt(uint row, uint element, uint position) {
    const uint d = element % headDim;
    const uint head = row * padded(qWidth) + element - d;
    if (d >= 2 * numPairs) return queryElement(head, d);
    const Rotation r = rotationOf(d);
    return rotated(queryElement(head, d), queryElement(head, r.partner),
                   r.second, r.pair, ropePosition(position, element, r.pair));
}

// 0 past the end: what fills up a block.
float keyAt(uint row, uint element, uint position) {
    if (element >= kWidth) return 0;
    const uint d = element % headDim;
    const uint head = row * padded(kWidth) + element - d;
    if (!ROTATE_KEYS || d >= 2 * numPairs) return keyElement(head, d);
    const Rotation r = rotationOf(d);
    return rotated(keyElement(head, d), keyElement(head, r.partner), r.second, r.pair,
                   ropePosition(position, element, r.pair));
}

float valueAt(uint row, uint element) {
    return element < vWidth ? v[row * padded(vWidth) + element] : 0;
}

float cachedAt(bool isKey, uint row, uint element, uint position) {
    return isKey ? keyAt(row, element, position) : valueAt(row, element);
}

void put(bool isKey, uint word, uint content) {
    if (isKey) keys[word] = content;
    else values[word] = content;
}

// `first`: the element a unit begins with.
void append(bool isKey, uint row, uint position, uint cacheRow, uint first) {
    const uint rowWord = cacheRow * (isKey ? keyRowWords : valueRowWords);
#if CACHE == 32
    for (uint i = first; i < first + kUnit; ++i)
        if (i < (isKey ? kWidth : vWidth)) put(isKey, rowWord + i, floatBitsToUint(cachedAt(isKey, row, i, position)));
#elif CACHE == 16
    const vec2 pair = vec2(cachedAt(isKey, row, first, position), cachedAt(isKey, row, first + 1, position));
    put(isKey, rowWord + first / 2, packHalf2x16(clamp(pair, -65504, 65504)));
#else
    // Q8_0: 32 values share a scale, the largest magnitude / 127.
    float scales[2];
    for (uint block = 0; block < 2; ++block) {
        const uint begin = first + 32 * block;
        float largest = 0;
        for (uint i = 0; i < 32; ++i) largest = max(largest, abs(cachedAt(isKey, row, begin + i, position)));
        scales[block] = largest / 127;
        const float inverse = scales[block] > 0 ? 1 / scales[block] : 0;
        if (begin >= (isKey ? kWidth : vWidth)) continue;
        for (uint i = 0; i < 32; i += 4) {
            uint word = 0;
            for (uint b = 0; b < 4; ++b) {
                const float level = round(cachedAt(isKey, row, begin + i + b, position) * inverse);
                word |= (uint(int(clamp(level, -127, 127))) & 255) << 8 * b;
            }
            put(isKey, rowWord + (begin + i) / 4, word);
        }
    }
    put(isKey, rowWord + (isKey ? keyScaleWord : valueScaleWord) + first / 64,
        packHalf2x16(vec2(scales[0], scales[1])));
#endif
}

void main() {
    const uint row = gl_WorkGroupID.y;
    const uint index = step.entries[row].runOfRow;
    if (index == kNone) return;
    const Run run = step.entries[index].run;
    const uint position = positionOfRow(run, row);
    lastOfPrefix = max(run.prefixTokens, 1) - 1;
    uint unit = gl_GlobalInvocationID.x;
    const uint qUnits = (qWidth + kUnit - 1) / kUnit;
    if (unit < qUnits) {
        for (uint i = unit * kUnit; i < min((unit + 1) * kUnit, qWidth); ++i)
            rotatedQ[row * padded(qWidth) + i] = queryAt(row, i, position);
        return;
    }
    unit -= qUnits;
    const uint kUnits = (kWidth + kUnit - 1) / kUnit;
    const bool isKey = unit < kUnits;
    if (!isKey) unit -= kUnits;
    if (!isKey && unit * kUnit >= vWidth) return;
    append(isKey, row, position, cacheRow(run.slot, position), unit * kUnit);
}
