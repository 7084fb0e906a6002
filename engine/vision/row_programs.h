/// Programs that turn rows into rows, compiled for as many as they have to take.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/graph/graph.h"

namespace ingle::vision {

/// How rows are fed.
struct RowStep {
    std::span<const float> rows;
    uint32_t numRows = 0;
    std::span<const uint32_t> runs = {};  ///< rows that see each other, one run behind the other; empty: all
    std::span<const backend::Coordinates> coordinates = {};  ///< of the rows; empty: none
};

/// All graphs of a tower share one memory of keys and values, whose sequences last for a step. One thread.
class RowPrograms {
  public:
    explicit RowPrograms(backend::Backend& backend) : m_backend(backend) {}

    /// Adds a graph that ends in rows; returns its number.
    size_t add(graph::Graph graph);
    /// What is asked before each op whether to end a step; null: nothing.
    void watch(std::function<bool()> mustEnd) { m_mustEnd = std::move(mustEnd); }
    /// Ops of all graphs.
    size_t numOps() const;
    /// Its rows. Errors: as of Backend::compile() and Program::run().
    Result<std::vector<float>> run(size_t graph, const RowStep& step);
    /// The same of a graph whose rows see those that `before` keeps of its own.
    Result<std::vector<float>> runBehind(size_t before, const RowStep& kept, size_t graph,
                                         const RowStep& step);

  private:
    struct Entry {
        graph::Graph graph;
        size_t numOps = 0;
        std::unique_ptr<backend::Program> program = {};
        uint32_t capacity = 0;  ///< rows that it takes
    };
    using Sequences = std::vector<std::unique_ptr<backend::SequenceMemory>>;

    /// Without programs and their memory.
    void clear();
    /// Makes room for runs of so many rows.
    Status reserve(std::span<const uint32_t> runs);
    /// Whether all of it fits beside what is there. Errors: as Backend::checkRoom().
    Status checkRoom(uint32_t numRows) const;
    Status compile(Entry& entry, uint32_t numRows);
    Result<std::vector<float>> runOn(size_t graph, const RowStep& step, std::span<const uint32_t> runs,
                                     Sequences& sequences);
    Result<Sequences> createSequences(size_t count);

    backend::Backend& m_backend;
    std::function<bool()> m_mustEnd;
    std::vector<Entry> m_entries;
    backend::MemorySpec m_memorySpec;
    std::unique_ptr<backend::MemoryPool> m_pool;  ///< gone after the programs
    uint64_t m_poolTokens = 0;
    size_t m_poolSequences = 0;
};

}  // namespace ingle::vision
