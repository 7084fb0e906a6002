/// Recurrent states that are kept in chunks (kernels/ref/chunks.h): what lies where in them. How many rows of
/// its chunk a state holds follows from the sequence's length alone, see chunkStart().
#pragma once

#include <cstdint>
#include <string>

#include "engine/backend/memory.h"
#include "engine/backend/op.h"

namespace ingle::backend {

/// First the matrices [heads, keyDim, valueDim], as they were at the chunk's start; then kChunkTokens rows,
/// each of changes [heads, valueDim], keys [keyHeads, keyDim] and decays [heads].
struct ChunkLayout {
    uint32_t heads = 0, keyHeads = 0, keyDim = 0, valueDim = 0;

    uint64_t matrixElems() const { return uint64_t{keyDim} * valueDim; }
    uint64_t rowsAt() const { return heads * matrixElems(); }
    // In a row:
    uint64_t changeElems() const { return uint64_t{heads} * valueDim; }
    uint64_t keyElems() const { return uint64_t{keyHeads} * keyDim; }
    uint64_t keysAt() const { return changeElems(); }
    uint64_t decaysAt() const { return changeElems() + keyElems(); }
    uint64_t rowElems() const { return decaysAt() + heads; }
};
ChunkLayout layoutOf(const GatedDeltaParams& params);
ChunkLayout layoutOf(const MambaScanParams& params);
StateSpec chunkedState(std::string name, const ChunkLayout& layout);

/// Rows that a short convolution remembers: those of a chunk, and what its first one sees. The ones before
/// the first token are zero, as the state is at the beginning.
uint32_t ringRows(const ShortConvParams& params);
StateSpec ringState(std::string name, const ShortConvParams& params, uint32_t width);

}  // namespace ingle::backend
