// The best of many logits: 1024 at a time are sorted in a workgroup's shared memory, best first, ties by the lowest id.
// A candidate is {key, id}; keys of better logits are smaller. Workgroups (…, y) take row y of the step, which has a
// row of logits for each run, of one token. The including shader includes step.glsl with STEP_ACCESS.
layout(constant_id = 1) const bool FROM_LOGITS = true;

// How a row's token is chosen, as engine/backend/vulkan/program/token_sampler.cpp writes it.
struct Choice {
    uint numKept;     // most candidates that matter, at most kKept
    uint numIds;      // logits behind them have no token
    uvec2 sharpness;  // log2(e) / temperature, times 2^32: high, low
    uint topP;        // times 2^32; kKeepAll: all
    float minP;       // least logit, less the best one
    uint chance;      // the number in [0, 1) that decides, times 2^32
};
layout(binding = 1) readonly buffer Source { uint source[]; };  // of each row: logits, or candidates
layout(binding = 2) readonly buffer Choices { Choice choices[]; };  // of each row
// Logits or candidates of a row, and of those from the first one of a row to that of the next.
layout(push_constant) uniform Push { uint numSources, sourceStride; };

const uint kSorted = 1024;
const uint kKept = 64;
const uint kNotFinite = 1;  // flag of the step
const uvec2 kNobody = uvec2(~0u);

shared uvec2 candidates[kSorted];

uint keyOf(uint bits) {
    if (bits == 0x80000000u) bits = 0;  // -0 equals 0
    return (bits & 0x80000000u) != 0 ? bits : bits ^ 0x7fffffffu;
}
uint bitsOf(uint key) {
    return (key & 0x80000000u) != 0 ? key : key ^ 0x7fffffffu;
}

uvec2 candidateAt(uint i) {
    if (i >= numSources) return kNobody;
    const uint at = gl_WorkGroupID.y * sourceStride + i;
    if (!FROM_LOGITS) return uvec2(source[2 * at], source[2 * at + 1]);
    const uint bits = source[at];
    if ((bits & 0x7f800000u) == 0x7f800000u) atomicOr(step.flags, kNotFinite);
    return i < choices[gl_WorkGroupID.y].numIds ? uvec2(keyOf(bits), i) : kNobody;
}

bool isBetter(uvec2 a, uvec2 b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// As sortCandidates(), where only the best one matters.
void findBest(uint first) {
    const uint lane = gl_LocalInvocationID.x;
    uvec2 best = kNobody;
    for (uint i = lane; i < kSorted; i += gl_WorkGroupSize.x) {
        const uvec2 other = candidateAt(first + i);
        if (isBetter(other, best)) best = other;
    }
    candidates[lane] = best;
    for (uint stride = gl_WorkGroupSize.x / 2; stride > 0; stride /= 2) {
        barrier();
        if (lane < stride && isBetter(candidates[lane + stride], candidates[lane]))
            candidates[lane] = candidates[lane + stride];
    }
    barrier();
    if (lane > 0 && lane < kKept) candidates[lane] = kNobody;
    barrier();
}

// Bitonic sort of the sources from `first` on (Batcher, "Sorting networks and their applications", 1968). Every
// invocation of the workgroup calls it; their number is a power of two, and at least kKept.
void sortCandidates(uint first) {
    if (choices[gl_WorkGroupID.y].numKept == 1) {
        findBest(first);
        return;
    }
    const uint lane = gl_LocalInvocationID.x;
    for (uint i = lane; i < kSorted; i += gl_WorkGroupSize.x) candidates[i] = candidateAt(first + i);
    for (uint size = 2; size <= kSorted; size *= 2) {
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            barrier();
            for (uint i = lane; i < kSorted / 2; i += gl_WorkGroupSize.x) {
                const uint low = 2 * i - (i & (stride - 1));
                const uvec2 a = candidates[low], b = candidates[low + stride];
                if (isBetter(b, a) == ((low & size) == 0)) {
                    candidates[low] = b;
                    candidates[low + stride] = a;
                }
            }
        }
    }
    barrier();
}
