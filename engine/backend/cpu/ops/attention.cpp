// Pages are walked in order, and each query takes in a page's visible keys at once; what the queries gather
// over kSplitKeys keys is merged in order. So the order of additions depends on positions only, not on how
// the prompt was cut into chunks, nor on which thread did what.
#include <algorithm>

#include "engine/backend/cpu/cpu_op.h"
#include "engine/kernels/ref/attention.h"

namespace ingle::backend::cpu {
namespace {

using kernels::OnlineSoftmax;

/// Keys that are gathered by themselves, so that threads can share one long sequence: enough that a merge
/// costs nothing beside them.
constexpr uint32_t kSplitKeys = 8 * kPageTokens;
/// Queries of different tokens that a thread takes at a time: enough that unpacking a page costs little.
constexpr uint32_t kBlockRows = 16;
/// Splits of one token's attention that may be computed at once (16 k keys).
constexpr uint32_t kMaxParallelSplits = 32;
static_assert(kernels::kAttentionKeys == kPageTokens);

/// The queries of `numRows` consecutive tokens whose heads read one kv head.
struct Queries {
    const RunRows* run;
    uint32_t firstRow;  ///< of the run
    uint32_t numRows;
    uint32_t kvHead;
};

struct Kernels {
    kernels::TransposeKeysFn transpose;
    kernels::AttentionScoresFn scores;
    kernels::AbsorbPageFn absorb;
    kernels::FromHalvesFn fromHalves;
};

class Attention {
  public:
    Attention(const Op& op, const Kernels& kernels, const StepContext& context)
        : m_op(op),
          m_kernels(kernels),
          m_context(context),
          m_params(std::get<AttentionParams>(op.params)),
          m_dim(m_params.headDim),
          m_group(m_params.numHeads / m_params.numKvHeads),
          m_width(op.inputs[0].width) {}

    void run() const {
        const RunRows& first = m_context.runs[0];
        const uint32_t splits = (first.firstPosition + first.numRows + kSplitKeys - 1) / kSplitKeys;
        const bool few = m_params.numKvHeads < 2 * m_context.threads.numThreads();
        if (m_context.runs.size() == 1 && first.numRows == 1 && few && splits > 1 &&
            splits <= kMaxParallelSplits) {
            runSplits(first, splits);
        } else {
            runWhole();
        }
    }

    static Scratch scratch(const Op& op, const Plan& plan) {
        const auto& params = std::get<AttentionParams>(op.params);
        const size_t group = params.numHeads / params.numKvHeads;
        const size_t state = params.headDim * sizeof(float) + sizeof(OnlineSoftmax);
        const size_t rows = std::min(kBlockRows, plan.maxTokens);
        return {.sharedBytes = kMaxParallelSplits * params.numHeads * state,
                .threadBytes = pageBytes(params.headDim) + 2 * rows * group * state};
    }

  private:
    /// A page of keys in rows and turned, and of values; and the blocks of the cache that hold a row of them.
    static size_t pageBytes(size_t headDim) {
        return (3 * kPageTokens * headDim + headDim + 2 * kLargestBlock) * sizeof(float);
    }

    /// Softmax states and their accumulators.
    struct States {
        OnlineSoftmax* softmax;
        float* acc;  ///< [count, headDim]

        States(std::byte* memory, size_t count)
            : softmax(reinterpret_cast<OnlineSoftmax*>(memory)),
              acc(reinterpret_cast<float*>(softmax + count)) {}
        void clear(size_t count, size_t dim) const {
            std::fill_n(softmax, count, OnlineSoftmax{});
            std::fill_n(acc, count * dim, 0.0F);
        }
    };

    /// One kv head's slice of a page's first `count` rows as floats.
    /// `blocks` is room for a row's blocks: a head may begin and end inside one.
    void expand(const std::byte* row, size_t rowBytes, size_t kvHead, uint32_t count, float* out,
                float* blocks) const {
        const quant::QuantFormat& format = m_context.memory.kvFormat();
        const size_t firstBlock = kvHead * m_dim / format.blockElems;
        const size_t skipped = kvHead * m_dim % format.blockElems;
        const size_t decoded =
            (skipped + m_dim + format.blockElems - 1) / format.blockElems * format.blockElems;
        row += firstBlock * format.blockBytes;
        for (uint32_t j = 0; j < count; ++j, row += rowBytes, out += m_dim) {
            if (format.id == quant::kF16) {
                m_kernels.fromHalves(row, out, m_dim);
            } else if (decoded == m_dim) {
                format.decodeRow(row, {out, m_dim});
            } else {
                format.decodeRow(row, {blocks, decoded});
                std::copy_n(blocks + skipped, m_dim, out);
            }
        }
    }

    /// Lets each query take in its visible keys of [begin, end), whole pages. `states` has one entry per row
    /// and head.
    void gather(const Queries& queries, uint32_t begin, uint32_t end, const States& states,
                float* page) const {
        float* keyRows = page;
        float* keys = keyRows + kPageTokens * m_dim;
        float* values = keys + kPageTokens * m_dim;
        float* blocks = values + kPageTokens * m_dim;
        const auto& layout = m_context.memory.layout(m_params.layer);
        const uint32_t firstPosition = queries.run->firstPosition + queries.firstRow;
        const uint32_t numKeys = firstPosition + queries.numRows;
        const float* q = m_context.rows(m_op.inputs[0]) +
                         (queries.run->firstRow + queries.firstRow) * m_width +
                         queries.kvHead * m_group * m_dim;
        for (uint32_t at = begin; at < std::min(end, numKeys); at += kPageTokens) {
            // Scores of rows that are not there are computed from whatever lies in the scratch memory, and
            // dropped.
            const uint32_t count = std::min(kPageTokens, numKeys - at);
            expand(queries.run->sequence->keyRow(m_params.layer, at), layout.keyRowBytes, queries.kvHead,
                   count, keyRows, blocks);
            expand(queries.run->sequence->valueRow(m_params.layer, at), layout.valueRowBytes, queries.kvHead,
                   count, values, blocks);
            m_kernels.transpose(keyRows, m_dim, keys);
            for (uint32_t row = 0; row < queries.numRows; ++row) {
                const uint32_t position = firstPosition + row;
                if (position < at) continue;
                const uint32_t visible = std::min(kPageTokens, position - at + 1);
                for (size_t head = 0; head < m_group; ++head) {
                    alignas(64) float scores[kPageTokens];
                    const size_t state = row * m_group + head;
                    m_kernels.scores(q + row * m_width + head * m_dim, keys, m_dim, m_params.scale, scores);
                    m_kernels.absorb(scores, values, visible, m_dim, states.softmax[state],
                             states.acc + state * m_dim);
                }
            }
        }
    }

    void finish(const OnlineSoftmax& softmax, const float* acc, size_t row, size_t head) const {
        float* y = m_context.rows(m_op.outputs[0]) + row * m_width + head * m_dim;
        const float inverse = 1.0F / softmax.sum;
        for (size_t d = 0; d < m_dim; ++d) y[d] = acc[d] * inverse;
    }

    /// Queries in blocks; the splits of each one after the other.
    void runWhole() const {
        uint32_t maxRows = 0;
        for (const RunRows& run : m_context.runs) maxRows = std::max(maxRows, run.numRows);
        const size_t blocks = (maxRows + kBlockRows - 1) / kBlockRows;
        const size_t items = m_context.runs.size() * blocks * m_params.numKvHeads;
        m_context.threads.parallelFor(items, 1, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t item = begin; item < end; ++item) {
                const RunRows& run = m_context.runs[item / m_params.numKvHeads / blocks];
                // Late queries first: they see most keys, and a thread that starts one late makes others
                // wait.
                const auto block = static_cast<uint32_t>(blocks - 1 - item / m_params.numKvHeads % blocks);
                const uint32_t firstRow = block * kBlockRows;
                if (firstRow >= run.numRows) continue;
                attendBlock({&run, firstRow, std::min(kBlockRows, run.numRows - firstRow),
                             static_cast<uint32_t>(item % m_params.numKvHeads)},
                            m_context.threadFloats(thread));
            }
        });
    }

    void attendBlock(const Queries& queries, float* page) const {
        const size_t count = queries.numRows * m_group;
        auto* memory = reinterpret_cast<std::byte*>(page) + pageBytes(m_dim);
        const States total(memory, count);
        const States split(memory + count * (m_dim * sizeof(float) + sizeof(OnlineSoftmax)), count);
        total.clear(count, m_dim);
        const uint32_t numKeys = queries.run->firstPosition + queries.firstRow + queries.numRows;
        for (uint32_t begin = 0; begin < numKeys; begin += kSplitKeys) {
            split.clear(count, m_dim);
            gather(queries, begin, begin + kSplitKeys, split, page);
            for (size_t i = 0; i < count; ++i) {
                // A query before the split saw none of its keys.
                if (split.softmax[i].sum == 0) continue;
                kernels::mergeSoftmaxRef(split.softmax[i], split.acc + i * m_dim, m_dim, total.softmax[i],
                                         total.acc + i * m_dim);
            }
        }
        for (size_t i = 0; i < count; ++i) {
            finish(total.softmax[i], total.acc + i * m_dim,
                   queries.run->firstRow + queries.firstRow + i / m_group,
                   queries.kvHead * m_group + i % m_group);
        }
    }

    /// One token's attention, the splits of a kv head computed side by side.
    void runSplits(const RunRows& run, uint32_t splits) const {
        const size_t heads = m_params.numHeads;
        const size_t stateBytes = m_dim * sizeof(float) + sizeof(OnlineSoftmax);
        const auto statesOf = [&](size_t split, size_t kvHead) {
            return States(m_context.sharedScratch + (split * heads + kvHead * m_group) * stateBytes, m_group);
        };
        const size_t items = size_t{splits} * m_params.numKvHeads;
        m_context.threads.parallelFor(items, 1, [&](size_t begin, size_t end, uint32_t thread) {
            for (size_t item = begin; item < end; ++item) {
                const auto kvHead = static_cast<uint32_t>(item % m_params.numKvHeads);
                const auto split = static_cast<uint32_t>(item / m_params.numKvHeads);
                const States states = statesOf(split, kvHead);
                states.clear(m_group, m_dim);
                gather({&run, 0, 1, kvHead}, split * kSplitKeys, (split + 1) * kSplitKeys, states,
                       m_context.threadFloats(thread));
            }
        });
        auto* acc = m_context.threadFloats(0);
        for (size_t head = 0; head < heads; ++head) {
            OnlineSoftmax total;
            std::fill_n(acc, m_dim, 0.0F);
            for (size_t split = 0; split < splits; ++split) {
                const States states = statesOf(split, head / m_group);
                kernels::mergeSoftmaxRef(states.softmax[head % m_group], states.acc + head % m_group * m_dim,
                                         m_dim, total, acc);
            }
            finish(total, acc, run.firstRow, head);
        }
    }

    const Op& m_op;
    const Kernels& m_kernels;
    const StepContext& m_context;
    const AttentionParams& m_params;
    size_t m_dim;
    size_t m_group;  ///< query heads that read one kv head
    size_t m_width;
};

class PreparedAttention final : public PreparedOp {
  public:
    PreparedAttention(const Op& op, const Preparation& preparation) : m_op(op) {
        const auto select = [&](kernels::KernelOp code) {
            return kernels::selectKernel(code, preparation.isa);
        };
        m_kernels = {.transpose = select(kernels::KernelOp::TransposeKeys).transposeKeys,
                     .scores = select(kernels::KernelOp::AttentionScores).attentionScores,
                     .absorb = select(kernels::KernelOp::AbsorbPage).absorbPage,
                     .fromHalves = select(kernels::KernelOp::FromHalves).fromHalves};
    }
    void run(const StepContext& context) override { Attention(m_op, m_kernels, context).run(); }

  private:
    const Op& m_op;
    Kernels m_kernels{};
};

}  // namespace

extern const CpuOp attention_op;
const CpuOp attention_op{OpCode::Attention, prepared<PreparedAttention>, Attention::scratch};

}  // namespace ingle::backend::cpu
