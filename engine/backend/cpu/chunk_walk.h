/// How ops with states in chunks (engine/backend/chunk_state.h) go through the rows of a run.
#pragma once

#include <algorithm>

#include "engine/backend/chunk_state.h"
#include "engine/backend/cpu/cpu_op.h"

namespace ingle::backend::cpu {

/// A head's part of a run.
class HeadRun {
  public:
    /// `allKeys`: those of the step's rows, of all key heads.
    HeadRun(const RunRows& run, const ChunkLayout& layout, uint32_t state, size_t head, size_t keyHead,
            const float* allKeys)
        : m_run(run),
          m_matrix(run.sequence->state(state).data() + head * layout.matrixElems()),
          m_rows(run.sequence->state(state).data() + layout.rowsAt()),
          m_rowElems(layout.rowElems()),
          m_changeAt(head * layout.valueDim),
          m_keyAt(layout.keysAt() + keyHead * layout.keyDim),
          m_decayAt(layout.decaysAt() + head),
          m_fedKeys(allKeys + run.firstRow * layout.keyElems() + keyHead * layout.keyDim),
          m_fedWidth(layout.keyElems()),
          m_keyDim(layout.keyDim) {}

    /// decayOf(row) of each row, fold(keys, head) at each end of a full chunk, and compute(chunk, row, head)
    /// for the rows of each chunk, of which `row` is the first's number in the run.
    template <typename DecayOf, typename Fold, typename Compute>
    void forChunks(const kernels::ChunkScratch& scratch, DecayOf decayOf, Fold fold, Compute compute) const {
        const uint32_t first = m_run.firstPosition;
        const uint32_t end = first + m_run.numRows;
        const float* keys[kChunkTokens];
        float decays[kChunkTokens];
        for (uint32_t position = chunkStart(first); position < first; ++position)
            decays[position % kChunkTokens] = decayAt(position);
        const kernels::ChunkHead head{m_matrix, m_rows + m_changeAt, m_rowElems, decays};
        for (uint32_t position = first; position < end;) {
            const uint32_t start = position / kChunkTokens * kChunkTokens;
            const uint32_t stop = std::min(end, start + kChunkTokens);
            if (position == start && start > 0) {
                // What was gathered of the chunk before is still there.
                if (position == first)
                    for (uint32_t i = 0; i < kChunkTokens; ++i) keys[i] = keyOf(start - kChunkTokens + i);
                fold(keys, head);
            }
            for (uint32_t p = start; p < stop; ++p) keys[p - start] = keyOf(p);
            if (stop > position + 1) gather(position - start, stop - start, keys, scratch.gathered);
            for (uint32_t p = position; p < stop; ++p) decayAt(p) = decays[p - start] = decayOf(p - first);
            compute(kernels::ChunkRows{keys, position - start, stop - start}, position - first, head);
            position = stop;
        }
    }

  private:
    float* rowOf(uint32_t position) const { return m_rows + position % kChunkTokens * m_rowElems; }
    float& decayAt(uint32_t position) const { return rowOf(position)[m_decayAt]; }
    /// Of a position that is fed now, or was fed before in its chunk.
    const float* keyOf(uint32_t position) const {
        return position < m_run.firstPosition ? rowOf(position) + m_keyAt
                                              : m_fedKeys + (position - m_run.firstPosition) * m_fedWidth;
    }

    /// Rows [begin, end) of `keys` side by side: those of a step are often a power of two apart, and would
    /// share few lines of the nearest cache.
    void gather(uint32_t begin, uint32_t end, const float** keys, float* gathered) const {
        for (uint32_t i = begin; i < end; ++i) {
            float* to = gathered + i * m_keyDim;
            std::copy_n(keys[i], m_keyDim, to);
            keys[i] = to;
        }
    }

    const RunRows& m_run;
    float* m_matrix;
    float* m_rows;
    size_t m_rowElems, m_changeAt, m_keyAt, m_decayAt;
    const float* m_fedKeys;
    size_t m_fedWidth;
    size_t m_keyDim;
};

/// Keeps the keys of the chunk that each run ends in. Heads share keys: after all have read those before.
void keepKeys(const StepContext& context, const ChunkLayout& layout, uint32_t state, const float* keys);

}  // namespace ingle::backend::cpu
