// Attention over a page: a lane is a key for the scores, a dimension for the values. What each function does
// is said in engine/kernels/ref/attention.h.
#include "engine/kernels/simd/exp.h"

namespace ingle::kernels::INGLE_ISA::attention {
namespace {

/// Vectors that are summed side by side, and twice (for even and odd terms), so that the latency of an
/// addition is hidden.
constexpr uint32_t kVectors = 4;

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

void attentionScores(const float* q, const float* keys, size_t headDim, float scale, float* scores) noexcept {
    for (uint32_t first = 0; first < kAttentionKeys; first += kVectors * kLanes) {
        Floats sums[2][kVectors];
        for (uint32_t v = 0; v < kVectors; ++v) sums[0][v] = sums[1][v] = zeroFloats();
        const auto addDimension = [&](size_t d, Floats(&sum)[kVectors]) {
            const Floats factor = broadcast(q[d]);
            for (uint32_t v = 0; v < kVectors; ++v)
                sum[v] = fma(factor, load(keys + d * kAttentionKeys + first + v * kLanes), sum[v]);
        };
        for (size_t d = 0; d + 1 < headDim; d += 2) {
            addDimension(d, sums[0]);
            addDimension(d + 1, sums[1]);
        }
        if (headDim % 2 == 1) addDimension(headDim - 1, sums[0]);
        for (uint32_t v = 0; v < kVectors; ++v)
            store(scores + first + v * kLanes, multiply(add(sums[0][v], sums[1][v]), broadcast(scale)));
    }
}

/// acc = acc * shrink + sum over j of weights[j] * values[j], for N vectors of dimensions.
template <uint32_t N>
void addValues(const float* weights, const float* values, uint32_t count, size_t headDim, Floats shrink,
               float* acc) {
    Floats even[N];
    Floats odd[N];
    for (uint32_t v = 0; v < N; ++v) {
        even[v] = multiply(load(acc + v * kLanes), shrink);
        odd[v] = zeroFloats();
    }
    const auto addKey = [&](uint32_t j, Floats(&sum)[N]) {
        const Floats weight = broadcast(weights[j]);
        for (uint32_t v = 0; v < N; ++v)
            sum[v] = fma(weight, load(values + j * headDim + v * kLanes), sum[v]);
    };
    for (uint32_t j = 0; j + 1 < count; j += 2) {
        addKey(j, even);
        addKey(j + 1, odd);
    }
    if (count % 2 == 1) addKey(count - 1, even);
    for (uint32_t v = 0; v < N; ++v) store(acc + v * kLanes, add(even[v], odd[v]));
}

void absorbPage(const float* scores, const float* values, uint32_t count, size_t headDim,
                OnlineSoftmax& softmax, float* acc) noexcept {
    constexpr uint32_t kAll = kAttentionKeys / kLanes;
    const Floats none = broadcast(-__builtin_inff());
    const auto wanted = [&](uint32_t v) {
        const uint32_t first = v * kLanes;
        return count <= first ? 0 : count - first < kLanes ? count - first : kLanes;
    };
    Floats largest = broadcast(softmax.max);
    for (uint32_t v = 0; v < kAll; ++v)
        largest = max(largest, keepLanes(load(scores + v * kLanes), wanted(v), none));
    const Floats newMax = broadcast(largestLane(largest));
    const Floats shrink = exp(subtract(broadcast(softmax.max), newMax));

    alignas(64) float weights[kAttentionKeys];
    Floats sum = zeroFloats();
    for (uint32_t v = 0; v < kAll; ++v) {
        const Floats weight = exp(subtract(load(scores + v * kLanes), newMax));
        const Floats kept = keepLanes(weight, wanted(v), zeroFloats());
        store(weights + v * kLanes, kept);
        sum = add(sum, kept);
    }
    const float factor = firstLane(shrink);
    softmax.max = firstLane(newMax);
    softmax.sum = softmax.sum * factor + sumOfLanes(sum);

    size_t d = 0;
    for (; d + kVectors * kLanes <= headDim; d += kVectors * kLanes)
        addValues<kVectors>(weights, values + d, count, headDim, shrink, acc + d);
    for (; d + kLanes <= headDim; d += kLanes)
        addValues<1>(weights, values + d, count, headDim, shrink, acc + d);
    for (; d < headDim; ++d) {
        float total = acc[d] * factor;
        for (uint32_t j = 0; j < count; ++j) total += weights[j] * values[j * headDim + d];
        acc[d] = total;
    }
}

constexpr KernelEntry kEntries[] = {
    {.op = KernelOp::TransposeKeys, .isa = kIsa, .fn = {.transposeKeys = transposeKeys}},
    {.op = KernelOp::AttentionScores, .isa = kIsa, .fn = {.attentionScores = attentionScores}},
    {.op = KernelOp::AbsorbPage, .isa = kIsa, .fn = {.absorbPage = absorbPage}},
};

}  // namespace

extern const KernelList list = {kEntries, 3};

}  // namespace ingle::kernels::INGLE_ISA::attention
