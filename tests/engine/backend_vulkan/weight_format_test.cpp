/// How matrices lie in device memory: hardly larger than in the file, decoded to the same floats, and right
/// in products of bytes.
#include "engine/backend/vulkan/weights/weight_format.h"

#include <fstream>
#include <numeric>

#include "engine/backend/vulkan/matvec/matvec_shapes.h"
#include "engine/backend/vulkan/substrate/shaders.h"
#include "engine/graph/builder.h"
#include "engine/graph/lower.h"
#include "engine/quant/integers.h"
#include "engine/tensor/side_data.h"
#include "tests/engine/backend_vulkan/two_backends.h"
#include "tests/random_weights.h"
#include "tests/temporary_folder.h"

namespace ingle::backend::vulkan {
namespace {

using tensor::Shape;

constexpr uint32_t kRows = 40;

/// Normalised squared error of rounding a row to bytes: a step of max/127 errs by step²/12 in the mean, of
/// each of 32 values whose squares add up to max² at least.
constexpr double kBytesError = 32 / (12.0 * 127 * 127);

TEST(WeightFormat, everyOneHasItsShaders) {
    for (const WeightFormat* format : allWeightFormats()) {
        for (const char* kernel : {"embed", "matvec", "matmul", "expert_linear"})
            EXPECT_NE(findShader(fmt::format("{}_{}", kernel, format->name)), nullptr)
                << kernel << format->name;
    }
}

TEST(WeightFormat, planesAreHardlyLargerThanTheFilesBlocks) {
    constexpr uint32_t k = 4096;
    for (const quant::QuantFormat* format : quant::allFormats()) {
        if (format->id == quant::kF8E4M3) continue;  // always with scales of its own
        const WeightFormat* planes = findWeightFormat(format->id);
        ASSERT_NE(planes, nullptr) << format->name << " takes the bytes of floats";
        const double ratio = static_cast<double>(layoutRow(*planes, k).rowBytes) /
                             static_cast<double>(quant::rowBytes(*format, k).value());
        EXPECT_GE(ratio, 1) << format->name;
        EXPECT_LE(ratio, 1.05) << format->name;
        // Nothing beside the rows of any matrix worth the name.
        EXPECT_LE(planes->grid.size_bytes(), 4096) << format->name;
    }
}

class WeightFormatTest : public TwoBackends {
  protected:
    /// A row length of a few blocks; planes do not end with whole vectors.
    static uint32_t widthOf(const quant::QuantFormat& format) {
        return format.blockElems == 1 ? 75 : 3 * format.blockElems;
    }
    static std::vector<TokenId> tokens() {
        std::vector<TokenId> all(kRows);
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    static Plan planOf(graph::Builder& builder, graph::Value result) {
        builder.logits(result);
        return graph::lower(builder.take().value(), {.maxTokens = kRows, .maxLogitRows = kRows});
    }

    /// The device's rows of a matrix against the file's.
    void expectSameFloats(const quant::QuantFormat& format) {
        SCOPED_TRACE(format.name);
        const Shape shape = Shape::of(widthOf(format), kRows);
        std::vector<std::byte> raw = test::makeWeights(format, m_random, shape.numElems());
        const tensor::Tensor table{"table", shape, &format, raw};
        graph::Builder builder;
        const graph::Value rows = builder.embed(&table, "rows");
        const Plan plan = planOf(builder, rows);
        PlanRunner runner(*vulkan, plan, {});
        ASSERT_TRUE(runner.program);
        const auto actual = runner.feed(*runner.sequence(), tokens(), kRows);
        std::vector<float> expected(shape.numElems());
        format.decodeRow(raw.data(), expected);
        EXPECT_EQ(actual, expected);
        raw[raw.size() / 2] ^= std::byte{0x10};
        format.decodeRow(raw.data(), expected);
        EXPECT_NE(actual, expected);
    }

    std::mt19937 m_random{11};
};

/// The products of a half and small integers are exact, and what is left is one addition.
TEST_F(WeightFormatTest, decodesToTheFloatsOfTheFile) {
    for (const quant::QuantFormat* format : quant::allFormats()) expectSameFloats(*format);
}

TEST_F(WeightFormatTest, aTypeWithoutPlanesIsKeptAsFloats) {
    quant::QuantFormat unknown = *quant::findFormat(quant::kQ8_0);
    unknown.id = {999};
    ASSERT_EQ(findWeightFormat(unknown.id), nullptr);
    expectSameFloats(unknown);
}

TEST_F(WeightFormatTest, aMatrixWithScalesOfItsOwnIsKeptAsFloats) {
    const auto& format = *quant::findInteger(quant::kUint8);
    const auto raw = test::makeWeights(format, m_random, size_t{64} * kRows);
    tensor::Tensor table{"table", Shape::of(64, kRows), &format, raw};
    table.side = std::make_shared<const tensor::SideData>(
        tensor::SideData{.partRows = kRows, .partColumns = 64, .scales = {2}, .zeros = {100}});
    graph::Builder builder;
    const Plan plan = planOf(builder, builder.embed(&table, "rows"));
    PlanRunner runner(*vulkan, plan, {});
    ASSERT_TRUE(runner.program);
    const auto actual = runner.feed(*runner.sequence(), tokens(), kRows);
    std::vector<float> expected(size_t{64} * kRows);
    for (uint32_t row = 0; row < kRows; ++row)
        table.decodeRow(row, std::span(expected).subspan(row * size_t{64}, 64));
    EXPECT_EQ(actual, expected);
    table.side = nullptr;
    table.decodeRow(0, std::span(expected).first(64));
    EXPECT_NE(actual, expected);
}

/// Two matrices of one format over the same input, of which one is kept as floats.
TEST_F(WeightFormatTest, anOrderOfColumnsBesideAMatrixWithout) {
    constexpr uint32_t kWidth = 64;
    const auto& f32 = *quant::findFormat(quant::kF32);
    const auto& q8 = *quant::findFormat(quant::kQ8_0);
    const Shape shape = Shape::of(kWidth, kRows);
    const auto in = test::makeWeights(f32, m_random, shape.numElems());
    const auto weights = test::makeWeights(q8, m_random, shape.numElems());
    const tensor::Tensor table{"table", shape, &f32, in}, plain{"plain", shape, &q8, weights};
    tensor::Tensor ordered = plain;
    tensor::SideData side;
    for (uint32_t i = 0; i < kWidth; ++i) side.columns.push_back((i * 5 + 3) % kWidth);
    ordered.side = std::make_shared<const tensor::SideData>(side);
    graph::Builder builder;
    const graph::Value x = builder.embed(&table, "x");
    const Plan plan =
        planOf(builder, builder.add(builder.linear(x, &plain, "a"), builder.linear(x, &ordered, "b"), "sum"));
    PlanRunner ours(*vulkan, plan, {});
    PlanRunner right(*cpu, plan, {});
    ASSERT_TRUE(ours.program && right.program);
    const auto expected = right.feed(*right.sequence(), tokens(), kRows);
    for (const size_t chunk : {size_t{1}, size_t{kRows}})
        EXPECT_LT(nmse(ours.feed(*ours.sequence(), tokens(), chunk), expected), 1e-9) << chunk;
    ordered.side = nullptr;
    PlanRunner wrong(*cpu, plan, {});
    EXPECT_GT(nmse(wrong.feed(*wrong.sequence(), tokens(), kRows), expected), 0.1);
}

TEST_F(WeightFormatTest, productsOfBytesAreOffByTheirRoundingOnly) {
    if (!info.features.integerDot) GTEST_SKIP() << "this device has no integer dot product";
    const test::TemporaryFolder folder;
    ShapeTable shapes;
    for (const WeightFormat* format : allWeightFormats()) {
        if (!findShader(fmt::format("matvec_int_{}", format->name))) continue;
        for (const uint32_t k : {128u, 256u, 512u, 1024u}) {
            const std::string name(format->name);
            for (const uint32_t rows : {1u, kSurelyMatvec}) {
                const auto all = matvecCandidates(info, *format, ActivationType::Auto, rows);
                shapes[{name, k, rows}].shape =
                    *std::ranges::find(all, MatvecInput::Bytes, &MatvecShape::input);
            }
            shapes[{name, k, kMaxMatvecRows}].shape = kNoMatvec;
        }
    }
    ASSERT_TRUE(writeShapeCache(shapeCachePath(folder.path().string(), info, ActivationType::Auto), shapes));
    vulkan.reset();
    openVulkan(folder.path().string(), ActivationType::Auto);
    ASSERT_TRUE(vulkan);
    const MatvecShapes known(*device, *pipelines, ActivationType::Auto, folder.path().string());

    for (const quant::QuantFormat* format : quant::allFormats()) {
        SCOPED_TRACE(format->name);
        const WeightFormat* planes = findWeightFormat(format->id);
        if (!planes || !findShader(fmt::format("matvec_int_{}", planes->name))) continue;
        const uint32_t width = widthOf(*format);
        ASSERT_EQ(known.find(*planes, width, 1).value().input, MatvecInput::Bytes);

        const auto& f32 = *quant::findFormat(quant::kF32);
        const Shape inShape = Shape::of(width, kRows), outShape = Shape::of(width, 77);
        const auto in = test::makeWeights(f32, m_random, inShape.numElems());
        const auto weights = test::makeWeights(*format, m_random, outShape.numElems());
        const tensor::Tensor table{"table", inShape, &f32, in};
        const tensor::Tensor matrix{"matrix", outShape, format, weights};
        graph::Builder builder;
        const graph::Value product = builder.linear(builder.embed(&table, "x"), &matrix, "y");
        const Plan plan = planOf(builder, product);
        PlanRunner ours(*vulkan, plan, {});
        PlanRunner right(*cpu, plan, {});
        ASSERT_TRUE(ours.program && right.program);
        std::vector<TokenId> rows = tokens();
        const auto expected = right.feed(*right.sequence(), rows, kRows);
        for (const size_t chunk : {1u, 3u}) {
            const double error = nmse(ours.feed(*ours.sequence(), rows, chunk), expected);
            EXPECT_LT(error, kBytesError) << chunk;
            EXPECT_GT(error, 1e-9) << "not in bytes, " << chunk;
        }
        std::swap(rows[3], rows[30]);
        EXPECT_GT(nmse(ours.feed(*ours.sequence(), rows, 3), expected), 10 * kBytesError);
    }
}

}  // namespace
}  // namespace ingle::backend::vulkan
