// Chooses the next token of each row as engine/sampling does (top-k, top-p, min-p, temperature, draw), tells the host,
// and makes the step the next one.
//
// Bindings: 0 step; 1, 2 see topk.glsl; 3 {id, flags} of each row for the host. A workgroup a row (y); at most kSorted
// candidates of each.
//
// The CPU computes probabilities in double precision. Here they are fixed-point numbers with 32 bits behind the point,
// off by at most 2^-30, so that both draw the same token but for about one in ten million.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define STEP_BINDING 0
#define STEP_ACCESS
#include "step.glsl"
#include "topk.glsl"

layout(binding = 3) writeonly buffer Result { uvec2 results[]; };

const uint kKeepAll = ~0u;
const uvec2 kLog2E = uvec2(1, 0x71547653);

// Times 2^32: e^(logit - best), and e^((logit - best) / temperature).
shared uint weights[2][kKept];
const uint kPlain = 0, kTempered = 1;

// Numbers of 64 bits are {high, low}.
uvec2 sum(uvec2 a, uvec2 b) {
    uint carry;
    const uint low = uaddCarry(a.y, b.y, carry);
    return uvec2(a.x + b.x + carry, low);
}
uvec2 difference(uvec2 a, uvec2 b) {
    uint borrow;
    const uint low = usubBorrow(a.y, b.y, borrow);
    return uvec2(a.x - b.x - borrow, low);
}
uvec2 product(uint a, uint b) {
    uint high, low;
    umulExtended(a, b, high, low);
    return uvec2(high, low);
}
bool isLess(uvec2 a, uvec2 b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// A float's value times 2^32, rounded towards 0, as two's complement; it is within +-2^31.
uvec2 fixedPoint(uint bits) {
    const uint mantissa = bits & 0x7fffffu | 0x800000u;
    const int shift = min(int(bits >> 23 & 255u) - 118, 39);  // the mantissa's last bit is 2^(exponent - 150)
    uvec2 value = uvec2(0);
    if (shift >= 32) value.x = mantissa << shift - 32;
    else if (shift > 0) value = uvec2(mantissa >> 32 - shift, mantissa << shift);
    else if (shift > -24) value.y = mantissa >> -shift;
    return (bits & 0x80000000u) != 0 ? difference(uvec2(0), value) : value;
}

// 2^-(distance * scale), times 2^32; both factors are times 2^32 themselves.
uint exponential(uvec2 distance, uvec2 scale) {
    const uvec2 whole = product(distance.x, scale.x);
    const uvec2 rest = sum(sum(product(distance.x, scale.y), product(distance.y, scale.x)),
                           uvec2(0, product(distance.y, scale.y).x));
    if (whole.x > 0 || whole.y >= 32 || rest.x >= 32 || whole.y + rest.x >= 32) return 0;
    const uint t = product(rest.y, 0xb17217f8u).x;  // ln 2 times what is behind the point: 2^-f = e^-t
    uint value = ~0u;
    for (uint n = 13; n > 0; --n) value = ~0u - product(t, value).x / n;  // e^-t = 1 - t (1 - t/2 (1 - t/3 …
    return value >> whole.y + rest.x;
}

uvec2 sumOfWeights(uint kind, uint count) {
    uvec2 total = uvec2(0);
    for (uint i = 0; i < count; ++i) total = sum(total, uvec2(0, weights[kind][i]));
    return total;
}

uint keepTopP(uint count, uint topP) {
    if (topP == kKeepAll) return count;
    const uvec2 all = sumOfWeights(kPlain, count);
    const uvec2 low = product(all.y, topP);
    const uvec2 wanted = sum(product(all.x, topP), uvec2(0, low.x + (low.y > 0 ? 1 : 0)));  // rounded up
    uvec2 reached = uvec2(0);
    uint kept = 0;
    while (kept < count && (kept == 0 || isLess(reached, wanted)))
        reached = sum(reached, uvec2(0, weights[kPlain][kept++]));
    return kept;
}

uint keepMinP(uint count, float minP) {
    const float least = uintBitsToFloat(bitsOf(candidates[0].x)) + minP;
    while (count > 1 && uintBitsToFloat(bitsOf(candidates[count - 1].x)) < least) --count;
    return count;
}

uint draw(uint count, uint chance) {
    const uvec2 total = sumOfWeights(kTempered, count);
    const uvec2 threshold = sum(product(total.x, chance), uvec2(0, product(total.y, chance).x));
    uvec2 reached = uvec2(0);
    for (uint i = 0; i + 1 < count; ++i) {
        reached = sum(reached, uvec2(0, weights[kTempered][i]));
        if (isLess(threshold, reached)) return candidates[i].y;
    }
    return candidates[count - 1].y;
}

void advance(uint row, uint token) {
    step.entries[row].token = token;
    step.entries[row].run.firstPosition += 1;
    const uint before = step.entries[row].run.slot;
    step.entries[row].run.slot = step.entries[row].run.slotAfter;
    step.entries[row].run.slotAfter = step.entries[row].run.freeSlot;
    step.entries[row].run.freeSlot = before;
}

void main() {
    const uint row = gl_WorkGroupID.y;
    if (row >= step.numLogitRows) return;
    sortCandidates(0);
    const uint lane = gl_LocalInvocationID.x;
    const Choice choice = choices[row];
    const uint count = min(choice.numKept, choice.numIds);
    if (lane < count) {
        const uvec2 distance =
            difference(fixedPoint(bitsOf(candidates[0].x)), fixedPoint(bitsOf(candidates[lane].x)));
        weights[kPlain][lane] = exponential(distance, kLog2E);
        weights[kTempered][lane] = exponential(distance, choice.sharpness);
    }
    memoryBarrierBuffer();  // flags
    barrier();
    if (lane > 0) return;
    const uint token = draw(keepMinP(keepTopP(count, choice.topP), choice.minP), choice.chance);
    results[row] = uvec2(token, atomicOr(step.flags, 0));
    advance(row, token);
}
