// Pages are walked in order, and each query takes in the keys of a page that it sees at once; what the
// queries gather over kSplitKeys keys is merged in order. So the order of additions depends on positions
// only, not on how the prompt was cut into chunks, nor on which thread did what. Pages that no query of a
// block sees are left out.
#include <algorithm>
#include <cmath>

#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/attention.h"

namespace ingle::backend::cpu::attention_op {
namespace {

using kernels::OnlineSoftmax;

/// Keys that are gathered by themselves, so that threads can share one long sequence: enough that a merge
/// costs nothing beside them.
constexpr uint32_t kSplitKeys = 8 * kPageTokens;
/// Queries of different tokens that a thread takes at a time: enough that unpacking a page costs little.
constexpr uint32_t kBlockRows = 16;
/// Heads of one kv head that a thread takes at a time, for the same reason: where many share it, threads
/// share them.
constexpr uint32_t kBlockHeads = 16;
/// Splits of one token's attention that may be computed at once (16 k keys).
constexpr uint32_t kMaxParallelSplits = 32;
static_assert(kernels::kAttentionKeys == kPageTokens);

/// Heads that read one kv head, or some of them.
struct Heads {
    uint32_t kvHead;
    uint32_t first;  ///< of all query heads
    uint32_t count;
};

/// The queries of `numRows` consecutive tokens.
struct Queries {
    const RunRows* run;
    uint32_t firstRow;  ///< of the run
    uint32_t numRows;
    Heads heads;
};

/// Positions [begin, end).
struct KeyRange {
    uint32_t begin, end;
};

struct Kernels {
    kernels::TransposeKeysFn transpose;
    kernels::AttentionScoresFn scores, scoresOfHalves;
    kernels::AbsorbPageFn absorb, absorbHalves;
    kernels::FromHalvesFn fromHalves;
    kernels::MapFn tanh;
};

/// A page as the kernels take it: keys turned, values in rows, each floats or halves.
struct Page {
    const std::byte* keys;
    kernels::AttentionScoresFn scores;
    const std::byte* values;
    size_t valueRowBytes;
    kernels::AbsorbPageFn absorb;
};

class Attention {
  public:
    Attention(const Op& op, const Kernels& kernels, const StepContext& context)
        : m_op(op),
          m_kernels(kernels),
          m_context(context),
          m_params(std::get<AttentionParams>(op.params)),
          m_keyDim(m_params.keyDim),
          m_valueDim(m_params.valueDim),
          m_group(m_params.numHeads / m_params.numKvHeads),
          m_sinks(m_params.hasSinks ? context.vector(op, 0) : nullptr),
          m_halves(context.memory.kvFormat().id == quant::kF16) {}

    void run() const {
        const RunRows& first = m_context.runs[0];
        const KeyRange splits = splitsOf(seenBy(first, 0));
        const uint32_t numSplits = splits.end - splits.begin;
        const bool few = numParts() < 2 * m_context.threads.numThreads();
        if (m_context.runs.size() == 1 && first.numRows == 1 && few && numSplits > 1 &&
            numSplits <= kMaxParallelSplits) {
            runSplits(first, splits);
        } else {
            runWhole();
        }
    }

    static Scratch scratch(const Op& op, const Plan& plan) {
        const auto& params = std::get<AttentionParams>(op.params);
        const size_t heads = std::min(params.numHeads / params.numKvHeads, kBlockHeads);
        const size_t state = stateBytes(params.valueDim);
        const size_t rows = std::min(kBlockRows, plan.maxTokens);
        return {.sharedBytes = kMaxParallelSplits * params.numHeads * state,
                .threadBytes = pageBytes(params) + 2 * rows * heads * state};
    }

  private:
    static size_t stateBytes(size_t valueDim) { return valueDim * sizeof(float) + sizeof(OnlineSoftmax); }

    /// A page of keys in rows and turned, and of values; and the blocks of the cache that hold a row of them.
    static size_t pageBytes(const AttentionParams& params) {
        const size_t blocks = std::max(params.keyDim, params.valueDim) + 2 * kLargestBlock;
        return (kPageTokens * (2 * params.keyDim + params.valueDim) + blocks) * sizeof(float);
    }

    /// Softmax states and their accumulators.
    struct States {
        OnlineSoftmax* softmax;
        float* acc;  ///< [count, valueDim]

        States(std::byte* memory, size_t count)
            : softmax(reinterpret_cast<OnlineSoftmax*>(memory)),
              acc(reinterpret_cast<float*>(softmax + count)) {}
        void clear(size_t count, size_t dim) const {
            std::fill_n(softmax, count, OnlineSoftmax{});
            std::fill_n(acc, count * dim, 0.0F);
        }
    };

    uint32_t blocksOfGroup() const { return (m_group + kBlockHeads - 1) / kBlockHeads; }
    /// All heads, in parts that are computed by themselves.
    uint32_t numParts() const { return m_params.numKvHeads * blocksOfGroup(); }
    Heads part(size_t index) const {
        const auto kvHead = static_cast<uint32_t>(index) / blocksOfGroup();
        const uint32_t first = static_cast<uint32_t>(index) % blocksOfGroup() * kBlockHeads;
        return {kvHead, kvHead * m_group + first, std::min(kBlockHeads, m_group - first)};
    }

    /// What the query of a run's row sees. Neither end is before that of an earlier row.
    KeyRange seenBy(const RunRows& run, uint32_t row) const {
        const uint32_t position = run.firstPosition + row;
        KeyRange seen{0, position + 1};
        if (m_params.window > 0) seen.begin = seen.end - std::min(seen.end, m_params.window);
        if (m_params.chunk > 0) seen.begin = position / m_params.chunk * m_params.chunk;
        if (m_params.mask == Mask::Prefix) seen.end = std::max(seen.end, run.prefixTokens);
        if (m_params.mask == Mask::Full) {
            const uint32_t end = run.firstPosition + run.numRows;
            seen.end = m_params.window > 0 ? std::min(end - position, m_params.window) + position : end;
        }
        return seen;
    }
    KeyRange seenBy(const Queries& queries) const {
        return {seenBy(*queries.run, queries.firstRow).begin,
                seenBy(*queries.run, queries.firstRow + queries.numRows - 1).end};
    }
    /// The splits that hold keys, by number.
    static KeyRange splitsOf(const KeyRange& keys) {
        return {keys.begin / kSplitKeys, (keys.end + kSplitKeys - 1) / kSplitKeys};
    }

    /// One kv head's slice, of `dim`, of a page's first `count` rows as floats.
    /// `blocks` is room for a row's blocks: a head may begin and end inside one.
    void expand(const std::byte* row, size_t rowBytes, size_t kvHead, size_t dim, uint32_t count, float* out,
                float* blocks) const {
        const quant::QuantFormat& format = m_context.memory.kvFormat();
        const size_t firstBlock = kvHead * dim / format.blockElems;
        const size_t skipped = kvHead * dim % format.blockElems;
        const size_t decoded =
            (skipped + dim + format.blockElems - 1) / format.blockElems * format.blockElems;
        row += firstBlock * format.blockBytes;
        for (uint32_t j = 0; j < count; ++j, row += rowBytes, out += dim) {
            if (format.id == quant::kF16) {
                m_kernels.fromHalves(row, out, dim);
            } else if (decoded == dim) {
                format.decodeRow(row, {out, dim});
            } else {
                format.decodeRow(row, {blocks, decoded});
                std::copy_n(blocks + skipped, dim, out);
            }
        }
    }

    /// Turns the products of a query at `position` with the keys from `first` on into scores.
    void adjust(float* scores, uint32_t position, uint32_t first, uint32_t head) const {
        if (const float cap = m_params.softCap; cap > 0) {
            for (uint32_t j = 0; j < kPageTokens; ++j) scores[j] /= cap;
            m_kernels.tanh(scores, scores, kPageTokens);
            for (uint32_t j = 0; j < kPageTokens; ++j) scores[j] *= cap;
        }
        if (m_params.alibiSlopes.empty()) return;
        const float slope = m_params.alibiSlopes[head];
        for (uint32_t j = 0; j < kPageTokens; ++j) {
            const uint32_t key = first + j;
            scores[j] -= slope * static_cast<float>(std::max(position, key) - std::min(position, key));
        }
    }

    /// Whether the queries of so many tokens read the cache in place. For more than one, halves are turned
    /// into floats once instead of for each.
    bool readInPlace(uint32_t numRows) const {
        return m_context.memory.layout(m_params.layer).keysTurned && (!m_halves || numRows == 1);
    }

    /// One kv head's part of the page of keys from `at` on, in the cache.
    Page pageInPlace(const RunRows& run, uint32_t at, uint32_t kvHead) const {
        const auto& layout = m_context.memory.layout(m_params.layer);
        const size_t bytes = m_context.memory.kvFormat().blockBytes;
        return {.keys = run.sequence->keyPage(m_params.layer, at) + kvHead * m_keyDim * kPageTokens * bytes,
                .scores = m_halves ? m_kernels.scoresOfHalves : m_kernels.scores,
                .values = run.sequence->valueRow(m_params.layer, at) + kvHead * m_valueDim * bytes,
                .valueRowBytes = layout.valueRowBytes,
                .absorb = m_halves ? m_kernels.absorbHalves : m_kernels.absorb};
    }

    /// The same as floats in `room`, of which the first `count` are wanted.
    Page expandedPage(const RunRows& run, uint32_t at, uint32_t kvHead, uint32_t count, float* room) const {
        const auto& layout = m_context.memory.layout(m_params.layer);
        float* keyRows = room;
        float* keys = keyRows + kPageTokens * m_keyDim;
        float* values = keys + kPageTokens * m_keyDim;
        float* blocks = values + kPageTokens * m_valueDim;
        if (layout.keysTurned) {
            m_kernels.fromHalves(pageInPlace(run, at, kvHead).keys, keys, kPageTokens * m_keyDim);
        } else {
            expand(run.sequence->keyRow(m_params.layer, at), layout.keyRowBytes, kvHead, m_keyDim, count,
                   keyRows, blocks);
            m_kernels.transpose(keyRows, m_keyDim, keys);
        }
        const bool valuesInKeys = layout.valueRowBytes == 0;  // their beginnings
        if (!valuesInKeys)
            expand(run.sequence->valueRow(m_params.layer, at), layout.valueRowBytes, kvHead, m_valueDim,
                   count, values, blocks);
        return {.keys = reinterpret_cast<const std::byte*>(keys),
                .scores = m_kernels.scores,
                .values = reinterpret_cast<const std::byte*>(valuesInKeys ? keyRows : values),
                .valueRowBytes = (valuesInKeys ? m_keyDim : m_valueDim) * sizeof(float),
                .absorb = m_kernels.absorb};
    }

    /// What is read after the page at hand, for the processor: values lie in rows of all kv heads, in which
    /// it does not see a stream.
    struct NextPage {
        kernels::ReadNext keys, values;
    };
    NextPage next(const RunRows& run, uint32_t at, uint32_t kvHead) const {
        const Page page = pageInPlace(run, at, kvHead);
        const size_t bytes = m_context.memory.kvFormat().blockBytes;
        return {{.first = page.keys, .count = 1, .bytes = m_keyDim * kPageTokens * bytes},
                {.first = page.values,
                 .stride = page.valueRowBytes,
                 .count = kPageTokens,
                 .bytes = m_valueDim * bytes}};
    }

    /// Lets each query take in the keys of [begin, end), whole pages, that it sees. `states` has one entry
    /// per row and head.
    void gather(const Queries& queries, uint32_t begin, uint32_t end, const States& states,
                float* room) const {
        const auto& [run, firstRow, numRows, heads] = queries;
        const size_t width = m_op.inputs[0].width;
        const float* q =
            m_context.rows(m_op.inputs[0]) + (run->firstRow + firstRow) * width + heads.first * m_keyDim;
        // Behind the scores is room for what kernels read past the last that they are asked for.
        alignas(64) float scores[(kBlockHeads + 1) * kPageTokens] = {};
        const KeyRange all = seenBy(queries);
        const bool inPlace = readInPlace(numRows);
        for (uint32_t at = std::max(begin, all.begin / kPageTokens * kPageTokens);
             at < std::min(end, all.end); at += kPageTokens) {
            // Scores of keys that are not there are computed from whatever lies in the memory, and dropped.
            const uint32_t count = std::min(kPageTokens, all.end - at);
            const Page page = inPlace ? pageInPlace(*run, at, heads.kvHead)
                                      : expandedPage(*run, at, heads.kvHead, count, room);
            const uint32_t nextAt = at + kPageTokens;
            NextPage asked;
            if (inPlace && nextAt < std::min(end, all.end)) asked = next(*run, nextAt, heads.kvHead);
            for (uint32_t row = 0; row < numRows; ++row) {
                const KeyRange seen = seenBy(*run, firstRow + row);
                const uint32_t first = std::max(seen.begin, at) - at;
                const uint32_t last = std::min(seen.end, at + kPageTokens);
                if (last <= at + first) continue;
                page.scores(q + row * width, heads.count, page.keys, m_keyDim, m_params.scale, scores,
                            asked.keys);
                for (uint32_t head = 0; head < heads.count; ++head)
                    adjust(scores + head * kPageTokens, run->firstPosition + firstRow + row, at,
                           heads.first + head);
                const size_t state = row * heads.count;
                page.absorb(scores + first, heads.count,
                            {.rows = page.values + first * page.valueRowBytes,
                             .rowBytes = page.valueRowBytes,
                             .count = last - at - first},
                            m_valueDim, states.softmax + state, states.acc + state * m_valueDim,
                            asked.values);
            }
        }
    }

    void finish(const OnlineSoftmax& softmax, const float* acc, size_t row, size_t head) const {
        float* y = m_context.rows(m_op.outputs[0]) + row * m_op.outputs[0].width + head * m_valueDim;
        float inverse = 1.0F / softmax.sum;
        if (m_sinks) {
            const float max = std::max(softmax.max, m_sinks[head]);
            const float shrink = std::exp(softmax.max - max);
            inverse = shrink / (softmax.sum * shrink + std::exp(m_sinks[head] - max));
        }
        for (size_t d = 0; d < m_valueDim; ++d) y[d] = acc[d] * inverse;
    }

    /// Queries in blocks; the splits of each one after the other.
    void runWhole() const {
        uint32_t maxRows = 0;
        for (const RunRows& run : m_context.runs) maxRows = std::max(maxRows, run.numRows);
        const size_t blocks = (maxRows + kBlockRows - 1) / kBlockRows;
        const size_t items = m_context.runs.size() * blocks * numParts();
        m_context.threads.parallelFor(items, 1, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t item = begin; item < end; ++item) {
                const RunRows& run = m_context.runs[item / numParts() / blocks];
                // Late queries first: they see most keys, and a thread that starts one late makes others
                // wait.
                const auto block = static_cast<uint32_t>(blocks - 1 - item / numParts() % blocks);
                const uint32_t firstRow = block * kBlockRows;
                if (firstRow >= run.numRows) continue;
                attendBlock(
                    {&run, firstRow, std::min(kBlockRows, run.numRows - firstRow), part(item % numParts())},
                    m_context.threadFloats(thread));
            }
        });
    }

    void attendBlock(const Queries& queries, float* page) const {
        const size_t count = queries.numRows * queries.heads.count;
        auto* memory = reinterpret_cast<std::byte*>(page) + pageBytes(m_params);
        const States total(memory, count);
        const States split(memory + count * stateBytes(m_valueDim), count);
        total.clear(count, m_valueDim);
        const KeyRange splits = splitsOf(seenBy(queries));
        for (uint32_t at = splits.begin; at < splits.end; ++at) {
            split.clear(count, m_valueDim);
            gather(queries, at * kSplitKeys, (at + 1) * kSplitKeys, split, page);
            for (size_t i = 0; i < count; ++i)
                merge(split.softmax[i], split.acc + i * m_valueDim, total.softmax[i],
                      total.acc + i * m_valueDim);
        }
        for (size_t i = 0; i < count; ++i) {
            finish(total.softmax[i], total.acc + i * m_valueDim,
                   queries.run->firstRow + queries.firstRow + i / queries.heads.count,
                   queries.heads.first + i % queries.heads.count);
        }
    }

    void merge(const OnlineSoftmax& later, const float* laterAcc, OnlineSoftmax& total, float* acc) const {
        // The query saw none of the split's keys.
        if (later.sum == 0) return;
        kernels::mergeSoftmaxRef(later, laterAcc, m_valueDim, total, acc);
    }

    /// One token's attention, its splits computed side by side.
    void runSplits(const RunRows& run, const KeyRange& splits) const {
        const auto statesOf = [&](size_t split, const Heads& heads) {
            const size_t before = split * m_params.numHeads + heads.first;
            return States(m_context.sharedScratch + before * stateBytes(m_valueDim), heads.count);
        };
        const uint32_t numSplits = splits.end - splits.begin;
        const size_t items = size_t{numSplits} * numParts();
        m_context.threads.parallelFor(items, 1, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t item = begin; item < end; ++item) {
                const Heads heads = part(item % numParts());
                const auto split = static_cast<uint32_t>(item / numParts());
                const States states = statesOf(split, heads);
                states.clear(heads.count, m_valueDim);
                const uint32_t first = (splits.begin + split) * kSplitKeys;
                gather({&run, 0, 1, heads}, first, first + kSplitKeys, states,
                       m_context.threadFloats(thread));
            }
        });
        auto* acc = m_context.threadFloats(0);
        for (uint32_t i = 0; i < numParts(); ++i) {
            const Heads heads = part(i);
            for (uint32_t head = 0; head < heads.count; ++head) {
                OnlineSoftmax total;
                std::fill_n(acc, m_valueDim, 0.0F);
                for (uint32_t split = 0; split < numSplits; ++split) {
                    const States states = statesOf(split, heads);
                    merge(states.softmax[head], states.acc + head * m_valueDim, total, acc);
                }
                finish(total, acc, run.firstRow, heads.first + head);
            }
        }
    }

    const Op& m_op;
    const Kernels& m_kernels;
    const StepContext& m_context;
    const AttentionParams& m_params;
    size_t m_keyDim;
    size_t m_valueDim;
    uint32_t m_group;  ///< query heads that read one kv head
    const float* m_sinks;
    bool m_halves;  ///< the cache's numbers; else floats, or blocks
};

class PreparedAttention final : public PreparedOp {
  public:
    PreparedAttention(const Op& op, const Preparation& preparation) : m_op(op) {
        const auto select = [&](kernels::KernelOp code) {
            return kernels::selectKernel(code, preparation.isa);
        };
        m_kernels = {.transpose = select(kernels::KernelOp::TransposeKeys).transposeKeys,
                     .scores = select(kernels::KernelOp::AttentionScores).attentionScores,
                     .scoresOfHalves = select(kernels::KernelOp::AttentionScoresOfHalves).attentionScores,
                     .absorb = select(kernels::KernelOp::AbsorbPage).absorbPage,
                     .absorbHalves = select(kernels::KernelOp::AbsorbPageOfHalves).absorbPage,
                     .fromHalves = select(kernels::KernelOp::FromHalves).fromHalves,
                     .tanh = select(kernels::KernelOp::Tanh).map};
    }
    void run(const StepContext& context) override { Attention(m_op, m_kernels, context).run(); }

  private:
    const Op& m_op;
    Kernels m_kernels{};
};

}  // namespace

extern const CpuOp op{OpCode::Attention, prepared<PreparedAttention>, Attention::scratch};

}  // namespace ingle::backend::cpu::attention_op
