/// Matrices with scales, offsets and an order of columns of their own on the processor: the same numbers as
/// those of the floats that they stand for; an op that takes none says so.
#include "engine/tensor/side_data.h"

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/graph/builder.h"
#include "engine/graph/lower.h"
#include "tests/engine/backend/plan_runner.h"
#include "tests/random_weights.h"

namespace ingle::backend {
namespace {

using tensor::Shape;
using tensor::Tensor;

constexpr uint32_t kRowsOfTable = 40, kTableIn = 96, kTableOut = 37, kTableExperts = 3;

/// A matrix of Q8_0 with side data, and the floats it stands for.
struct Both {
    std::vector<std::byte> blocks;
    std::vector<float> floats;
    Tensor stored, plain;

    Both(std::mt19937& random, const Shape& shape, bool isScaled = true) {
        const auto& format = *quant::findFormat(quant::kQ8_0);
        blocks = test::makeWeights(format, random, shape.numElems());
        tensor::SideData side{.partColumns = 24};
        if (isScaled) {
            side.scales = test::gaussian(random, shape.numRows() * kTableIn / 24);
            side.offsets = test::gaussian(random, side.scales.size());
        }
        // Matrices of a stack have their own.
        side.rowsPerOrder = shape.numMatrices() > 1 ? shape.dims[1] : 0;
        for (uint32_t order = 0; order < shape.numMatrices(); ++order)
            for (uint32_t i = 0; i < kTableIn; ++i) side.columns.push_back((i * 5 + order) % kTableIn);
        EXPECT_TRUE(checkSideData(side, shape));
        stored = {"stored", shape, &format, blocks};
        stored.side = std::make_shared<const tensor::SideData>(side);
        floats.resize(shape.numElems());
        for (uint64_t row = 0; row < shape.numRows(); ++row)
            stored.decodeRow(row, std::span(floats).subspan(row * kTableIn, kTableIn));
        plain = {"plain", shape, quant::findFormat(quant::kF32), std::as_bytes(std::span(floats))};
    }
};

class SideDataOps : public testing::Test {
  protected:
    explicit SideDataOps(bool isScaled = true) : m_isScaled(isScaled) {}

    /// Of each token, computed with the stored matrices or the plain ones.
    std::vector<float> logits(Tensor Both::*which) {
        graph::Builder b;
        const graph::Value x = b.embed(&(m_table.*which), "x");
        const graph::Value r =
            b.routeExperts(b.linear(x, &(m_router.*which), "scores"), {.numUsed = 2}, "routing");
        const graph::Value y = b.expertSum(b.expertLinear(x, r, &(m_experts.*which), "y"), r, "experts");
        b.logits(b.add(y, b.linear(x, &(m_matrix.*which), "linear"), "logits"));
        const Plan plan =
            graph::lower(b.take().value(), {.maxTokens = kRowsOfTable, .maxLogitRows = kRowsOfTable});
        PlanRunner runner(*m_cpu, plan, {});
        std::vector<TokenId> tokens(kRowsOfTable);
        for (uint32_t i = 0; i < kRowsOfTable; ++i) tokens[i] = static_cast<TokenId>(i);
        const auto sequence = runner.sequence();
        const std::vector<float> whole = runner.feed(*sequence, tokens, kRowsOfTable);
        EXPECT_TRUE(sequence->truncate(0));
        EXPECT_EQ(runner.feed(*sequence, tokens, 7), whole);
        return whole;
    }

    bool m_isScaled;
    std::mt19937 m_random{5};
    Both m_table{m_random, Shape::of(kTableIn, kRowsOfTable), m_isScaled};
    Both m_router{m_random, Shape::of(kTableIn, kTableExperts), m_isScaled};
    Both m_experts{m_random, Shape::of(kTableIn, kTableOut, kTableExperts), m_isScaled};
    Both m_matrix{m_random, Shape::of(kTableIn, kTableOut), m_isScaled};
    std::unique_ptr<Backend> m_cpu =
        cpu::createCpuBackend({.threads = 3, .isa = base::Isa::Scalar, .activations = ActivationType::Auto});
};

TEST_F(SideDataOps, giveTheNumbersOfTheFloats) {
    const std::vector<float> right = logits(&Both::plain);
    EXPECT_EQ(logits(&Both::stored), right);
    m_matrix.stored.side = nullptr;
    EXPECT_NE(logits(&Both::stored), right);
}

class OrderOfColumns : public SideDataOps {
  protected:
    OrderOfColumns() : SideDataOps(false) {}
};

/// The format's own kernel multiplies, with activations in the columns' order: it rounds as it does.
TEST_F(OrderOfColumns, isThatOfTheActivations) {
    const auto largest = [](const std::vector<float>& a, const std::vector<float>& b) {
        float most = 0;
        for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
        return most;
    };
    m_cpu =
        cpu::createCpuBackend({.threads = 3, .isa = base::Isa::Scalar, .activations = ActivationType::F32});
    const std::vector<float> right = logits(&Both::plain);
    float size = 0;
    for (const float value : right) size = std::max(size, std::abs(value));
    EXPECT_LT(largest(logits(&Both::stored), right), 1e-4F * size);
    m_cpu =
        cpu::createCpuBackend({.threads = 3, .isa = base::Isa::Scalar, .activations = ActivationType::Auto});
    EXPECT_LT(largest(logits(&Both::stored), right), 0.05F * size);
    m_matrix.stored.side = nullptr;
    EXPECT_GT(largest(logits(&Both::stored), right), 0.2F * size);
}

TEST_F(SideDataOps, thatTakeNoneSaySo) {
    graph::Builder b;
    const graph::Value x = b.embed(&m_table.plain, "x");
    b.logits(b.headLinear(x, &m_matrix.stored, {.numHeads = 1, .numRows = kTableOut}, "y"));
    const Plan plan = graph::lower(b.take().value(), {.maxTokens = 1, .maxLogitRows = 1});
    const auto pool = m_cpu->createMemory({}, {KvType::F32, 0}).value();
    const auto program = m_cpu->compile(plan, *pool);
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().code, ErrorCode::Unsupported);
    EXPECT_EQ(program.error().message, "stored: the op head_linear takes no matrix with scales of its own");
}

}  // namespace
}  // namespace ingle::backend
