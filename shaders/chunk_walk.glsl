// A head's way through the rows of a run: what recurrences in chunks (chunk.glsl) have in common. A workgroup of
// VALUE takes a head; invocation j keeps column j of S in registers, and alone reads and writes column j of the
// changes. The shader that includes this names KEY and VALUE and the buffers `state` and `k`, keys of [rows,
// padded(keyHeads * KEY)].
#include "chunk.glsl"

shared float ks[KEY];
shared float decays[kChunk];

struct Walk {
    uint stateAfter;                // of column j of S
    uint keysBefore;                // of the head's keys in row 0 of the chunk
    uint changes, decayAfter;       // of column j of its changes, and of its decay, there
    uint rowElems;                  // floats from a row of the chunk to the next one
    uint first, firstRow, end;      // positions, and the row of the first one
    uint keyWidth, keyColumn;       // of the rows that are fed
    bool changed;                   // S, or where it is
} walk;
float s[KEY];

// Brings what was kept of the chunk to where it will be; then S is in registers.
void beginWalk(Run run, uint heads, uint head, uint keyHeads, uint keyHead, uint stateElems) {
    const uint j = gl_LocalInvocationID.x;
    const uint before = run.slot * stateElems;
    const uint after = run.slotAfter * stateElems;
    const uint column = head * KEY * VALUE + j;
    walk.keyWidth = padded(keyHeads * KEY);
    walk.keyColumn = keyHead * KEY;
    walk.stateAfter = after + column;
    // Rows of the chunk: changes of all heads, keys, decays.
    const uint rows = heads * KEY * VALUE;
    const uint decayAt = rows + heads * VALUE + keyHeads * KEY + head;
    walk.rowElems = heads * VALUE + keyHeads * KEY + heads;
    walk.keysBefore = before + rows + heads * VALUE + keyHead * KEY;
    walk.changes = after + rows + head * VALUE + j;
    walk.decayAfter = after + decayAt;
    walk.first = run.firstPosition;
    walk.firstRow = run.firstRow;
    walk.end = run.firstPosition + run.numRows;
    walk.changed = before != after;
    const uint numKept = walk.first - chunkStart(walk.first);
    for (uint i = j; i < numKept; i += VALUE) {
        decays[i] = state[before + decayAt + i * walk.rowElems];
        if (walk.changed) state[walk.decayAfter + i * walk.rowElems] = decays[i];
    }
    for (uint i = 0; walk.changed && i < numKept; ++i)
        state[walk.changes + i * walk.rowElems] = state[before + rows + head * VALUE + j + i * walk.rowElems];
    [[unroll]] for (uint i = 0; i < KEY; ++i) s[i] = state[before + column + i * VALUE];
}

// Number i of the key at a position that is fed now, or that was fed before in its chunk.
float keyAt(uint position, uint i) {
    return position < walk.first
               ? state[walk.keysBefore + position % kChunk * walk.rowElems + i]
               : k[(walk.firstRow + position - walk.first) * walk.keyWidth + walk.keyColumn + i];
}

float changeOf(uint row) {
    return state[walk.changes + row * walk.rowElems];
}
void keepChange(uint row, float change) {
    state[walk.changes + row * walk.rowElems] = change;
}
// By one invocation, between barriers.
void keepDecay(uint row, float decay) {
    decays[row] = decay;
    state[walk.decayAfter + row * walk.rowElems] = decay;
}

// S becomes that at the end of the chunk before `position`, which begins one.
void fold(uint position) {
    walk.changed = true;
    barrier();  // decays are written
    float left = 1;
    for (uint i = 0; i < kChunk; ++i) left *= decays[i];
    [[unroll]] for (uint i = 0; i < KEY; ++i) s[i] *= left;
    float share = 1;
    for (uint n = kChunk; n-- > 0;) {
        barrier();  // the keys before have been read
        for (uint i = gl_LocalInvocationID.x; i < KEY; i += VALUE) ks[i] = keyAt(position - kChunk + n, i);
        barrier();
        const float change = share * changeOf(n);
        [[unroll]] for (uint i = 0; i < KEY; ++i) s[i] += ks[i] * change;
        share *= decays[n];
    }
}

void endWalk() {
    if (!walk.changed) return;
    [[unroll]] for (uint i = 0; i < KEY; ++i) state[walk.stateAfter + i * VALUE] = s[i];
}
