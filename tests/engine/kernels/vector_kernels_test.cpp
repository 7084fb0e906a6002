/// Kernels of vectors (all but matmuls): each instruction set against double precision, whatever the length
/// and the place of a value in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "engine/base/cpu_features.h"
#include "engine/kernels/ref/attention.h"
#include "engine/kernels/select.h"
#include "engine/quant/block.h"

namespace ingle::kernels {
namespace {

constexpr size_t kLengths[] = {1, 3, 8, 16, 31, 64, 100};

std::vector<float> gaussian(size_t count, uint32_t seed, float size = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, size);
    std::vector<float> values(count);
    for (float& value : values) value = normal(random);
    return values;
}

/// The entries of an op that this processor can run.
std::vector<KernelEntry> entriesOf(KernelOp op) {
    std::vector<KernelEntry> found;
    for (const KernelEntry& entry : allKernels()) {
        if (entry.op == op && base::isaSupported(entry.isa)) found.push_back(entry);
    }
    EXPECT_FALSE(found.empty());
    return found;
}

double largestError(const std::vector<float>& actual, const std::vector<double>& expected) {
    double worst = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        // Relative where it is larger than 1.
        const double error = std::abs(actual[i] - expected[i]) / std::max(1.0, std::abs(expected[i]));
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    return worst;
}

constexpr double kVectorTolerance = 2e-6;

TEST(VectorKernels, activationFunctions) {
    struct Case {
        KernelOp op;
        double (*f)(double);
    };
    const Case cases[] = {
        {KernelOp::Silu, [](double x) { return x / (1 + std::exp(-x)); }},
        {KernelOp::Sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
        {KernelOp::SquaredRelu, [](double x) { return x > 0 ? x * x : 0; }},
        {KernelOp::Tanh, [](double x) { return std::tanh(x); }},
        {KernelOp::Decay, [](double x) { return std::exp(-std::exp(x)); }},
        {KernelOp::BoundedDecay, [](double x) { return std::exp(-std::exp(-0.5) / (1 + std::exp(-x))); }},
        {KernelOp::Gelu,
         [](double x) { return x / (1 + std::exp(-std::sqrt(8 / M_PI) * (x + 0.044715 * x * x * x))); }},
        {KernelOp::GeluQuick, [](double x) { return x / (1 + std::exp(-1.702 * x)); }},
        {KernelOp::GeluErf, [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2)); }},
        {KernelOp::Relu, [](double x) { return x > 0 ? x : 0; }},
        {KernelOp::Softplus, [](double x) { return x > 40 ? x : std::log1p(std::exp(x)); }},
    };
    for (const Case& c : cases) {
        for (const KernelEntry& entry : entriesOf(c.op)) {
            SCOPED_TRACE(fmt::format("op {} on {}", static_cast<int>(c.op), base::isaName(entry.isa)));
            std::vector<float> x = gaussian(1000, 1, 8);
            for (const float extreme : {0.0F, -0.0F, 80.0F, -80.0F, 200.0F, -200.0F, 1e6F, -1e6F, -1e30F})
                x.push_back(extreme);
            std::vector<double> expected;
            for (const float value : x) expected.push_back(c.f(value));
            std::vector<float> y(x.size());
            entry.fn.map(x.data(), y.data(), x.size());
            EXPECT_LT(largestError(y, expected), kVectorTolerance);
            // The negative twin: the next value's result is not this one's.
            std::rotate(expected.begin(), expected.begin() + 1, expected.end());
            EXPECT_GT(largestError(y, expected), kVectorTolerance);
            // The bits do not depend on the place, nor on writing in place.
            for (const size_t n : kLengths) {
                std::vector<float> part(x.begin() + 5, x.begin() + 5 + static_cast<long>(n));
                entry.fn.map(part.data(), part.data(), n);
                EXPECT_TRUE(std::equal(part.begin(), part.end(), y.begin() + 5)) << n;
            }
            const float nan = NAN;
            float result = 0;
            entry.fn.map(&nan, &result, 1);
            EXPECT_TRUE(std::isnan(result) || c.op == KernelOp::SquaredRelu || c.op == KernelOp::Relu);
        }
    }
}

TEST(VectorKernels, halvesBothWays) {
    std::vector<float> values = gaussian(200, 2, 100);
    for (const float extreme :
         {0.0F, -0.0F, 65504.0F, 65520.0F, 1e9F, -1e9F, 1e-7F, 6e-8F, 2e-8F, 3.0517578e-5F})
        values.push_back(extreme);
    for (const KernelEntry& entry : entriesOf(KernelOp::ToHalves)) {
        SCOPED_TRACE(base::isaName(entry.isa));
        for (size_t n = 1; n <= values.size(); n += 13) {
            std::vector<std::byte> halves(2 * n + 2, std::byte{0xAA});
            entry.fn.toHalves(values.data() + values.size() - n, halves.data(), n);
            for (size_t i = 0; i < n; ++i)
                EXPECT_EQ(quant::u16At(halves.data() + 2 * i), base::f32ToF16(values[values.size() - n + i]));
            EXPECT_EQ(halves.back(), std::byte{0xAA});
        }
    }
    for (const KernelEntry& entry : entriesOf(KernelOp::FromHalves)) {
        SCOPED_TRACE(base::isaName(entry.isa));
        for (size_t n = 1; n <= values.size(); n += 13) {
            std::vector<std::byte> halves(2 * n);
            for (size_t i = 0; i < n; ++i)
                quant::storeHalf(halves.data() + 2 * i, values[values.size() - n + i]);
            std::vector<float> y(n + 1, 7.0F);
            entry.fn.fromHalves(halves.data(), y.data(), n);
            for (size_t i = 0; i < n; ++i) EXPECT_EQ(y[i], quant::halfAt(halves.data() + 2 * i));
            EXPECT_EQ(y.back(), 7.0F);
        }
    }
}

/// y of a normalisation in double precision; `centred`: the mean is taken away.
std::vector<double> normalised(const std::vector<float>& x, const std::vector<float>& g,
                               const std::vector<float>& b, size_t size, double eps, bool centred) {
    std::vector<double> y;
    for (size_t begin = 0; begin < x.size(); begin += size) {
        double mean = 0, squares = 0;
        for (size_t i = 0; i < size; ++i) mean += centred ? x[begin + i] / static_cast<double>(size) : 0;
        for (size_t i = 0; i < size; ++i) squares += (x[begin + i] - mean) * (x[begin + i] - mean);
        const double inverse = 1 / std::sqrt(squares / static_cast<double>(size) + eps);
        for (size_t i = 0; i < size; ++i) {
            const size_t channel = (begin + i) % g.size();
            y.push_back((x[begin + i] - mean) * inverse * g[channel] + (centred ? b[channel] : 0));
        }
    }
    return y;
}

TEST(VectorKernels, normalisations) {
    constexpr float kEps = 1e-5F;
    for (const size_t size : kLengths) {
        constexpr size_t kGroups = 3;
        constexpr size_t kRows = 4;
        const std::vector<float> g = gaussian(size * kGroups, 3);
        const std::vector<float> b = gaussian(size * kGroups, 4);
        const std::vector<float> x = gaussian(size * kGroups * kRows, 5, 4);
        for (const KernelEntry& entry : entriesOf(KernelOp::GroupNorm)) {
            SCOPED_TRACE(fmt::format("{} on {}", size, base::isaName(entry.isa)));
            std::vector<float> y(x.size());
            entry.fn.groupNorm(x.data(), g.data(), b.data(), y.data(), kRows, size * kGroups, kGroups, kEps);
            EXPECT_LT(largestError(y, normalised(x, g, b, size, kEps, true)), 2 * kVectorTolerance);
            // The negative twin: another eps. (One value alone is its mean, whatever eps.)
            if (size > 1) {
                EXPECT_GT(largestError(y, normalised(x, g, b, size, 0.01, true)), 2 * kVectorTolerance);
            }
        }
        const std::vector<float> gain(g.begin(), g.begin() + static_cast<long>(size));
        for (const KernelEntry& entry : entriesOf(KernelOp::RmsNorm)) {
            SCOPED_TRACE(fmt::format("{} on {}", size, base::isaName(entry.isa)));
            std::vector<float> y(x.size());
            entry.fn.rmsNorm(x.data(), gain.data(), y.data(), kRows * kGroups, size, kEps);
            EXPECT_LT(largestError(y, normalised(x, gain, b, size, kEps, false)), kVectorTolerance);
            EXPECT_GT(largestError(y, normalised(x, gain, b, size, 0.01, false)), kVectorTolerance);
        }
    }
}

/// Queries, keys and values of attention, [kQueries, dim] and [kKeys, dim].
struct AttentionCase {
    static constexpr uint32_t kQueries = 7;  // a tile of them, and a rest
    static constexpr uint32_t kKeys = 3 * kAttentionKeys;
    size_t dim;
    std::vector<float> q, keys, values;
    float scale;

    /// Of numbers that halves hold.
    explicit AttentionCase(size_t dim)
        : dim(dim),
          q(gaussian(kQueries * dim, 6)),
          keys(asHalves(gaussian(dim * kKeys, 7))),
          values(asHalves(gaussian(dim * kKeys, 8))),
          scale(1 / std::sqrt(static_cast<float>(dim))) {}

    static std::vector<float> asHalves(std::vector<float> numbers) {
        for (float& number : numbers) number = quant::storedHalf(number);
        return numbers;
    }

    /// What each query gets of the first `visible` keys, in double precision.
    std::vector<double> expected(uint32_t visible) const {
        std::vector<double> all(kQueries * dim);
        for (uint32_t i = 0; i < kQueries; ++i) {
            double total = 0;
            const std::span result(all.data() + i * dim, dim);
            for (uint32_t j = 0; j < visible; ++j) {
                double score = 0;
                for (size_t d = 0; d < dim; ++d) score += double{q[i * dim + d]} * keys[j * dim + d];
                const double weight = std::exp(score * scale);
                total += weight;
                for (size_t d = 0; d < dim; ++d) result[d] += weight * values[j * dim + d];
            }
            for (double& value : result) value /= total;
        }
        return all;
    }

    /// The same with the kernels of an instruction set, in one go or merged from two parts, from a cache of
    /// floats or of halves.
    std::vector<float> attend(base::Isa isa, uint32_t visible, bool parts, bool halves) const {
        const auto stored = [halves](const std::vector<float>& numbers) {
            std::vector<std::byte> bytes(numbers.size() * (halves ? 2 : sizeof(float)));
            if (halves)
                selectKernel(KernelOp::ToHalves, base::Isa::Scalar)
                    .toHalves(numbers.data(), bytes.data(), numbers.size());
            else
                std::memcpy(bytes.data(), numbers.data(), bytes.size());
            return bytes;
        };
        const auto scoresOp = halves ? KernelOp::AttentionScoresOfHalves : KernelOp::AttentionScores;
        const auto absorbOp = halves ? KernelOp::AbsorbPageOfHalves : KernelOp::AbsorbPage;
        const std::vector<std::byte> rows = stored(values);
        const size_t rowBytes = rows.size() / kKeys;
        std::array<OnlineSoftmax, kQueries> states[2];
        std::vector<float> acc[2]{std::vector<float>(q.size()), std::vector<float>(q.size())};
        for (uint32_t at = 0; at < visible; at += kAttentionKeys) {
            const size_t part = parts && at > 0 ? 1 : 0;
            std::vector<float> turned(dim * kAttentionKeys);
            std::vector<float> scores((kQueries + 1) * kAttentionKeys);
            selectKernel(KernelOp::TransposeKeys, isa)
                .transposeKeys(keys.data() + at * dim, dim, turned.data());
            selectKernel(scoresOp, isa)
                .attentionScores(q.data(), kQueries, stored(turned).data(), dim, scale, scores.data(),
                                 {.first = rows.data(), .count = 1, .bytes = rows.size()});
            selectKernel(absorbOp, isa)
                .absorbPage(scores.data(), kQueries,
                            {.rows = rows.data() + at * rowBytes,
                             .rowBytes = rowBytes,
                             .count = std::min(kAttentionKeys, visible - at)},
                            dim, states[part].data(), acc[part].data(),
                            {.first = rows.data(), .stride = rowBytes, .count = kKeys, .bytes = rowBytes});
        }
        for (uint32_t i = 0; i < kQueries; ++i) {
            mergeSoftmaxRef(states[1][i], acc[1].data() + i * dim, dim, states[0][i],
                            acc[0].data() + i * dim);
            for (size_t d = 0; d < dim; ++d) acc[0][i * dim + d] /= states[0][i].sum;
        }
        return acc[0];
    }
};

TEST(VectorKernels, attentionOverPages) {
    for (const KernelEntry& entry : entriesOf(KernelOp::AbsorbPage)) {
        for (const size_t dim : {2u, 6u, 24u, 64u, 80u, 128u}) {
            const AttentionCase problem(dim);
            for (const uint32_t visible : {1u, 2u, 63u, 64u, 65u, 130u, 192u}) {
                SCOPED_TRACE(fmt::format("{}, dim {}, {} keys", base::isaName(entry.isa), dim, visible));
                const std::vector<double> expected = problem.expected(visible);
                const auto actual = problem.attend(entry.isa, visible, false, false);
                EXPECT_LT(largestError(actual, expected), kVectorTolerance);
                EXPECT_LT(largestError(problem.attend(entry.isa, visible, true, false), expected),
                          kVectorTolerance);
                // A cache of halves gives the same bits: a prompt is read from floats that were made of them.
                EXPECT_EQ(problem.attend(entry.isa, visible, false, true), actual);
                // So does each query alone.
                AttentionCase alone = problem;
                std::rotate(alone.q.begin(), alone.q.end() - static_cast<long>(dim), alone.q.end());
                const auto first = alone.attend(entry.isa, visible, false, true);
                EXPECT_TRUE(std::equal(first.begin(), first.begin() + static_cast<long>(dim),
                                       actual.end() - static_cast<long>(dim)));
                // What lies behind the visible keys has no influence, and the last visible one has.
                AttentionCase other = problem;
                std::fill(other.values.begin() + static_cast<long>(visible * dim), other.values.end(), NAN);
                EXPECT_EQ(other.attend(entry.isa, visible, false, false), actual);
                other.values[visible * dim - 1] += 1;
                EXPECT_NE(other.attend(entry.isa, visible, false, false), actual);
            }
        }
    }
}

/// A page of keys and values in blocks of Q8_0, and queries that are rounded.
struct BlockCase {
    static constexpr uint32_t kQueries = 7;
    static constexpr float kScale = 0.3F;
    size_t dim;
    std::vector<float> keys, values;  ///< what the blocks hold, [64, dim]
    std::vector<std::byte> turned, rows;
    std::vector<ActivationBlock> q;

    explicit BlockCase(size_t dim)
        : dim(dim),
          keys(gaussian(kAttentionKeys * dim, 11)),
          values(gaussian(kAttentionKeys * dim, 12)),
          turned(kAttentionKeys * dim / kActivationBlock * TurnedBlock::kRowBytes),
          rows(turned.size()),
          q(kQueries * dim / kActivationBlock) {
        keys[1] = 100;  // one that makes all others of its block small
        roundActivationsOf(gaussian(kQueries * dim, 13));
        const quant::QuantFormat& format = *quant::findFormat(quant::kQ8_0);
        std::vector<std::byte> keyRows(rows.size());
        for (const auto& [numbers, bytes] : {std::pair{&keys, &keyRows}, {&values, &rows}}) {
            format.encodeRow(*numbers, {}, bytes->data());
            format.decodeRow(bytes->data(), *numbers);
        }
        for (size_t i = 0; i < keyRows.size(); ++i) turned[placeOf(i)] = keyRows[i];
    }

    void roundActivationsOf(const std::vector<float>& queries) {
        selectKernel(KernelOp::RoundActivations, base::Isa::Scalar)
            .roundActivations(queries.data(), queries.size(), q.data());
    }
    /// Where byte i of the keys in rows lies when they are turned.
    size_t placeOf(size_t i) const {
        const size_t rowBytes = rows.size() / kAttentionKeys;
        const size_t key = i / rowBytes, inBlock = i % rowBytes % TurnedBlock::kRowBytes;
        const size_t block = i % rowBytes / TurnedBlock::kRowBytes * TurnedBlock::kBytes;
        if (inBlock < 2) return block + 2 * key + inBlock;
        const size_t number = inBlock - 2;
        return block + 2 * kAttentionKeys + (number / 4 * kAttentionKeys + key) * 4 + number % 4;
    }

    std::vector<float> scores(base::Isa isa) const {
        std::vector<float> out((kQueries + 1) * kAttentionKeys);
        selectKernel(KernelOp::AttentionScoresOfBlocks, isa)
            .blockScores(q.data(), kQueries, turned.data(), dim, kScale, out.data(),
                         {.first = rows.data(), .count = 1, .bytes = rows.size()});
        out.resize(kQueries * kAttentionKeys);
        return out;
    }
    std::vector<double> expectedScores() const {
        std::vector<double> out;
        for (uint32_t i = 0; i < kQueries; ++i) {
            for (size_t j = 0; j < kAttentionKeys; ++j) {
                double score = 0;
                for (size_t d = 0; d < dim; ++d) {
                    const ActivationBlock& block = q[(i * dim + d) / kActivationBlock];
                    score += double{block.scale} * block.q[d % kActivationBlock] * keys[j * dim + d];
                }
                out.push_back(score * kScale);
            }
        }
        return out;
    }
    std::vector<float> absorb(KernelOp op, base::Isa isa, const std::byte* at, uint32_t count) const {
        std::array<OnlineSoftmax, kQueries> states;
        std::vector<float> acc(kQueries * dim);
        const std::vector<float> pageScores = scores(isa);
        selectKernel(op, isa).absorbPage(
            pageScores.data(), kQueries,
            {.rows = at,
             .rowBytes = op == KernelOp::AbsorbPage ? dim * sizeof(float) : rows.size() / kAttentionKeys,
             .count = count},
            dim, states.data(), acc.data(), {});
        return acc;
    }
};

TEST(VectorKernels, attentionOverBlocks) {
    for (const KernelEntry& entry : entriesOf(KernelOp::AttentionScoresOfBlocks)) {
        for (const size_t dim : {32u, 64u, 96u, 128u, 256u}) {
            SCOPED_TRACE(fmt::format("{}, dim {}", base::isaName(entry.isa), dim));
            const BlockCase problem(dim);
            const std::vector<float> scores = problem.scores(entry.isa);
            EXPECT_LT(largestError(scores, problem.expectedScores()), kVectorTolerance);
            EXPECT_EQ(scores, problem.scores(base::Isa::Scalar)) << "the same bits on every instruction set";
            // Values in blocks give what the floats give that they hold.
            const auto* floats = reinterpret_cast<const std::byte*>(problem.values.data());
            for (const uint32_t count : {1u, 63u, 64u})
                EXPECT_EQ(problem.absorb(KernelOp::AbsorbPageOfBlocks, entry.isa, problem.rows.data(), count),
                          problem.absorb(KernelOp::AbsorbPage, entry.isa, floats, count));
        }
    }
}

TEST(VectorKernels, recurrencesOfRwkv) {
    // Not only whole vectors of columns. What is compared is the readable truth in other instruction sets.
    for (const size_t n : {1u, 5u, 16u, 40u, 64u, 72u}) {
        const std::vector<float> in = gaussian(6 * n, 9, 0.3F);
        const auto input = [&](size_t i) { return in.data() + i * n; };
        const auto run5 = [&](base::Isa isa, size_t stride, float bonus) {
            std::vector<float> out = gaussian(n * n + n, 10);  // state, then y
            std::vector<float> u(input(4), input(4) + n);
            u[0] += bonus;
            for (int token = 0; token < 3; ++token) {
                selectKernel(KernelOp::Wkv5, isa)
                    .wkv5(input(0), input(1), input(2), input(3), stride, u.data(), stride, out.data(),
                          out.data() + n * n, n);
            }
            return out;
        };
        const auto run7 = [&](base::Isa isa, float rate) {
            std::vector<float> out = gaussian(n * n + n, 11);
            std::vector<float> removed(n);
            std::vector<float> a(input(5), input(5) + n);
            a[0] += rate;
            for (int token = 0; token < 3; ++token) {
                selectKernel(KernelOp::Wkv7, isa)
                    .wkv7({.r = input(0),
                           .w = input(1),
                           .k = input(2),
                           .v = input(3),
                           .kk = input(4),
                           .a = a.data()},
                          out.data(), removed.data(), out.data() + n * n, n);
            }
            return out;
        };
        const auto doubles = [](const std::vector<float>& values) {
            return std::vector<double>(values.begin(), values.end());
        };
        for (const KernelEntry& entry : entriesOf(KernelOp::Wkv5)) {
            SCOPED_TRACE(fmt::format("{} on {}", n, base::isaName(entry.isa)));
            for (const size_t stride : {0u, 1u}) {
                const auto expected = doubles(run5(base::Isa::Scalar, stride, 0));
                EXPECT_LT(largestError(run5(entry.isa, stride, 0), expected), 1e-5);
                EXPECT_GT(largestError(run5(entry.isa, stride, 0.1F), expected), 1e-5);
            }
            const auto expected = doubles(run7(base::Isa::Scalar, 0));
            EXPECT_LT(largestError(run7(entry.isa, 0), expected), 1e-5);
            EXPECT_GT(largestError(run7(entry.isa, 0.1F), expected), 1e-5);
        }
    }
}

/// A head of a chunk of which some rows were earlier, and what kernels make of it.
class ChunkOfAHead {
  public:
    static constexpr uint32_t kBegin = 4, kEnd = 7;
    static constexpr size_t kKeyDim = 12;

    explicit ChunkOfAHead(size_t valueDim)
        : m_valueDim(valueDim),
          m_stride(2 * kKeyDim + valueDim),
          m_in(gaussian(kChunkRows * m_stride, 12, 0.3F)),
          m_memory(ChunkScratch::floats(kKeyDim, valueDim)) {
        for (size_t s = 0; s < kChunkRows; ++s) {
            m_keys.push_back(m_in.data() + s * m_stride + kKeyDim);
            m_decays.push_back(s % 3 == 0 ? 0.9F : s % 3 == 1 ? 0.02F : 0.999F);
        }
    }

    /// Changes and y of the rows from kBegin on, so many at a time.
    std::vector<float> delta(base::Isa isa, float rate, uint32_t atOnce) {
        return rows(atOnce, [&](const ChunkRows& chunk, const float* q, float* y, const ChunkHead& head) {
            const std::vector<float> rates(kEnd, rate);
            selectKernel(KernelOp::GatedDelta, isa)
                .gatedDelta({.chunk = chunk,
                             .q = q,
                             .keyStride = m_stride,
                             .v = q + 2 * kKeyDim,
                             .y = y,
                             .valueStride = m_stride,
                             .rates = rates.data(),
                             .rateStride = 1},
                            head, ChunkScratch(m_memory.data(), kKeyDim), kKeyDim, m_valueDim);
        });
    }
    std::vector<float> mamba(base::Isa isa, float skip, uint32_t atOnce) {
        return rows(atOnce, [&](const ChunkRows& chunk, const float* c, float* y, const ChunkHead& head) {
            const std::vector<float> steps(kEnd, 0.3F);
            selectKernel(KernelOp::MambaScan, isa)
                .mambaScan({.chunk = chunk,
                            .c = c,
                            .keyStride = m_stride,
                            .x = c + 2 * kKeyDim,
                            .y = y,
                            .valueStride = m_stride,
                            .steps = steps.data(),
                            .skip = skip},
                           head, ChunkScratch(m_memory.data(), kKeyDim), kKeyDim, m_valueDim);
        });
    }
    /// The matrix at the chunk's end.
    std::vector<float> fold(base::Isa isa, float lastDecay) {
        m_decays.back() = lastDecay;
        Kept kept = this->kept();
        selectKernel(KernelOp::FoldChunk, isa)
            .foldChunk(m_keys.data(), kept.head(*this), ChunkScratch(m_memory.data(), kKeyDim), kKeyDim,
                       m_valueDim);
        return kept.matrix;
    }

  private:
    struct Kept {
        std::vector<float> matrix, changes;
        ChunkHead head(ChunkOfAHead& of) {
            return {matrix.data(), changes.data(), of.m_valueDim + 3, of.m_decays.data()};
        }
    };
    Kept kept() const {
        return {gaussian(kKeyDim * m_valueDim, 13), gaussian(kChunkRows * (m_valueDim + 3), 14)};
    }
    template <typename Kernel>
    std::vector<float> rows(uint32_t atOnce, Kernel kernel) {
        Kept kept = this->kept();
        std::vector<float> y(kEnd * m_stride);
        for (uint32_t t = kBegin; t < kEnd; t += atOnce)
            kernel(ChunkRows{m_keys.data(), t, std::min(t + atOnce, kEnd)}, m_in.data() + t * m_stride,
                   y.data() + t * m_stride, kept.head(*this));
        kept.changes.insert(kept.changes.end(), y.begin(), y.end());
        return kept.changes;
    }

    size_t m_valueDim, m_stride;
    std::vector<float> m_in, m_memory, m_decays;
    std::vector<const float*> m_keys;
};

TEST(VectorKernels, recurrencesWithADecay) {
    // The readable ones against their formulas: tests/engine/backend/mixers_test.cpp.
    const auto doubles = [](const std::vector<float>& values) {
        return std::vector<double>(values.begin(), values.end());
    };
    for (const size_t n : {1u, 5u, 16u, 40u, 64u, 72u, 150u}) {
        ChunkOfAHead chunk(n);
        for (const KernelEntry& entry : entriesOf(KernelOp::GatedDelta)) {
            SCOPED_TRACE(fmt::format("{} on {}", n, base::isaName(entry.isa)));
            const auto changed = doubles(chunk.delta(base::Isa::Scalar, 0.7F, 1));
            EXPECT_LT(largestError(chunk.delta(entry.isa, 0.7F, 3), changed), 1e-5);
            EXPECT_GT(largestError(chunk.delta(entry.isa, 0.6F, 3), changed), 1e-5);
            const auto scanned = doubles(chunk.mamba(base::Isa::Scalar, 0.7F, 1));
            EXPECT_LT(largestError(chunk.mamba(entry.isa, 0.7F, 3), scanned), 1e-5);
            EXPECT_GT(largestError(chunk.mamba(entry.isa, 0.6F, 3), scanned), 1e-5);
            for (const uint32_t atOnce : {1u, 2u}) {
                EXPECT_EQ(chunk.delta(entry.isa, 0.7F, atOnce), chunk.delta(entry.isa, 0.7F, 3));
                EXPECT_EQ(chunk.mamba(entry.isa, 0.7F, atOnce), chunk.mamba(entry.isa, 0.7F, 3));
            }
            const auto folded = doubles(chunk.fold(base::Isa::Scalar, 0.8F));
            EXPECT_LT(largestError(chunk.fold(entry.isa, 0.8F), folded), 1e-5);
            EXPECT_GT(largestError(chunk.fold(entry.isa, 0.9F), folded), 1e-5);
        }
    }
}

}  // namespace
}  // namespace ingle::kernels
