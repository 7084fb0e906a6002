/// How matrices lie in device memory: hardly larger than in the file, decoded to the same floats, and right
/// in products of bytes.
#include "engine/backend/vulkan/weights/weight_format.h"

#include <fstream>
#include <numeric>

#include "engine/backend/vulkan/matvec/matvec_shapes.h"
#include "engine/backend/vulkan/substrate/shaders.h"
#include "engine/graph/builder.h"
#include "engine/graph/lower.h"
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

TEST_F(WeightFormatTest, aMatrixWithScalesOfItsOwnIsRefused) {
    const auto& format = *quant::findFormat(quant::kQ8_0);
    const auto raw = test::makeWeights(format, m_random, size_t{64} * kRows);
    tensor::Tensor table{"table", Shape::of(64, kRows), &format, raw};
    table.side = std::make_shared<const tensor::SideData>(
        tensor::SideData{.partRows = kRows, .partColumns = 64, .scales = {2}});
    graph::Builder builder;
    const Plan plan = planOf(builder, builder.embed(&table, "rows"));
    const auto pool = vulkan->createMemory({}, {KvType::F32, 64}).value();
    const auto program = vulkan->compile(plan, *pool);
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().message, "table: graphics devices take no matrix with scales of its own");
}

TEST_F(WeightFormatTest, productsOfBytesAreOffByTheirRoundingOnly) {
    if (!info.features.integerDot) GTEST_SKIP() << "this device has no integer dot product";
    const test::TemporaryFolder folder;
    std::string shapes;
    for (const WeightFormat* format : allWeightFormats()) {
        if (!findShader(fmt::format("matvec_int_{}", format->name))) continue;
        for (const uint32_t k : {128, 1024}) {
            shapes += fmt::format("{}[\"{}\",{},{},{}]", shapes.empty() ? "" : ",", format->name, k,
                                  info.limits.subgroupSize, static_cast<uint32_t>(MatvecInput::Bytes));
        }
    }
    std::ofstream(folder.file(fmt::format("matvec-{}.json", driverIdentity(info))))
        << fmt::format(R"({{"version":1,"shapes":[{}]}})", shapes);
    vulkan.reset();
    openVulkan(folder.path().string(), ActivationType::Auto);
    ASSERT_TRUE(vulkan);
    const MatvecShapes known(*device, *pipelines, ActivationType::Auto, folder.path().string());

    for (const quant::QuantFormat* format : quant::allFormats()) {
        SCOPED_TRACE(format->name);
        const WeightFormat* planes = findWeightFormat(format->id);
        if (!planes || !findShader(fmt::format("matvec_int_{}", planes->name))) continue;
        const uint32_t width = widthOf(*format);
        ASSERT_EQ(known.find(*planes, width).input, MatvecInput::Bytes);

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
