// Attention over a page: a lane is a key for the scores, a dimension for the values. What each function does
// is said in engine/kernels/ref/attention.h.
#include "engine/kernels/simd/exp.h"

namespace ingle::kernels::INGLE_ISA::attention {
namespace {

/// Numbers of a cache: those from number i of a row on, and some of these where the row ends.
struct F32 {
    static constexpr size_t kBytes = 4;
    static Floats load(const std::byte* row, size_t i) { return asFloats(loadInts(row + i * kBytes)); }
    static Floats loadSome(const std::byte* row, size_t i, uint32_t count) {
        return loadPart(reinterpret_cast<const float*>(row) + i, count);
    }
};
struct F16 {
    static constexpr size_t kBytes = 2;
    static Floats load(const std::byte* row, size_t i) { return loadHalves(row + i * kBytes); }
    static Floats loadSome(const std::byte* row, size_t i, uint32_t count) {
        std::byte some[kLanes * kBytes] = {};
        __builtin_memcpy(some, row + i * kBytes, count * kBytes);
        return loadHalves(some);
    }
};
/// Blocks of 32. The vectors of a row begin at multiples of kLanes.
struct BlocksOfQ8 {
    static Floats load(const std::byte* row, size_t i) {
        const std::byte* block = row + i / kActivationBlock * TurnedBlock::kRowBytes;
        const Ints numbers = loadSignedBytes(block + TurnedBlock::kScaleBytes + i % kActivationBlock);
        return multiply(broadcastHalf(block), toFloats(numbers));
    }
    /// Not called: rows are whole blocks.
    static Floats loadSome(const std::byte* /*row*/, size_t /*i*/, uint32_t /*count*/) {
        return zeroFloats();
    }
};

/// Queries that share each vector that is loaded, and vectors of each. They are summed side by side, and
/// where these sums are few, even and odd terms by themselves: so the latency of an addition is hidden, and
/// the sums fit the registers.
constexpr uint32_t kTileQueries = kLanes == 16 ? 8 : 4;
constexpr uint32_t kMostSums = kLanes == 16 ? 16 : 8;
template <uint32_t kQueries>
constexpr uint32_t kTileVectorsOf = kQueries == 1  ? 4
                                    : kLanes == 16 ? 2
                                                   : 1;
template <uint32_t kQueries, uint32_t kVectors>
constexpr uint32_t kSumsOfEach = 2 * (kQueries * kVectors) <= kMostSums ? 2 : 1;
/// Queries of a tile whose sums are of integers and of floats, both at once.
constexpr uint32_t kBlockTileQueries = 4;

/// Asks for memory a few lines at a time. All at once would take the buffers that the loads of the
/// computation beside it need, and one would wait for the other.
class Requests {
  public:
    /// In so many calls of askForSome().
    Requests(const ReadNext& next, size_t calls)
        : m_next(next), m_lines((next.bytes + kLine - 1) / kLine), m_some(next.count * m_lines / calls + 1) {}
    void askForSome() {
        for (size_t i = 0; i < m_some && m_piece < m_next.count; ++i) {
            __builtin_prefetch(m_next.first + m_piece * m_next.stride + m_line * kLine, 0, 2);
            if (++m_line < m_lines) continue;
            m_line = 0;
            ++m_piece;
        }
    }

  private:
    static constexpr size_t kLine = 64;
    const ReadNext& m_next;
    size_t m_lines;  ///< of a piece
    size_t m_some;
    size_t m_piece = 0;
    size_t m_line = 0;
};

/// Calls body.template operator()<Q>(first query) until all are done.
template <uint32_t Q, typename Body>
void forQueries(uint32_t numQueries, Body body, uint32_t first = 0) {
    for (; first + Q <= numQueries; first += Q) body.template operator()<Q>(first);
    if constexpr (Q > 1) {
        if (first < numQueries) forQueries<(Q > 4 ? 4 : Q - 1)>(numQueries, body, first);
    }
}

void transposeKeys(const float* rows, size_t headDim, float* keys) noexcept {
    const size_t whole = headDim / 4 * 4;
    for (uint32_t first = 0; first < kAttentionKeys; first += kLanes) {
        const Rows keyRows(reinterpret_cast<const std::byte*>(rows + first * headDim),
                           headDim * sizeof(float));
        for (size_t d = 0; d < whole; d += 4) {
            Ints column[4];
            loadColumn(keyRows, d * sizeof(float), column);
            for (size_t i = 0; i < 4; ++i)
                store(keys + (d + i) * kAttentionKeys + first, asFloats(column[i]));
        }
    }
    for (size_t d = whole; d < headDim; ++d) {
        for (size_t j = 0; j < kAttentionKeys; ++j) keys[d * kAttentionKeys + j] = rows[j * headDim + d];
    }
}

/// Scores of Q queries with N vectors of keys.
template <typename Element, uint32_t Q, uint32_t N>
void scoreKeys(const float* q, const std::byte* keys, size_t headDim, float scale, float* scores) {
    constexpr uint32_t kSums = kSumsOfEach<Q, N>;
    Floats sums[kSums][Q][N];
    for (auto& part : sums) {
        for (auto& ofQuery : part) {
            for (Floats& sum : ofQuery) sum = zeroFloats();
        }
    }
    const auto addDimension = [&](size_t d, Floats(&sum)[Q][N]) {
        Floats key[N];
        for (uint32_t n = 0; n < N; ++n) key[n] = Element::load(keys, d * kAttentionKeys + n * kLanes);
        for (uint32_t i = 0; i < Q; ++i) {
            const Floats factor = broadcast(q[i * headDim + d]);
            for (uint32_t n = 0; n < N; ++n) sum[i][n] = fma(factor, key[n], sum[i][n]);
        }
    };
    for (size_t d = 0; d + 1 < headDim; d += 2) {
        addDimension(d, sums[0]);
        addDimension(d + 1, sums[kSums - 1]);
    }
    if (headDim % 2 == 1) addDimension(headDim - 1, sums[0]);
    for (uint32_t i = 0; i < Q; ++i) {
        for (uint32_t n = 0; n < N; ++n) {
            const Floats sum = kSums == 2 ? add(sums[0][i][n], sums[1][i][n]) : sums[0][i][n];
            store(scores + i * kAttentionKeys + n * kLanes, multiply(sum, broadcast(scale)));
        }
    }
}

template <typename Element>
void attentionScores(const float* q, uint32_t numQueries, const std::byte* keys, size_t headDim, float scale,
                     float* scores, const ReadNext& next) noexcept {
    constexpr uint32_t kBlocks = kAttentionKeys / (kTileVectorsOf<kTileQueries> * kLanes);
    Requests requests(next, (numQueries + kTileQueries - 1) / kTileQueries * kBlocks);
    forQueries<kTileQueries>(numQueries, [&]<uint32_t Q>(uint32_t first) {
        constexpr uint32_t kVectors = kTileVectorsOf<Q>;
        for (uint32_t key = 0; key < kAttentionKeys; key += kVectors * kLanes) {
            requests.askForSome();
            scoreKeys<Element, Q, kVectors>(q + first * headDim, keys + key * Element::kBytes, headDim, scale,
                                            scores + first * kAttentionKeys + key);
        }
    });
}

/// Scores of Q rounded queries with N vectors of keys in blocks.
template <uint32_t Q, uint32_t N>
void scoreBlocks(const ActivationBlock* q, const std::byte* keys, size_t first, size_t numBlocks, float scale,
                 float* scores) {
    Floats sums[Q][N];
    for (auto& ofQuery : sums) {
        for (Floats& sum : ofQuery) sum = zeroFloats();
    }
    for (size_t b = 0; b < numBlocks; ++b, keys += TurnedBlock::kBytes) {
        // Of unsigned bytes, 128 more than the numbers.
        Dots<255> dots[Q][N];
        for (uint32_t i = 0; i < Q; ++i) {
            for (Dots<255>& dot : dots[i]) dot = {broadcastInt(q[i * numBlocks + b].minusSum * 128)};
        }
        const std::byte* numbers = keys + TurnedBlock::kNumbersAt + first * TurnedBlock::kGroup;
        for (size_t group = 0; group < TurnedBlock::kGroups; ++group, numbers += TurnedBlock::kGroupBytes) {
            Ints key[N];
            for (uint32_t n = 0; n < N; ++n)
                key[n] = bitXor(loadInts(numbers + n * kLanes * TurnedBlock::kGroup), bytes(0x80));
            for (uint32_t i = 0; i < Q; ++i) {
                const Ints factors = broadcastBytes(q[i * numBlocks + b].q + group * TurnedBlock::kGroup);
                for (uint32_t n = 0; n < N; ++n) dots[i][n].step(key[n], factors);
            }
        }
        for (uint32_t n = 0; n < N; ++n) {
            const Floats keyScales = loadHalves(keys + (first + n * kLanes) * TurnedBlock::kScaleBytes);
            for (uint32_t i = 0; i < Q; ++i) {
                dots[i][n].settle();
                const Floats factor = multiply(keyScales, broadcast(q[i * numBlocks + b].scale));
                sums[i][n] = fma(factor, toFloats(dots[i][n].sums), sums[i][n]);
            }
        }
    }
    for (uint32_t i = 0; i < Q; ++i) {
        for (uint32_t n = 0; n < N; ++n)
            store(scores + i * kAttentionKeys + n * kLanes, multiply(sums[i][n], broadcast(scale)));
    }
}

void blockScores(const ActivationBlock* q, uint32_t numQueries, const std::byte* keys, size_t headDim,
                 float scale, float* scores, const ReadNext& next) noexcept {
    static_assert(Dots<255>::kSteps >= TurnedBlock::kGroups);
    const size_t numBlocks = headDim / kActivationBlock;
    constexpr uint32_t kVectors = kTileVectorsOf<kBlockTileQueries>;
    Requests requests(next, (numQueries + kBlockTileQueries - 1) / kBlockTileQueries * kAttentionKeys /
                                (kVectors * kLanes));
    forQueries<kBlockTileQueries>(numQueries, [&]<uint32_t Q>(uint32_t first) {
        for (uint32_t key = 0; key < kAttentionKeys; key += kVectors * kLanes) {
            requests.askForSome();
            scoreBlocks<Q, kVectors>(q + first * numBlocks, keys, key, numBlocks, scale,
                                     scores + first * kAttentionKeys + key);
        }
    });
}

/// The weights of one page for Q queries: exp(score - maximum). `shrink` is what is left of what each query
/// gathered before.
template <uint32_t Q>
void weigh(const float* scores, uint32_t count, OnlineSoftmax* softmax, float* weights, float* shrink) {
    static_assert(Q <= kLanes);
    constexpr uint32_t kAll = kAttentionKeys / kLanes;
    const Floats none = broadcast(-__builtin_inff());
    const auto wanted = [&](uint32_t v) {
        const uint32_t first = v * kLanes;
        return count <= first ? 0 : count - first < kLanes ? count - first : kLanes;
    };
    alignas(64) float grown[kLanes] = {};  // by how much each maximum
    for (uint32_t i = 0; i < Q; ++i) {
        Floats largest = broadcast(softmax[i].max);
        for (uint32_t v = 0; v < kAll; ++v)
            largest =
                max(largest, keepLanes(load(scores + i * kAttentionKeys + v * kLanes), wanted(v), none));
        const float newMax = largestLane(largest);
        grown[i] = softmax[i].max - newMax;
        softmax[i].max = newMax;
    }
    alignas(64) float left[kLanes];
    store(left, exp(load(grown)));
    for (uint32_t i = 0; i < Q; ++i) {
        const Floats newMax = broadcast(softmax[i].max);
        Floats sum = zeroFloats();
        for (uint32_t v = 0; v < kAll; ++v) {
            const Floats weight = exp(subtract(load(scores + i * kAttentionKeys + v * kLanes), newMax));
            const Floats kept = keepLanes(weight, wanted(v), zeroFloats());
            store(weights + i * kAttentionKeys + v * kLanes, kept);
            sum = add(sum, kept);
        }
        shrink[i] = left[i];
        softmax[i].sum = softmax[i].sum * left[i] + sumOfLanes(sum);
    }
}

/// acc = acc * shrink + sum over j of weights[j] * values[j], for Q queries and N vectors of dimensions, of
/// which number `first` is the first one.
template <typename Element, uint32_t Q, uint32_t N>
void addValues(const float* weights, const std::byte* values, size_t first, size_t rowBytes, uint32_t count,
               const float* shrink, float* acc, size_t headDim) {
    constexpr uint32_t kSums = kSumsOfEach<Q, N>;
    Floats sums[kSums][Q][N];
    for (uint32_t i = 0; i < Q; ++i) {
        for (uint32_t n = 0; n < N; ++n) {
            sums[kSums - 1][i][n] = zeroFloats();
            sums[0][i][n] = multiply(load(acc + i * headDim + n * kLanes), broadcast(shrink[i]));
        }
    }
    const auto addKey = [&](uint32_t j, Floats(&sum)[Q][N]) {
        Floats value[N];
        for (uint32_t n = 0; n < N; ++n) value[n] = Element::load(values + j * rowBytes, first + n * kLanes);
        for (uint32_t i = 0; i < Q; ++i) {
            const Floats weight = broadcast(weights[i * kAttentionKeys + j]);
            for (uint32_t n = 0; n < N; ++n) sum[i][n] = fma(weight, value[n], sum[i][n]);
        }
    };
    for (uint32_t j = 0; j + 1 < count; j += 2) {
        addKey(j, sums[0]);
        addKey(j + 1, sums[kSums - 1]);
    }
    if (count % 2 == 1) addKey(count - 1, sums[0]);
    for (uint32_t i = 0; i < Q; ++i) {
        for (uint32_t n = 0; n < N; ++n)
            store(acc + i * headDim + n * kLanes,
                  kSums == 2 ? add(sums[0][i][n], sums[1][i][n]) : sums[0][i][n]);
    }
}

/// The same of the last dimensions, fewer than a vector.
template <typename Element, uint32_t Q>
void addLastValues(const float* weights, const PageValues& values, size_t first, uint32_t lanes,
                   const float* shrink, float* acc, size_t headDim) {
    Floats sums[Q];
    for (uint32_t i = 0; i < Q; ++i)
        sums[i] = multiply(loadPart(acc + i * headDim, lanes), broadcast(shrink[i]));
    for (uint32_t j = 0; j < values.count; ++j) {
        const Floats value = Element::loadSome(values.rows + j * values.rowBytes, first, lanes);
        for (uint32_t i = 0; i < Q; ++i)
            sums[i] = fma(broadcast(weights[i * kAttentionKeys + j]), value, sums[i]);
    }
    for (uint32_t i = 0; i < Q; ++i) storeLanes(acc + i * headDim, sums[i], 0, lanes);
}

template <typename Element>
void absorbPage(const float* scores, uint32_t numQueries, const PageValues& values, size_t headDim,
                OnlineSoftmax* softmax, float* acc, const ReadNext& next) noexcept {
    const size_t blocks = headDim / (kTileVectorsOf<kTileQueries> * kLanes) + 1;
    Requests requests(next, (numQueries + kTileQueries - 1) / kTileQueries * blocks);
    forQueries<kTileQueries>(numQueries, [&]<uint32_t Q>(uint32_t first) {
        alignas(64) float weights[Q * kAttentionKeys];
        float shrink[Q];
        weigh<Q>(scores + first * kAttentionKeys, values.count, softmax + first, weights, shrink);
        float* const sums = acc + first * headDim;
        const auto vectors = [&]<uint32_t N>(size_t d) {
            requests.askForSome();
            addValues<Element, Q, N>(weights, values.rows, d, values.rowBytes, values.count, shrink, sums + d,
                                     headDim);
        };
        constexpr uint32_t kVectors = kTileVectorsOf<Q>;
        size_t d = 0;
        for (; d + kVectors * kLanes <= headDim; d += kVectors * kLanes)
            vectors.template operator()<kVectors>(d);
        for (; d + kLanes <= headDim; d += kLanes) vectors.template operator()<1>(d);
        if (d < headDim)
            addLastValues<Element, Q>(weights, values, d, static_cast<uint32_t>(headDim - d), shrink,
                                      sums + d, headDim);
    });
}

constexpr KernelEntry kEntries[] = {
    {.op = KernelOp::TransposeKeys, .isa = kIsa, .fn = {.transposeKeys = transposeKeys}},
    {.op = KernelOp::AttentionScores, .isa = kIsa, .fn = {.attentionScores = attentionScores<F32>}},
    {.op = KernelOp::AttentionScoresOfHalves, .isa = kIsa, .fn = {.attentionScores = attentionScores<F16>}},
    {.op = KernelOp::AttentionScoresOfBlocks, .isa = kIsa, .fn = {.blockScores = blockScores}},
    {.op = KernelOp::AbsorbPage, .isa = kIsa, .fn = {.absorbPage = absorbPage<F32>}},
    {.op = KernelOp::AbsorbPageOfHalves, .isa = kIsa, .fn = {.absorbPage = absorbPage<F16>}},
    {.op = KernelOp::AbsorbPageOfBlocks, .isa = kIsa, .fn = {.absorbPage = absorbPage<BlocksOfQ8>}},
};

}  // namespace

extern const KernelList list = {kEntries, 7};

}  // namespace ingle::kernels::INGLE_ISA::attention
