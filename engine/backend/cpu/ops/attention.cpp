// Pages are walked in order, and each query takes in the keys of a page that it sees at once; what the
// queries gather over kSplitKeys keys is merged in order. So the order of additions depends on positions
// only, not on how the prompt was cut into chunks, nor on which thread did what. Pages that no query of a
// block sees are left out.
#include <algorithm>
#include <cmath>

#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/attention.h"
#include "engine/quant/block.h"

namespace ingle::backend::cpu::attention_op {
namespace {

using kernels::OnlineSoftmax;

/// Keys that are gathered by themselves, so that threads can share one long sequence: enough that a merge
/// costs nothing beside them.
constexpr uint32_t kSplitKeys = 8 * kPageTokens;
/// Queries of different tokens that a thread takes at a time: enough that unpacking a page costs little.
constexpr uint32_t kBlockRows = 32;
constexpr uint32_t kFewestBlockRows = 4;
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

/// Of the scores of a form of keys there is one, the one or the other.
struct FormKernels {
    kernels::AttentionScoresFn scores;
    kernels::BlockScoresFn blockScores;  ///< takes rounded queries
    kernels::AbsorbPageFn absorb;
};

struct Kernels {
    kernels::TransposeKeysFn transpose;
    FormKernels floats, halves, blocks;
    kernels::FromHalvesFn fromHalves;
    kernels::RoundActivationsFn round;  ///< of queries for keys in blocks; null: they stay floats
    kernels::MapFn tanh;
};

/// A page as the kernels take it: keys turned, values in rows, each floats, halves or blocks of Q8_0.
struct Page {
    const std::byte* keys;
    const FormKernels* ofKeys;
    const std::byte* values;
    size_t valueRowBytes;
    const FormKernels* ofValues;
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
          m_format(context.memory.kvFormat()),
          m_layout(context.memory.layout(m_params.layer)),
          m_stored(m_format.id == quant::kF16   ? kernels.halves
                   : m_format.id == quant::kF32 ? kernels.floats
                                                : kernels.blocks) {}

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
    static size_t expandedBytes(const AttentionParams& params) {
        const size_t blocks = std::max(params.keyDim, params.valueDim) + 2 * kLargestBlock;
        return (kPageTokens * (2 * params.keyDim + params.valueDim) + blocks) * sizeof(float);
    }
    /// That, and the rounded queries of a block.
    static size_t pageBytes(const AttentionParams& params) {
        const size_t heads = std::min(params.numHeads / params.numKvHeads, kBlockHeads);
        const size_t blocks = params.keyDim / kernels::kActivationBlock;
        return expandedBytes(params) + kBlockRows * heads * blocks * sizeof(kernels::ActivationBlock);
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
        const uint32_t end = run.firstPosition + run.numRows;
        if (m_params.mask == Mask::Prefix) seen.end = std::max(seen.end, run.prefixTokens);
        if (m_params.mask == Mask::Picture && run.isPicture) seen.end = end;
        if (m_params.mask == Mask::Before) seen = {0, run.firstPosition};
        if (m_params.mask == Mask::Full) {
            seen.end = m_params.window > 0 ? std::min(end - position, m_params.window) + position : end;
            if (m_params.chunk > 0) seen.end = std::min(end, seen.begin + m_params.chunk);
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
        const size_t firstBlock = kvHead * dim / m_format.blockElems;
        const size_t skipped = kvHead * dim % m_format.blockElems;
        const size_t decoded =
            (skipped + dim + m_format.blockElems - 1) / m_format.blockElems * m_format.blockElems;
        row += firstBlock * m_format.blockBytes;
        for (uint32_t j = 0; j < count; ++j, row += rowBytes, out += dim) {
            if (m_format.id == quant::kF16) {
                m_kernels.fromHalves(row, out, dim);
            } else if (decoded == dim) {
                m_format.decodeRow(row, {out, dim});
            } else {
                m_format.decodeRow(row, {blocks, decoded});
                std::copy_n(blocks + skipped, dim, out);
            }
        }
    }

    /// Keys in blocks, turned, as floats.
    void expandTurned(const std::byte* block, float* keys) const {
        using kernels::TurnedBlock;
        for (size_t d = 0; d < m_keyDim; ++d) {
            const size_t inBlock = d % kernels::kActivationBlock;
            if (d > 0 && inBlock == 0) block += TurnedBlock::kBytes;
            const std::byte* numbers = block + TurnedBlock::kNumbersAt +
                                       inBlock / TurnedBlock::kGroup * TurnedBlock::kGroupBytes +
                                       inBlock % TurnedBlock::kGroup;
            for (size_t j = 0; j < kPageTokens; ++j)
                *keys++ = quant::halfAt(block + j * TurnedBlock::kScaleBytes) *
                          static_cast<float>(quant::signedByteAt(numbers + j * TurnedBlock::kGroup));
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

    /// Whether the queries of so many tokens read the cache's keys, or values, in place. For more than one,
    /// numbers are turned into floats once instead of for each; but keys in blocks are multiplied as they are
    /// by all or by none, for the same scores in prompts and answers.
    bool readKeysInPlace(uint32_t numRows) const {
        if (!m_layout.keysTurned) return false;
        return m_format.id == quant::kF16 ? numRows == 1 : m_format.id == quant::kF32 || m_kernels.round;
    }
    bool readValuesInPlace(uint32_t numRows) const {
        return m_layout.valueRowBytes > 0 && m_valueDim % m_format.blockElems == 0 &&
               (m_format.id == quant::kF32 || numRows == 1);
    }
    /// Of a head, in the cache.
    size_t storedBytes(size_t dim) const { return dim / m_format.blockElems * m_format.blockBytes; }

    /// One kv head's part of the page of keys from `at` on, in the cache.
    Page pageInPlace(const RunRows& run, uint32_t at, uint32_t kvHead) const {
        return {
            .keys = run.sequence->keyPage(m_params.layer, at) + kvHead * storedBytes(m_keyDim) * kPageTokens,
            .ofKeys = &m_stored,
            .values = run.sequence->valueRow(m_params.layer, at) + kvHead * storedBytes(m_valueDim),
            .valueRowBytes = m_layout.valueRowBytes,
            .ofValues = &m_stored};
    }

    /// The same, where it is not read in place as floats in `room`; its first `count` keys are wanted.
    Page pageOf(const RunRows& run, uint32_t at, uint32_t kvHead, uint32_t count, uint32_t numRows,
                float* room) const {
        Page page = pageInPlace(run, at, kvHead);
        float* keyRows = room;
        float* keys = keyRows + kPageTokens * m_keyDim;
        float* values = keys + kPageTokens * m_keyDim;
        float* blocks = values + kPageTokens * m_valueDim;
        if (!readKeysInPlace(numRows)) {
            if (m_layout.keysTurned && m_format.id == quant::kF16) {
                m_kernels.fromHalves(page.keys, keys, kPageTokens * m_keyDim);
            } else if (m_layout.keysTurned) {
                expandTurned(page.keys, keys);
            } else {
                expand(run.sequence->keyRow(m_params.layer, at), m_layout.keyRowBytes, kvHead, m_keyDim,
                       count, keyRows, blocks);
                m_kernels.transpose(keyRows, m_keyDim, keys);
            }
            page.keys = reinterpret_cast<const std::byte*>(keys);
            page.ofKeys = &m_kernels.floats;
        }
        if (!readValuesInPlace(numRows)) {
            const bool inKeys = m_layout.valueRowBytes == 0;  // their beginnings
            if (!inKeys)
                expand(run.sequence->valueRow(m_params.layer, at), m_layout.valueRowBytes, kvHead, m_valueDim,
                       count, values, blocks);
            page.values = reinterpret_cast<const std::byte*>(inKeys ? keyRows : values);
            page.valueRowBytes = (inKeys ? m_keyDim : m_valueDim) * sizeof(float);
            page.ofValues = &m_kernels.floats;
        }
        return page;
    }

    /// What is read after the page at hand, for the processor: values lie in rows of all kv heads, in which
    /// it does not see a stream.
    struct NextPage {
        kernels::ReadNext keys, values;
    };
    NextPage next(const RunRows& run, uint32_t at, uint32_t kvHead, uint32_t numRows) const {
        const Page page = pageInPlace(run, at, kvHead);
        NextPage next;
        if (readKeysInPlace(numRows))
            next.keys = {.first = page.keys, .count = 1, .bytes = storedBytes(m_keyDim) * kPageTokens};
        if (readValuesInPlace(numRows))
            next.values = {.first = page.values,
                           .stride = page.valueRowBytes,
                           .count = kPageTokens,
                           .bytes = storedBytes(m_valueDim)};
        return next;
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
        const bool rounded = m_stored.blockScores && readKeysInPlace(numRows);
        const size_t blocks = heads.count * m_keyDim / kernels::kActivationBlock;  // of a row
        auto* roundedQ = reinterpret_cast<kernels::ActivationBlock*>(reinterpret_cast<std::byte*>(room) +
                                                                     expandedBytes(m_params));
        for (uint32_t row = 0; rounded && row < numRows; ++row)
            m_kernels.round(q + row * width, heads.count * m_keyDim, roundedQ + row * blocks);
        for (uint32_t at = std::max(begin, all.begin / kPageTokens * kPageTokens);
             at < std::min(end, all.end); at += kPageTokens) {
            // Scores of keys that are not there are computed from whatever lies in the memory, and dropped.
            const uint32_t count = std::min(kPageTokens, all.end - at);
            const Page page = pageOf(*run, at, heads.kvHead, count, numRows, room);
            const uint32_t nextAt = at + kPageTokens;
            NextPage asked;
            if (nextAt < std::min(end, all.end)) asked = next(*run, nextAt, heads.kvHead, numRows);
            for (uint32_t row = 0; row < numRows; ++row) {
                if (row > 0) asked = {};
                const KeyRange seen = seenBy(*run, firstRow + row);
                const uint32_t first = std::max(seen.begin, at) - at;
                const uint32_t last = std::min(seen.end, at + kPageTokens);
                if (last <= at + first) continue;
                if (rounded)
                    page.ofKeys->blockScores(roundedQ + row * blocks, heads.count, page.keys, m_keyDim,
                                             m_params.scale, scores, asked.keys);
                else
                    page.ofKeys->scores(q + row * width, heads.count, page.keys, m_keyDim, m_params.scale,
                                        scores, asked.keys);
                for (uint32_t head = 0; head < heads.count; ++head)
                    adjust(scores + head * kPageTokens, run->firstPosition + firstRow + row, at,
                           heads.first + head);
                const size_t state = row * heads.count;
                page.ofValues->absorb(scores + first, heads.count,
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

    /// Rows of a block: as many as share a page well, but fewer where threads would have nothing to do.
    uint32_t blockRows(uint32_t maxRows) const {
        const size_t parts = m_context.runs.size() * numParts();
        const size_t wanted = 2 * size_t{m_context.threads.numThreads()};  // items of work
        const auto blocks = static_cast<uint32_t>((wanted + parts - 1) / parts);
        return std::clamp((maxRows + blocks - 1) / blocks, kFewestBlockRows, kBlockRows);
    }

    /// Queries in blocks; the splits of each one after the other.
    void runWhole() const {
        uint32_t maxRows = 0;
        for (const RunRows& run : m_context.runs) maxRows = std::max(maxRows, run.numRows);
        const uint32_t rowsOfBlock = blockRows(maxRows);
        const size_t blocks = (maxRows + rowsOfBlock - 1) / rowsOfBlock;
        const size_t items = m_context.runs.size() * blocks * numParts();
        m_context.threads.parallelFor(items, 1, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t item = begin; item < end; ++item) {
                const RunRows& run = m_context.runs[item / numParts() / blocks];
                // Late queries first: they see most keys, and a thread that starts one late makes others
                // wait.
                const auto block = static_cast<uint32_t>(blocks - 1 - item / numParts() % blocks);
                const uint32_t firstRow = block * rowsOfBlock;
                if (firstRow >= run.numRows) continue;
                attendBlock(
                    {&run, firstRow, std::min(rowsOfBlock, run.numRows - firstRow), part(item % numParts())},
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
    const quant::QuantFormat& m_format;  ///< of the cache
    const CpuMemoryPool::LayerLayout& m_layout;
    const FormKernels& m_stored;
};

class PreparedAttention final : public PreparedOp {
  public:
    PreparedAttention(const Op& op, const Preparation& preparation) : m_op(op) {
        const auto select = [&](kernels::KernelOp code) {
            return kernels::selectKernel(code, preparation.isa);
        };
        using kernels::KernelOp;
        m_kernels = {.transpose = select(KernelOp::TransposeKeys).transposeKeys,
                     .floats = {.scores = select(KernelOp::AttentionScores).attentionScores,
                                .blockScores = nullptr,
                                .absorb = select(KernelOp::AbsorbPage).absorbPage},
                     .halves = {.scores = select(KernelOp::AttentionScoresOfHalves).attentionScores,
                                .blockScores = nullptr,
                                .absorb = select(KernelOp::AbsorbPageOfHalves).absorbPage},
                     .blocks = {.scores = nullptr,
                                .blockScores = select(KernelOp::AttentionScoresOfBlocks).blockScores,
                                .absorb = select(KernelOp::AbsorbPageOfBlocks).absorbPage},
                     .fromHalves = select(KernelOp::FromHalves).fromHalves,
                     .round = preparation.activations == ActivationType::F32
                                  ? nullptr
                                  : select(KernelOp::RoundActivations).roundActivations,
                     .tanh = select(KernelOp::Tanh).map};
    }
    void run(const StepContext& context) override { Attention(m_op, m_kernels, context).run(); }

  private:
    const Op& m_op;
    Kernels m_kernels{};
};

}  // namespace

extern const CpuOp op{OpCode::Attention, prepared<PreparedAttention>, Attention::scratch};

}  // namespace ingle::backend::cpu::attention_op
