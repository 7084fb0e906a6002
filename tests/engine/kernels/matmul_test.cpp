/// Every listed kernel against the decoded product in double precision, and its independence of batch and
/// range.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/base/cpu_features.h"
#include "engine/kernels/ref/matmul.h"
#include "engine/kernels/select.h"

namespace ingle::kernels {
namespace {

constexpr uint32_t kOut = 37;
constexpr uint32_t kRows = 11;

struct Problem {
    uint32_t k;
    std::vector<std::byte> weights, x;
    size_t weightRowBytes, xRowBytes;
    std::vector<double> expected;  ///< of the stored (rounded) operands, [kRows, kOut]
};

std::vector<std::byte> encodeRows(const quant::QuantFormat& format, const std::vector<float>& values,
                                  uint32_t k) {
    const size_t rowBytes = *quant::rowBytes(format, k);
    std::vector<std::byte> out(values.size() / k * rowBytes);
    for (size_t row = 0; row < values.size() / k; ++row) {
        format.encodeRow({values.data() + row * k, k}, out.data() + row * rowBytes);
    }
    return out;
}

std::vector<float> decodeRows(const quant::QuantFormat& format, const std::vector<std::byte>& bytes,
                              uint32_t k) {
    const size_t rowBytes = *quant::rowBytes(format, k);
    std::vector<float> values(bytes.size() / rowBytes * k);
    for (size_t row = 0; row < values.size() / k; ++row) {
        format.decodeRow(bytes.data() + row * rowBytes, {values.data() + row * k, k});
    }
    return values;
}

Problem makeProblem(quant::Quant weight, quant::Quant activation, uint32_t k) {
    std::mt19937 random(k);
    std::normal_distribution<float> normal;
    const auto gaussian = [&](size_t count) {
        std::vector<float> values(count);
        for (float& value : values) value = normal(random);
        return values;
    };
    const quant::QuantFormat& weightFormat = *quant::findFormat(weight);
    const quant::QuantFormat& xFormat = *quant::findFormat(activation);
    Problem problem{.k = k};
    problem.weights = encodeRows(weightFormat, gaussian(size_t{kOut} * k), k);
    problem.x = encodeRows(xFormat, gaussian(size_t{kRows} * k), k);
    problem.weightRowBytes = *quant::rowBytes(weightFormat, k);
    problem.xRowBytes = *quant::rowBytes(xFormat, k);
    const std::vector<float> w = decodeRows(weightFormat, problem.weights, k);
    const std::vector<float> x = decodeRows(xFormat, problem.x, k);
    for (uint32_t row = 0; row < kRows; ++row) {
        for (uint32_t out = 0; out < kOut; ++out) {
            double sum = 0;
            for (uint32_t i = 0; i < k; ++i) sum += double{x[row * k + i]} * w[out * k + i];
            problem.expected.push_back(sum);
        }
    }
    return problem;
}

MatmulArgs argsOf(const Problem& problem, quant::Quant weight, std::vector<float>& y) {
    y.assign(size_t{kRows} * kOut, NAN);
    return {quant::findFormat(weight),
            problem.weights.data(),
            problem.weightRowBytes,
            problem.x.data(),
            problem.xRowBytes,
            y.data(),
            kOut,
            kRows,
            problem.k,
            0,
            kOut};
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

void checkKernel(MatmulFn fn, quant::Quant weight, quant::Quant activation) {
    for (const uint32_t k : {32u, 64u, 96u, 256u, 2080u}) {
        Problem problem = makeProblem(weight, activation, k);
        std::vector<float> whole;
        fn(argsOf(problem, weight, whole));
        EXPECT_LT(relRmse(whole, problem.expected), kTolerance) << "k = " << k;

        // Row by row and in two ranges: the same bits.
        std::vector<float> pieces;
        MatmulArgs args = argsOf(problem, weight, pieces);
        for (uint32_t row = 0; row < kRows; ++row) {
            MatmulArgs one = args;
            one.x += row * one.xRowBytes;
            one.y += row * one.yStride;
            one.numRows = 1;
            one.outEnd = 13;
            fn(one);
            one.outBegin = 13;
            one.outEnd = kOut;
            fn(one);
        }
        EXPECT_EQ(pieces, whole) << "k = " << k;

        // The negative twin: one wrong byte in a weight row must be seen.
        problem.weights[problem.weightRowBytes + 5] ^= std::byte{0x40};
        std::vector<float> damaged;
        fn(argsOf(problem, weight, damaged));
        EXPECT_GT(relRmse(damaged, problem.expected), kTolerance) << "k = " << k;
    }
}

TEST(Matmul, everyListedKernelGivesTheProductOfItsOperands) {
    size_t checked = 0;
    for (const KernelEntry& entry : allKernels()) {
        SCOPED_TRACE(
            fmt::format("{} × {} on {}", entry.weight.id, entry.activation.id, base::isaName(entry.isa)));
        if (!base::isaSupported(entry.isa)) {
            fmt::print("not run here: {}\n", base::isaName(entry.isa));
            continue;
        }
        checkKernel(entry.fn.matmul, entry.weight, entry.activation);
        ++checked;
    }
    EXPECT_GE(checked, 1u);
}

TEST(Matmul, referenceTakesEveryFormatWithAnEncoder) {
    for (const quant::QuantFormat* format : quant::allFormats()) {
        if (!format->encodeRow) continue;
        SCOPED_TRACE(format->name);
        for (const uint32_t k : {256u, 1280u}) {
            const Problem problem = makeProblem(format->id, quant::kF32, k);
            std::vector<float> y;
            matmulRef(argsOf(problem, format->id, y));
            EXPECT_LT(relRmse(y, problem.expected), kTolerance) << "k = " << k;
        }
    }
}

TEST(Matmul, activationsStayFloatWhenAsked) {
    const quant::QuantFormat& q8 = *quant::findFormat(quant::kQ8_0);
    EXPECT_EQ(selectMatmul(q8, base::Isa::Scalar, ActivationType::F32).activation, quant::kF32);
    EXPECT_EQ(selectMatmul(q8, base::Isa::Scalar, ActivationType::Auto).activation, quant::kQ8_0);
}

TEST(Matmul, theBestSupportedKernelIsChosen) {
    const quant::QuantFormat& q8 = *quant::findFormat(quant::kQ8_0);
    for (const KernelEntry& entry : allKernels()) {
        EXPECT_EQ(selectMatmul(q8, entry.isa, ActivationType::Auto).fn, entry.fn.matmul)
            << base::isaName(entry.isa);
    }
}

}  // namespace
}  // namespace ingle::kernels
