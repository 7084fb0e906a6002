/// Cosines and sines of a step's rows for rotary positions, computed once for all layers.
#pragma once

#include <span>
#include <vector>

#include "engine/backend/cpu/cpu_memory.h"
#include "engine/backend/plan.h"
#include "engine/base/buffer.h"
#include "engine/base/thread_pool.h"

namespace ingle::backend::cpu {

/// Some of a step's rows, all of one sequence.
struct RunRows {
    CpuSequence* sequence = nullptr;
    uint32_t firstRow = 0;
    uint32_t numRows = 0;
    uint32_t firstPosition = 0;  ///< position of firstRow in the sequence
    uint32_t prefixTokens = 0;   ///< see SequenceRun
    uint32_t numGuesses = 0;     ///< as well
    bool isPicture = false;      ///< as well

    /// The row before which states are kept; behind all rows when they are not.
    uint32_t firstGuess() const { return firstRow + numRows - numGuesses; }
};

/// A table for each different set of frequencies and positions among a plan's ops.
class RopeTables {
  public:
    explicit RopeTables(const Plan& plan);

    /// What allocate() takes.
    uint64_t bytes() const;
    /// Errors: OutOfMemory.
    Status allocate();
    /// For the rows of a step; `coordinates`: as of Step.
    void fill(std::span<const RunRows> runs, std::span<const Coordinates> coordinates,
              base::ThreadPool& threads);

    /// Index of the table for a head of `params`, which are those of an op of the plan. Heads that differ by
    /// an even number share it.
    size_t tableOf(const RopeParams& params, uint32_t head) const;
    /// Cosine and sine of each pair for a row of the step, see kernels/ref/rope.h.
    std::span<const float> angles(size_t table, size_t row) const;

  private:
    struct Table {
        std::vector<double> frequencies;
        float magnitude = 1;
        RopePositions positions = RopePositions::OfToken;
        std::vector<uint8_t> axes;
        uint32_t head = 0;    ///< the first it serves
        base::Buffer angles;  ///< [maxTokens, 2 * pairs]

        size_t rowFloats() const { return 2 * frequencies.size(); }
        bool serves(const RopeParams& params, uint32_t head) const;
    };

    uint32_t m_maxTokens;
    std::vector<Table> m_tables;
};

}  // namespace ingle::backend::cpu
