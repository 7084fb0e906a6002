#include "engine/backend/chunk_state.h"

#include <utility>

#include "engine/kernels/kernel_table.h"

namespace ingle::backend {

static_assert(kChunkTokens == kernels::kChunkRows);

ChunkLayout layoutOf(const GatedDeltaParams& params) {
    return {params.numValueHeads, params.numKeyHeads, params.keyDim, params.valueDim};
}

ChunkLayout layoutOf(const MambaScanParams& params) {
    return {params.numHeads, params.groups, params.stateSize, params.headSize};
}

StateSpec chunkedState(std::string name, const ChunkLayout& layout) {
    const uint64_t matrices = layout.rowsAt();
    // A token reads the matrices and half a chunk's rows, and writes its own. Once in a chunk all rows are
    // read, and the matrices read and written.
    const uint64_t moved =
        matrices + layout.rowElems() * (kChunkTokens / 2 + 1 + 1) + 2 * matrices / kChunkTokens;
    return {.name = std::move(name),
            .elems = static_cast<uint32_t>(matrices + kChunkTokens * layout.rowElems()),
            .ring = ChunkRing{kChunkTokens, static_cast<uint32_t>(layout.rowElems()), moved}};
}

uint32_t ringRows(const ShortConvParams& params) {
    return kChunkTokens + params.kernel - 1;
}

StateSpec ringState(std::string name, const ShortConvParams& params, uint32_t width) {
    return {.name = std::move(name),
            .elems = ringRows(params) * width,
            .ring = ChunkRing{ringRows(params), width, uint64_t{params.kernel} * width}};
}

}  // namespace ingle::backend
