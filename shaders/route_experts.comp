// r = the ids of the experts chosen by x, ascending, then their shares; see engine/kernels/ref/experts.h. Ids are
// different and in range whatever x holds.   OpCode::RouteExperts
//
// Bindings: 0 x [rows, padded(numExperts)]; 1 bias, 2 expertScale [numExperts]; 3 r [rows, padded(2 * numUsed)]. A
// workgroup takes a row (x), of at most 1,024 experts.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint SCORES = 0;  // backend order: ExpertScores
layout(constant_id = 2) const bool RENORMALISE = false;
layout(constant_id = 3) const bool HAS_BIAS = false;
layout(constant_id = 4) const bool HAS_SCALE = false;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Bias { float bias[]; };
layout(binding = 2) readonly buffer ExpertScale { float expertScale[]; };
layout(binding = 3) writeonly buffer R { float r[]; };
layout(push_constant) uniform Push {
    uint numExperts, numUsed, groups, groupsUsed;
    float scale;
};

#include "workgroup_sum.glsl"

const uint kSoftmax = 0, kSigmoid = 1, kSqrtSoftplus = 2, kSoftmaxOfChosen = 3;
const uint kMaxExperts = 1024;

shared float scores[kMaxExperts];
shared float choice[kMaxExperts];
shared float groupScores[kMaxExperts];
shared uint chosenBits[kMaxExperts / 32];

// Minus infinity.
float least() {
    return uintBitsToFloat(0xff800000u);
}

// The value, or the least where it is no number.
float orLeast(float value) {
    return (floatBitsToUint(value) & 0x7fffffffu) > 0x7f800000u ? least() : value;
}

// Chosen is what has fewer than so many ahead of it.
bool isAhead(float theirs, uint their, float ours, uint our) {
    return theirs > ours || (theirs == ours && their < our);
}

float twoBest(uint first, uint count) {
    float best = least(), second = least();
    for (uint i = first; i < first + count; ++i) {
        second = max(second, min(best, choice[i]));
        best = max(best, choice[i]);
    }
    return orLeast(count == 1 ? best : best + second);
}

bool isOpen(uint group) {
    if (groups == 1) return true;
    uint ahead = 0;
    for (uint other = 0; other < groups; ++other)
        if (isAhead(groupScores[other], other, groupScores[group], group)) ++ahead;
    return ahead < groupsUsed;
}

bool isChosen(uint e) {
    const uint groupSize = numExperts / groups;
    if (!isOpen(e / groupSize)) return false;
    uint ahead = 0;
    for (uint group = 0; group < groups; ++group) {
        if (!isOpen(group)) continue;
        for (uint other = group * groupSize; other < (group + 1) * groupSize; ++other)
            if (isAhead(choice[other], other, choice[e], e)) ++ahead;
    }
    return ahead < numUsed;
}

void main() {
    const uint me = gl_LocalInvocationID.x, step = gl_WorkGroupSize.x;
    const uint xFirst = gl_WorkGroupID.x * ((numExperts + 3) & ~3u);
    const uint rFirst = gl_WorkGroupID.x * ((2 * numUsed + 3) & ~3u);

    float largest = x[xFirst];
    for (uint e = 1; e < numExperts; ++e) largest = max(largest, x[xFirst + e]);
    float total = 0;
    for (uint e = me; e < numExperts; e += step) {
        const float value = x[xFirst + e];
        float score = value;
        if (SCORES == kSoftmax) score = exp(value - largest);
        if (SCORES == kSigmoid) score = 1 / (1 + exp(-value));
        if (SCORES == kSqrtSoftplus) score = sqrt(max(value, 0) + log(1 + exp(-abs(value))));
        scores[e] = score;
        total += score;
    }
    total = workgroupSum(total);
    for (uint e = me; e < numExperts; e += step) {
        if (SCORES == kSoftmax) scores[e] /= total;
        choice[e] = orLeast(HAS_BIAS ? scores[e] + bias[e] : scores[e]);
    }
    for (uint word = me; word < kMaxExperts / 32; word += step) chosenBits[word] = 0;
    barrier();
    for (uint group = me; group < groups; group += step)
        groupScores[group] = twoBest(group * (numExperts / groups), numExperts / groups);
    barrier();
    for (uint e = me; e < numExperts; e += step)
        if (isChosen(e)) atomicOr(chosenBits[e / 32], 1u << (e % 32));
    barrier();

    float sum = 0;
    for (uint e = me; e < numExperts; e += step) {
        if ((chosenBits[e / 32] >> (e % 32) & 1) == 0) continue;
        if (SCORES == kSoftmaxOfChosen) scores[e] = exp(scores[e] - largest);
        sum += scores[e];
    }
    sum = workgroupSum(sum);
    for (uint e = me; e < numExperts; e += step) {
        const uint word = chosenBits[e / 32];
        if ((word >> (e % 32) & 1) == 0) continue;
        uint place = bitCount(word & ((1u << (e % 32)) - 1));
        for (uint before = 0; before < e / 32; ++before) place += bitCount(chosenBits[before]);
        float share = scores[e];
        if (SCORES == kSoftmaxOfChosen) share /= sum;
        if (RENORMALISE) share /= SCORES == kSoftmaxOfChosen ? 1 : max(sum, 6.103515625e-5);
        share *= scale;
        if (HAS_SCALE) share *= expertScale[e];
        r[rFirst + place] = float(e);
        r[rFirst + numUsed + place] = share;
    }
}
