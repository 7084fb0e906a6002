/// Every listed matmul: the reference ones against the product in double precision, the fast ones against the
/// reference, bit by bit where the table promises it; and their independence of batch and range.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/base/cpu_features.h"
#include "engine/kernels/ref/matmul.h"
#include "engine/kernels/ref/round_activations.h"
#include "engine/kernels/select.h"
#include "tests/guarded_bytes.h"
#include "tests/random_weights.h"

namespace ingle::kernels {
namespace {

using test::gaussian;
using test::makeWeights;

constexpr uint32_t kOut = 77;  // whole vectors of outputs, pairs of them, and a rest
constexpr uint32_t kRows = 15;

struct Problem {
    const quant::QuantFormat* format;
    uint32_t k;
    ActivationForm form;
    std::vector<std::byte> weights, x;
    /// Of integers: for each group of kGroupBlocks blocks of a row.
    std::vector<float> scales = {}, offsets = {}, zeros = {};
    size_t weightRowBytes, xRowBytes;
    std::vector<double> expected;  ///< of the stored (rounded) operands, [kRows, kOut]
};

constexpr uint32_t kGroupBlocks = 3;  ///< pieces of rows begin within groups, rows end there

uint32_t groupsOf(uint32_t k) {
    constexpr uint32_t kGroup = kGroupBlocks * kActivationBlock;
    return (k + kGroup - 1) / kGroup;
}

/// Signed ones have scales only; others offsets, or zeros, in turns.
void addScales(Problem& problem, std::mt19937& random) {
    const size_t count = size_t{kOut} * groupsOf(problem.k);
    problem.scales = gaussian(random, count);
    if (problem.format->id == quant::kInt8) return;
    if (problem.k % 64 == 0)
        problem.offsets = gaussian(random, count);
    else
        for (size_t i = 0; i < count; ++i) problem.zeros.push_back(static_cast<float>(random() % 16));
}

/// A row as it is stored, which becomes what it stands for.
void applyScales(const Problem& problem, uint32_t out, std::span<float> row) {
    for (size_t i = 0; i < row.size(); ++i) {
        const size_t at = out * groupsOf(problem.k) + i / (kGroupBlocks * kActivationBlock);
        if (!problem.zeros.empty()) row[i] -= problem.zeros[at];
        row[i] *= problem.scales[at];
        if (!problem.offsets.empty()) row[i] += problem.offsets[at];
    }
}

/// x in the kernel's form, and in `rounded` the values it then stands for.
std::vector<std::byte> makeActivations(ActivationForm form, const std::vector<float>& x,
                                       std::vector<float>& rounded) {
    rounded = x;
    if (form == ActivationForm::Floats) {
        const auto* data = reinterpret_cast<const std::byte*>(x.data());
        return {data, data + x.size() * sizeof(float)};
    }
    std::vector<std::byte> out(x.size() / kActivationBlock * sizeof(ActivationBlock));
    auto* blocks = reinterpret_cast<ActivationBlock*>(out.data());
    roundActivationsRef(x.data(), x.size(), blocks);
    for (size_t i = 0; i < x.size(); ++i) {
        const ActivationBlock& block = blocks[i / kActivationBlock];
        rounded[i] = block.scale * static_cast<float>(block.q[i % kActivationBlock]);
    }
    return out;
}

Problem makeProblem(const quant::QuantFormat& format, ActivationForm form, uint32_t k) {
    std::mt19937 random(k);
    Problem problem{.format = &format, .k = k, .form = form};
    problem.weights = makeWeights(format, random, size_t{kOut} * k);
    if (quant::findInteger(format.id)) addScales(problem, random);
    std::vector<float> x;
    problem.x = makeActivations(form, gaussian(random, size_t{kRows} * k), x);
    problem.weightRowBytes = problem.weights.size() / kOut;
    problem.xRowBytes = problem.x.size() / kRows;
    std::vector<float> w(size_t{kOut} * k);
    for (uint32_t out = 0; out < kOut; ++out) {
        format.decodeRow(problem.weights.data() + out * problem.weightRowBytes, {w.data() + out * k, k});
        if (!problem.scales.empty()) applyScales(problem, out, {w.data() + out * k, k});
    }
    for (uint32_t row = 0; row < kRows; ++row) {
        for (uint32_t out = 0; out < kOut; ++out) {
            double sum = 0;
            for (uint32_t i = 0; i < k; ++i) sum += double{x[row * k + i]} * w[out * k + i];
            problem.expected.push_back(sum);
        }
    }
    return problem;
}

std::vector<float> run(const Problem& problem, MatmulFn fn, uint32_t firstRow = 0, uint32_t numRows = kRows,
                       uint32_t outBegin = 0, uint32_t outEnd = kOut) {
    std::vector<float> y(size_t{numRows} * kOut, 0.0F);
    const test::GuardedBytes weights(problem.weights);
    fn({.format = problem.format,
        .weights = weights.data(),
        .weightRowBytes = problem.weightRowBytes,
        .numOut = kOut,
        .x = problem.x.data() + firstRow * problem.xRowBytes,
        .xRowBytes = problem.xRowBytes,
        .y = y.data(),
        .yStride = kOut,
        .numRows = numRows,
        .k = problem.k,
        .outBegin = outBegin,
        .outEnd = outEnd,
        .beside = {.scales = problem.scales.data(),
                   .offsets = problem.offsets.empty() ? nullptr : problem.offsets.data(),
                   .zeros = problem.zeros.empty() ? nullptr : problem.zeros.data(),
                   .rowStride = groupsOf(problem.k),
                   .groupBlocks = kGroupBlocks}});
    return y;
}

/// sqrt(sum((a-b)^2) / sum(b^2))
double relRmse(const std::vector<float>& a, const std::vector<double>& b) {
    double error = 0, total = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        error += (a[i] - b[i]) * (a[i] - b[i]);
        total += b[i] * b[i];
    }
    return std::sqrt(error / total);
}

constexpr double kTolerance = 2e-6;

std::vector<uint32_t> lengthsFor(const quant::QuantFormat& format) {
    std::vector<uint32_t> lengths;
    for (const uint32_t k : {1u, 7u, 30u, 32u, 64u, 96u, 256u, 768u, 2080u, 2560u}) {
        const uint32_t unit = quant::findInteger(format.id) ? kActivationBlock : format.blockElems;
        if (k % unit == 0) lengths.push_back(k);
    }
    return lengths;
}

const quant::QuantFormat* formatOf(const KernelEntry& entry) {
    const quant::QuantFormat* integer = quant::findInteger(entry.weight);
    return integer ? integer : quant::findFormat(entry.weight);
}

/// The kernels this processor can run, with their formats.
std::vector<std::pair<KernelEntry, const quant::QuantFormat*>> matmuls() {
    std::vector<std::pair<KernelEntry, const quant::QuantFormat*>> found;
    for (const KernelEntry& entry : allKernels()) {
        if (entry.op != KernelOp::Matmul) continue;
        if (base::isaSupported(entry.isa)) {
            found.emplace_back(entry, formatOf(entry));
        } else {
            fmt::print("not run here: {} on {}\n", formatOf(entry)->name, base::isaName(entry.isa));
        }
    }
    return found;
}

std::string nameOf(const KernelEntry& entry, uint32_t k) {
    return fmt::format("{} on {}, k = {}", formatOf(entry)->name, base::isaName(entry.isa), k);
}

TEST(Matmul, everyKernelGivesTheProductOfItsOperands) {
    size_t checked = 0;
    for (const auto& [entry, format] : matmuls()) {
        for (const uint32_t k : lengthsFor(*format)) {
            SCOPED_TRACE(nameOf(entry, k));
            Problem problem = makeProblem(*format, entry.activation, k);
            EXPECT_LT(relRmse(run(problem, entry.fn.matmul), problem.expected), kTolerance);
            // The negative twin: a wrong byte in each block of one weight row must be seen.
            for (size_t at = format->blockBytes / 2; at < problem.weightRowBytes; at += format->blockBytes)
                problem.weights[problem.weightRowBytes + at] ^= std::byte{0x04};
            EXPECT_GT(relRmse(run(problem, entry.fn.matmul), problem.expected), kTolerance);
            ++checked;
        }
    }
    EXPECT_GE(checked, 10u);
}

TEST(Matmul, batchesAndRangesGiveTheSameBits) {
    for (const auto& [entry, format] : matmuls()) {
        for (const uint32_t k : lengthsFor(*format)) {
            SCOPED_TRACE(nameOf(entry, k));
            const Problem problem = makeProblem(*format, entry.activation, k);
            const std::vector<float> whole = run(problem, entry.fn.matmul);
            for (const uint32_t batch : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 11u}) {
                std::vector<float> pieces;
                for (uint32_t row = 0; row < kRows; row += batch) {
                    const uint32_t count = std::min(batch, kRows - row);
                    const std::vector<float> y = run(problem, entry.fn.matmul, row, count);
                    pieces.insert(pieces.end(), y.begin(), y.end());
                }
                EXPECT_EQ(pieces, whole) << "batches of " << batch;
            }
            for (const uint32_t cut : {1u, 13u, 32u, 70u, 76u}) {
                for (const uint32_t rows : {1u, kRows}) {
                    std::vector<float> y = run(problem, entry.fn.matmul, 0, rows, 0, cut);
                    const std::vector<float> rest = run(problem, entry.fn.matmul, 0, rows, cut, kOut);
                    for (size_t i = 0; i < y.size(); ++i) y[i] = i % kOut < cut ? y[i] : rest[i];
                    EXPECT_TRUE(std::equal(y.begin(), y.end(), whole.begin())) << "cut at " << cut;
                    // Nothing outside the range is written.
                    for (size_t i = 0; i < rest.size(); ++i) {
                        ASSERT_TRUE(i % kOut >= cut || rest[i] == 0.0F) << "cut at " << cut;
                    }
                }
            }
        }
    }
}

TEST(Matmul, integerKernelsOfAllInstructionSetsGiveTheSameBits) {
    size_t compared = 0;
    for (const auto& [entry, format] : matmuls()) {
        if (entry.activation != ActivationForm::Blocks || entry.isa == base::Isa::Scalar) continue;
        const MatmulFn reference = selectMatmul(*format, kOut, base::Isa::Scalar, ActivationType::Auto).fn;
        for (const uint32_t k : lengthsFor(*format)) {
            SCOPED_TRACE(nameOf(entry, k));
            Problem problem = makeProblem(*format, entry.activation, k);
            const std::vector<float> expected = run(problem, reference);
            EXPECT_EQ(run(problem, entry.fn.matmul), expected);
            // The negative twin: one activation one step further is seen.
            reinterpret_cast<ActivationBlock*>(problem.x.data())->q[3] ^= 1;
            EXPECT_NE(run(problem, entry.fn.matmul), expected);
            ++compared;
        }
    }
    EXPECT_TRUE(compared >= 10 || !base::isaSupported(base::Isa::Avx2));
}

TEST(Matmul, referenceTakesEveryFormatWithAnEncoder) {
    for (const quant::QuantFormat* format : quant::allFormats()) {
        if (!format->encodeRow) continue;
        SCOPED_TRACE(format->name);
        for (const uint32_t k : {256u, 1280u}) {
            const Problem problem = makeProblem(*format, ActivationForm::Floats, k);
            EXPECT_LT(relRmse(run(problem, matmulRef), problem.expected), kTolerance) << "k = " << k;
        }
    }
}

/// The reference decodes what has no kernel, at a hundredth of the speed.
TEST(Matmul, everyFormatHasAKernelOnEveryInstructionSet) {
    for (const quant::QuantFormat* format : quant::allFormats()) {
        SCOPED_TRACE(format->name);
        for (const base::Isa isa : {base::Isa::Avx2, base::Isa::AvxVnni, base::Isa::Avx512})
            EXPECT_NE(selectMatmul(*format, kOut, isa, ActivationType::Auto).fn, matmulRef)
                << base::isaName(isa);
        const auto scalar = selectMatmul(*format, kOut, base::Isa::Scalar, ActivationType::Auto);
        EXPECT_EQ(scalar.activation == ActivationForm::Blocks, format->blockElems > 1);
    }
}

/// A processor with AVX-512 need not have AVX-VNNI, whose kernels take fewer outputs.
TEST(Matmul, noKernelIsChosenThatTheProcessorMayLack) {
    for (const quant::QuantFormat* format : quant::allFormats()) {
        for (uint32_t numOut = 1; numOut <= kOut; ++numOut) {
            const MatmulFn chosen = selectMatmul(*format, numOut, base::Isa::Avx512, ActivationType::Auto).fn;
            for (const KernelEntry& entry : allKernels()) {
                if (entry.op != KernelOp::Matmul || entry.isa != base::Isa::AvxVnni) continue;
                EXPECT_NE(entry.fn.matmul, chosen) << format->name << ", " << numOut << " outputs";
            }
        }
    }
}

TEST(Matmul, activationsStayFloatWhenAsked) {
    const quant::QuantFormat& q8 = *quant::findFormat(quant::kQ8_0);
    EXPECT_EQ(selectMatmul(q8, kOut, base::Isa::Scalar, ActivationType::F32).activation,
              ActivationForm::Floats);
    EXPECT_EQ(selectMatmul(q8, kOut, base::Isa::Scalar, ActivationType::Auto).activation,
              ActivationForm::Blocks);
}

TEST(Matmul, theBestSupportedKernelIsChosen) {
    for (const KernelEntry& entry : allKernels()) {
        if (entry.op != KernelOp::Matmul) continue;
        const quant::QuantFormat& format = *formatOf(entry);
        SCOPED_TRACE(nameOf(entry, 0));
        EXPECT_EQ(selectMatmul(format, kOut, entry.isa, ActivationType::Auto).fn, entry.fn.matmul);
        if (entry.minOutputs > 1) {
            EXPECT_NE(selectMatmul(format, entry.minOutputs - 1, entry.isa, ActivationType::Auto).fn,
                      entry.fn.matmul);
        }
    }
}

}  // namespace
}  // namespace ingle::kernels
