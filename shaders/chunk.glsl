// Recurrent states in chunks, as engine/backend/chunk_state.h lays them out and engine/kernels/ref/chunks.h explains.
#include "engine/kernels/chunk_rows.inc"

const uint kChunk = INGLE_CHUNK_ROWS;

// The first position of the chunk that the last of so many tokens belongs to.
uint chunkStart(uint tokens) {
    return tokens == 0 ? 0 : (tokens - 1) / kChunk * kChunk;
}
uint padded(uint width) {
    return (width + 3) & ~3u;
}
