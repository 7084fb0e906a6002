#include "engine/vision/row_programs.h"

#include <algorithm>
#include <numeric>

#include "engine/graph/lower.h"

namespace ingle::vision {
namespace {

/// Places for the keys and values of attention: graphs share what is of the same layer.
void widenMemory(const graph::Graph& graph, backend::MemorySpec& memory) {
    for (const graph::Node& node : graph.nodes) {
        const auto* attention = std::get_if<backend::AttentionParams>(&node.params);
        if (!attention) continue;
        memory.kv.resize(std::max<size_t>(memory.kv.size(), attention->layer + 1));
        memory.kv[attention->layer] = {.keyElems = attention->numKvHeads * attention->keyDim,
                                       .valueElems = attention->numKvHeads * attention->valueDim,
                                       .keyDim = attention->keyDim};
    }
}

}  // namespace

size_t RowPrograms::add(graph::Graph graph) {
    widenMemory(graph, m_memorySpec);
    const size_t numOps = graph::lower(graph, {.maxTokens = 1, .maxLogitRows = 1}).ops.size();
    m_entries.push_back({std::move(graph), numOps});
    clear();  // memory may have to be wider
    return m_entries.size() - 1;
}

size_t RowPrograms::numOps() const {
    return std::accumulate(m_entries.begin(), m_entries.end(), size_t{0},
                           [](size_t sum, const Entry& entry) { return sum + entry.numOps; });
}

void RowPrograms::clear() {
    for (Entry& entry : m_entries) entry.program.reset();
    m_pool.reset();
}

Status RowPrograms::reserve(std::span<const uint32_t> runs) {
    uint64_t tokens = 0;
    for (const uint32_t rows : runs)
        tokens += (uint64_t{rows} + backend::kPageTokens - 1) / backend::kPageTokens * backend::kPageTokens;
    if (m_pool && tokens <= m_poolTokens && runs.size() <= m_poolSequences) return {};
    clear();
    m_poolTokens = std::max(m_poolTokens, tokens);
    m_poolSequences = std::max(m_poolSequences, runs.size());
    INGLE_TRY(checkRoom(static_cast<uint32_t>(std::accumulate(runs.begin(), runs.end(), 0U))));
    INGLE_TRY_ASSIGN(
        m_pool,
        m_backend.createMemory(m_memorySpec, {.kv = KvType::F32,
                                              .maxTokens = static_cast<uint32_t>(m_poolTokens),
                                              .reservedSequences = static_cast<uint32_t>(m_poolSequences)}));
    return {};
}

Status RowPrograms::checkRoom(uint32_t numRows) const {
    // The largest plan, with the weights of all.
    backend::Plan largest;
    std::vector<backend::PlanWeight> weights;
    for (const Entry& entry : m_entries) {
        backend::Plan plan = graph::lower(entry.graph, {.maxTokens = numRows, .maxLogitRows = numRows});
        weights.insert(weights.end(), plan.weights.begin(), plan.weights.end());
        if (plan.ops.size() > largest.ops.size()) largest = std::move(plan);
    }
    largest.weights.insert(largest.weights.end(), weights.begin(), weights.end());
    return m_backend.checkRoom(largest, m_memorySpec,
                               {KvType::F32, m_poolTokens, static_cast<uint32_t>(m_poolSequences)});
}

Status RowPrograms::compile(Entry& entry, uint32_t numRows) {
    if (entry.program && entry.capacity >= numRows) return {};
    entry.program.reset();
    INGLE_TRY_ASSIGN(
        entry.program,
        m_backend.compile(graph::lower(entry.graph, {.maxTokens = numRows, .maxLogitRows = numRows}),
                          *m_pool));
    entry.capacity = numRows;
    return {};
}

Result<RowPrograms::Sequences> RowPrograms::createSequences(size_t count) {
    Sequences sequences;
    while (sequences.size() < count) {
        INGLE_TRY_ASSIGN(auto sequence, m_pool->createSequence());
        sequences.push_back(std::move(sequence));
    }
    return sequences;
}

Result<std::vector<float>> RowPrograms::runOn(size_t graph, const RowStep& step,
                                              std::span<const uint32_t> runs, Sequences& sequences) {
    Entry& entry = m_entries[graph];
    INGLE_TRY(compile(entry, step.numRows));
    const std::vector<TokenId> tokens(step.numRows, 0);  // nothing reads them
    std::vector<uint32_t> wanted(step.numRows);
    std::iota(wanted.begin(), wanted.end(), 0U);
    std::vector<backend::SequenceRun> sequenceRuns;
    for (size_t i = 0; i < runs.size(); ++i) sequenceRuns.push_back({sequences[i].get(), runs[i]});
    INGLE_TRY(entry.program->run({.tokens = tokens,
                                  .runs = sequenceRuns,
                                  .logitRows = wanted,
                                  .cancelled = m_mustEnd,
                                  .inputRows = step.rows,
                                  .coordinates = step.coordinates}));
    std::vector<float> made;
    for (uint32_t row = 0; row < step.numRows; ++row) {
        INGLE_TRY_ASSIGN(const std::span<const float> values, entry.program->readOutput(row));
        if (row == 0) made.reserve(values.size() * step.numRows);
        made.insert(made.end(), values.begin(), values.end());
    }
    return made;
}

Result<std::vector<float>> RowPrograms::run(size_t graph, const RowStep& step) {
    const std::span<const uint32_t> runs = step.runs.empty() ? std::span(&step.numRows, 1) : step.runs;
    INGLE_TRY(reserve(runs));
    INGLE_TRY_ASSIGN(Sequences sequences, createSequences(runs.size()));
    return runOn(graph, step, runs, sequences);
}

Result<std::vector<float>> RowPrograms::runBehind(size_t before, const RowStep& kept, size_t graph,
                                                  const RowStep& step) {
    const uint32_t all = kept.numRows + step.numRows;
    INGLE_TRY(reserve({&all, 1}));
    INGLE_TRY_ASSIGN(Sequences sequences, createSequences(1));
    INGLE_TRY(runOn(before, kept, {&kept.numRows, 1}, sequences));
    return runOn(graph, step, {&step.numRows, 1}, sequences);
}

}  // namespace ingle::vision
