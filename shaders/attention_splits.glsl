// Kernels that share out a row's keys: each workgroup leaves what it has of its splits, and the last one that does so
// makes one of all: y = sum_s acc_s e^(max_s - max) / sum_s sum_s e^(max_s - max), where a sink is one more score. So
// no dispatch of its own has to wait for the others. Which workgroup it is changes nothing: splits are added in their
// order.
//
// Bindings, used where SPLITS is more than 1: 8 arrivals [rows, groups of heads], all 0 before the dispatch and after
// it; 9 splits: for each head of a row SPLITS times {acc [padded(VALUE_DIM)], max, sum, two unused}; 10 y in FORM,
// which wants heads of whole groups of 32 and rows of whole groups of 64 values. The including shader has
// attention.glsl, SPLITS, WORKERS, FORM (row_form_store.glsl), INVOCATIONS, kMostHeads of a workgroup, and memory for
// kMostHeads * SPLITS floats: keepFactor(i, value), factorAt(i).
layout(binding = 8) coherent buffer Arrivals { uint arrivals[]; };
layout(binding = 9) coherent buffer Splits { float splits[]; };
layout(binding = 9) coherent buffer SplitVectors { vec4 splitVectors[]; };
#define FORM_BINDING 10
#include "row_form_store.glsl"

const uint kSplitVectors = (VALUE_DIM + 3) / 4 + 1;
const uint kHeadEighths = (VALUE_DIM + 7) / 8;
const uint kAtOnce = 4;  // splits of which the loads do not wait for each other

shared bool isLast;
shared float largestOfHead[kMostHeads], totalOfHead[kMostHeads];

// In vectors.
uint splitAt(uint row, uint head, uint split) {
    return ((row * numHeads + head) * SPLITS + split) * kSplitVectors;
}
uint splitMaxAt(uint row, uint head, uint split) {
    return 4 * (splitAt(row, head, split) + kSplitVectors - 1);
}

// All invocations of a workgroup call it that has left splits of `count` heads of a row, from firstHead on. They are
// number `group` of its groups of heads; `numWorkers` workgroups leave numUsed splits of each.
void joinSplits(uint row, uint group, uint firstHead, uint count, uint numWorkers, uint numUsed) {
    const uint lane = gl_LocalInvocationID.x;
    memoryBarrierBuffer();
    barrier();
    if (lane == 0) {
        const uint arrival = row * (gl_NumWorkGroups.x / WORKERS) + group;
        isLast = atomicAdd(arrivals[arrival], 1) + 1 == numWorkers;
        if (isLast) atomicExchange(arrivals[arrival], 0);
        memoryBarrierBuffer();
    }
    barrier();
    if (!isLast) return;
    memoryBarrierBuffer();
    for (uint i = lane; i < count * numUsed; i += INVOCATIONS)
        keepFactor(i, splits[splitMaxAt(row, firstHead + i / numUsed, i % numUsed)]);
    barrier();
    for (uint h = lane; h < count; h += INVOCATIONS) {
        float largest = has(kSinks) ? sinks[firstHead + h] : kLowest;
        for (uint s = 0; s < numUsed; ++s) largest = max(largest, factorAt(h * numUsed + s));
        largestOfHead[h] = largest;
    }
    barrier();
    for (uint i = lane; i < count * numUsed; i += INVOCATIONS)
        keepFactor(i, exp(factorAt(i) - largestOfHead[i / numUsed]));
    barrier();
    for (uint h = lane; h < count; h += INVOCATIONS) {
        float total = has(kSinks) ? exp(sinks[firstHead + h] - largestOfHead[h]) : 0;
        for (uint s = 0; s < numUsed; ++s)
            total += factorAt(h * numUsed + s) * splits[splitMaxAt(row, firstHead + h, s) + 1];
        totalOfHead[h] = total;
    }
    barrier();
    const uint numEighths = count * kHeadEighths;
    for (uint turn = 0; turn < numEighths; turn += INVOCATIONS) {
        if (FORM == kBytes && turn > 0) barrier();
        const uint eighth = turn + lane;
        const uint h = eighth / kHeadEighths, first = eighth % kHeadEighths * 8;
        vec4 low = vec4(0), high = vec4(0);
        if (eighth < numEighths) {
            const uint at = splitAt(row, firstHead + h, 0) + first / 4;
            for (uint s = 0; s < numUsed; s += kAtOnce) {
                vec4 lows[kAtOnce], highs[kAtOnce];
                [[unroll]] for (uint i = 0; i < kAtOnce; ++i) {
                    const uint vector = at + min(s + i, numUsed - 1) * kSplitVectors;
                    lows[i] = splitVectors[vector];
                    highs[i] = first + 4 < VALUE_DIM ? splitVectors[vector + 1] : vec4(0);
                }
                [[unroll]] for (uint i = 0; i < kAtOnce; ++i) {
                    if (s + i >= numUsed) continue;
                    const float factor = factorAt(h * numUsed + s + i);
                    low += factor * lows[i];
                    high += factor * highs[i];
                }
            }
            low /= totalOfHead[h];
            high /= totalOfHead[h];
            const uint to = row * padded(numHeads * VALUE_DIM) + (firstHead + h) * VALUE_DIM + first;
            for (uint j = 0; j < 4 && first + j < VALUE_DIM; ++j) y[to + j] = low[j];
            for (uint j = 0; j < 4 && first + 4 + j < VALUE_DIM; ++j) y[to + 4 + j] = high[j];
        }
        storeForm(row, numHeads * VALUE_DIM, eighth < numEighths ? firstHead * kHeadEighths + eighth : ~0u, low, high);
    }
}
