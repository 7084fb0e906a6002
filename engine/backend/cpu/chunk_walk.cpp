#include "engine/backend/cpu/chunk_walk.h"

namespace ingle::backend::cpu {

void keepKeys(const StepContext& context, const ChunkLayout& layout, uint32_t state, const float* keys) {
    const size_t width = layout.keyElems();
    for (const RunRows& run : context.runs) {
        float* kept = run.sequence->state(state).data() + layout.rowsAt() + layout.keysAt();
        const uint32_t end = run.firstPosition + run.numRows;
        for (uint32_t p = std::max(run.firstPosition, chunkStart(end)); p < end; ++p)
            std::copy_n(keys + (run.firstRow + p - run.firstPosition) * width, width,
                        kept + p % kChunkTokens * layout.rowElems());
    }
}

}  // namespace ingle::backend::cpu
