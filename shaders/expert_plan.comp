// Which rows of x each expert multiplies, in tiles of at most TILE: what matmul_halves.comp is told.
// OpCode::ExpertLinear
//
// Bindings: 0 r [numTokens, padded(2 * numUsed)]; 1 plan. A row of x that chose an expert is a slot: slot
// numUsed * t + s for the s-th expert of row t. The plan is the number of tiles; then for each of maxTiles {expert, its
// first slot in the list, how many it has}; then the list of all slots, expert by expert. One workgroup; at most 1,024
// experts.
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint TILE = 64;

layout(binding = 0) readonly buffer R { float r[]; };
layout(binding = 1) writeonly buffer Plan { uint plan[]; };
layout(push_constant) uniform Push { uint numExperts, numUsed, numTokens, maxTiles; };

const uint kMaxExperts = 1024;
shared uint counts[kMaxExperts];
shared uint nextPlace[kMaxExperts];

uint expertOf(uint slot) {
    return min(uint(r[slot / numUsed * ((2 * numUsed + 3) & ~3u) + slot % numUsed]), numExperts - 1);
}

void main() {
    const uint lane = gl_LocalInvocationID.x, lanes = gl_WorkGroupSize.x, numSlots = numTokens * numUsed;
    for (uint e = lane; e < numExperts; e += lanes) counts[e] = 0;
    barrier();
    for (uint slot = lane; slot < numSlots; slot += lanes) atomicAdd(counts[expertOf(slot)], 1);
    barrier();
    for (uint e = lane; e < numExperts; e += lanes) {
        uint first = 0, tile = 0;
        for (uint before = 0; before < e; ++before) {
            first += counts[before];
            tile += (counts[before] + TILE - 1) / TILE;
        }
        nextPlace[e] = first;
        for (uint done = 0; done < counts[e]; done += TILE) {
            plan[1 + 3 * tile] = e;
            plan[2 + 3 * tile] = first + done;
            plan[3 + 3 * tile] = min(TILE, counts[e] - done);
            ++tile;
        }
        if (e == numExperts - 1) plan[0] = tile;
    }
    barrier();
    for (uint slot = lane; slot < numSlots; slot += lanes)
        plan[1 + 3 * maxTiles + atomicAdd(nextPlace[expertOf(slot)], 1)] = slot;
}
