/// The shapes of matvec workgroups: each computes the same, and the fastest is found once per driver.
#include "engine/backend/vulkan/matvec/matvec_shapes.h"

#include <cstring>
#include <fstream>
#include <set>

#include "tests/engine/backend_vulkan/synth_model.h"
#include "tests/engine/backend_vulkan/two_backends.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kShapeRows = 16;

/// Normalised squared error of rounding to bytes: a step of max/127 errs by step²/12 in the mean, of each of
/// 32 values whose squares add up to max² at least; a layer and the logits are five products in a row.
constexpr double kShapesBytesError = 5 * 32 / (12.0 * 127 * 127);

class MatvecShapesTest : public TwoBackends {
  protected:
    std::string path(std::string_view exact = {}) const {
        return m_folder.file(fmt::format("matvec{}-{}.json", exact, driverIdentity(info)));
    }
    void writeFile(const std::string& text) const { std::ofstream(path()) << text; }
    std::string readFile() const {
        std::ifstream file(path());
        return {std::istreambuf_iterator<char>(file), {}};
    }
    MatvecShape found(const std::string& folder, ActivationType activations = ActivationType::Auto) {
        return MatvecShapes(*device, *pipelines, activations, folder).find(m_q8, 128, 1).value();
    }
    MatvecShape found(ActivationType activations = ActivationType::Auto) {
        return found(m_folder.path().string(), activations);
    }
    std::vector<MatvecShape> candidates(ActivationType activations, uint32_t rows) const {
        return matvecCandidates(info, m_q8, activations, rows);
    }
    void open(ActivationType activations = ActivationType::Auto) {
        vulkan.reset();
        openVulkan(m_folder.path().string(), activations);
    }

    /// Logits of one and of several rows.
    std::vector<float> logits(Backend& backend) {
        PlanRunner runner(backend, m_model.plan, m_model.memory);
        const std::vector<TokenId> tokens{1, 5, 9, 13, 2, 7, 4, 3, 11, 6, 12, 8};
        auto logits = runner.feed(*runner.sequence(), tokens, 1);
        for (const size_t chunk : {3, 16}) {
            const auto together = runner.feed(*runner.sequence(), tokens, chunk);
            logits.insert(logits.end(), together.begin(), together.end());
        }
        return logits;
    }

    const test::TemporaryFolder m_folder;
    const test::TemporaryFolder m_modelFolder;
    const SynthModel m_model =
        openSynthModel(m_modelFolder, {.sizes = {.numLayers = 1}, .quant = "Q8_0"}, kShapeRows);
    const WeightFormat& m_q8 = *findWeightFormat(quant::findFormat("Q8_0")->id);
};

TEST_F(MatvecShapesTest, everyShapeComputesTheSame) {
    const auto expected = logits(*cpu);
    std::set<MatvecShape> shapes;
    for (const uint32_t rows : kMeasuredRows)
        std::ranges::copy(candidates(ActivationType::Auto, rows), std::inserter(shapes, shapes.end()));
    size_t numBytes = 0;
    for (const MatvecShape& shape : shapes) {
        const bool bytes = shape.input == MatvecInput::Bytes;
        numBytes += bytes;
        SCOPED_TRACE(fmt::format("{} invocations in {} teams of {} outputs, {} groups, {}", shape.invocations,
                                 shape.teams, shape.outputs, shape.groups, bytes ? "bytes" : "floats"));
        // Of another number of rows it is no candidate.
        ShapeTable table;
        for (uint32_t k = 1; k <= 4096; k *= 2) {
            for (const uint32_t rows : kMeasuredRows) {
                const auto all = candidates(ActivationType::Auto, rows);
                const bool may = std::ranges::find(all, shape) != all.end();
                table[{"q8_0", k, rows}] = {may ? shape : all.at(bytes ? 1 : 0), 5};
            }
        }
        // Attention and many rows may be in halves, too, where activations may be rounded.
        ASSERT_TRUE(writeShapeCache(path(bytes ? "" : "-f32"), table));
        open(bytes ? ActivationType::Auto : ActivationType::F32);
        const double error = nmse(logits(*vulkan), expected);
        EXPECT_LT(error, bytes ? kShapesBytesError : 1e-9);
        if (bytes) {
            EXPECT_GT(error, 1e-9) << "not in bytes";
        }
    }
    EXPECT_EQ(numBytes > 0, info.features.integerDot);
}

TEST_F(MatvecShapesTest, areMeasuredOnceAndRemembered) {
    open();
    const auto first = logits(*vulkan);
    const std::string remembered = readFile();
    EXPECT_NE(remembered.find("q8_0"), std::string::npos) << remembered;

    std::filesystem::last_write_time(path(), std::filesystem::file_time_type{});
    open();
    EXPECT_EQ(logits(*vulkan), first);
    EXPECT_EQ(std::filesystem::last_write_time(path()), std::filesystem::file_time_type{})
        << "measured again";
}

/// What a driver makes of one shape says nothing about the others.
TEST_F(MatvecShapesTest, shapesThatDoNotWorkAreLeftOut) {
    const auto transfer = Transfer::create(*device, *pipelines).value();
    WeightStore weights(*device, *transfer);
    const tensor::Tensor* tensor = m_model.file->bound.weights["blk.0.attn_q.weight"];
    const DeviceMatrix* matrix = weights.matrix({&tensor, 1}, RowOrder::Behind).value();
    const auto measured = [&](uint32_t rows) -> Result<std::optional<MatvecShape>> {
        std::filesystem::remove(path("-f32"));
        const auto uncompiled = Pipelines::create(*device, {}).value();
        MatvecShapes shapes(*device, *uncompiled, ActivationType::F32, m_folder.path().string());
        INGLE_TRY(shapes.measure({&matrix, 1}, MatmulKernels(info, ActivationType::F32)));
        return shapes.find(*matrix->format, matrix->k, rows);
    };
    auto& create = device->api().CreateComputePipelines;
    for (const uint32_t rows : {1u, 8u}) {
        for (const MatvecShape& refused : candidates(ActivationType::F32, rows)) {
            static std::vector<uint32_t> constants;
            constants = matvecKernel(refused, *matrix->format, rows, kPlainEpilogue).constants;
            static const auto compile = create;
            const auto real =
                std::exchange(create, [](VkDevice device, VkPipelineCache cache, uint32_t count,
                                         const VkComputePipelineCreateInfo* infos,
                                         const VkAllocationCallbacks* allocation, VkPipeline* pipeline) {
                    const VkSpecializationInfo& given = *infos->stage.pSpecializationInfo;
                    const bool isRefused = given.dataSize == constants.size() * sizeof(uint32_t) &&
                                           std::memcmp(given.pData, constants.data(), given.dataSize) == 0;
                    return isRefused ? VK_ERROR_INITIALIZATION_FAILED
                                     : compile(device, cache, count, infos, allocation, pipeline);
                });
            const auto shape = measured(rows);
            create = real;
            ASSERT_TRUE(shape) << shape.error().message;
            EXPECT_NE(*shape, refused);
        }
    }
    auto& submit = device->api().QueueSubmit;
    failCall(submit, 1, VK_ERROR_INITIALIZATION_FAILED);
    const auto shape = measured(1);
    ASSERT_TRUE(shape) << shape.error().message;
    EXPECT_TRUE(hasFailed(submit));
    EXPECT_NE(*shape, candidates(ActivationType::F32, 1)[0]);
    EXPECT_TRUE(std::filesystem::exists(path("-f32")));

    // None works: the guess is not remembered as if it had been measured.
    const auto real = std::exchange(
        create, [](VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo*,
                   const VkAllocationCallbacks*, VkPipeline*) { return VK_ERROR_INITIALIZATION_FAILED; });
    const auto guess = measured(1);
    ASSERT_TRUE(guess) << guess.error().message;
    EXPECT_EQ(*guess, found(std::string(), ActivationType::F32));
    EXPECT_FALSE(std::filesystem::exists(path("-f32")));
    create = real;

    failCall(submit, 1, VK_ERROR_DEVICE_LOST);
    const auto lost = measured(1);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, ErrorCode::Device);
}

TEST_F(MatvecShapesTest, exactActivationsAreNeverRounded) {
    for (const uint32_t rows : kMeasuredRows)
        for (const MatvecShape& shape : candidates(ActivationType::F32, rows))
            EXPECT_EQ(shape.input, MatvecInput::Floats);
    open(ActivationType::F32);
    EXPECT_LT(nmse(logits(*vulkan), logits(*cpu)), 1e-9);
    EXPECT_TRUE(std::filesystem::exists(path("-f32")));
    EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(MatvecShapesTest, withoutAFolderNothingIsMeasured) {
    const MatvecShape guess = found(std::string());
    EXPECT_EQ(guess.invocations, info.limits.subgroupSize);
    EXPECT_EQ(guess.input, MatvecInput::Floats);
    logits(*vulkan);
    EXPECT_TRUE(std::filesystem::is_empty(m_folder.path()));
}

TEST_F(MatvecShapesTest, aFileThatIsNotOursIsIgnored) {
    const MatvecShape guess = found(std::string());
    const MatvecShape other = candidates(ActivationType::Auto, 1).back();
    ASSERT_NE(other, guess);
    const auto file = [&](const std::string& row) {
        return fmt::format(R"({{"version":4,"rows":[{}]}})", row);
    };
    const auto row = [&](uint32_t invocations) {
        return fmt::format(R"(["q8_0",128,1,0,{},{},{},{},{},5])", invocations, other.teams, other.outputs,
                           other.groups, other.subgroupSize);
    };
    writeFile(file(row(other.invocations)));
    ASSERT_EQ(found(), other);
    for (const std::string& text :
         {std::string(), std::string("{"), std::string("[]"), std::string("7"),
          std::string(R"({"version":4})"), std::string(R"({"version":4,"rows":{}})"),
          std::string(R"({"version":"4","rows":[]})"),
          fmt::format(R"({{"version":3,"rows":[{}]}})", row(other.invocations)), file(row(17)),
          file(row(100000)), file(R"(["q8_0",128,1,7,16,1,2,1,0,5])"),
          file(R"(["q8_0",128,1,0,-1,1,2,1,0,5])"), file(R"(["q8_0",128,3,0,0,0,0,0,0,5])"),
          file(R"(["q8_0",128,1,0,0,0,0,0,0,5])"), file(row(other.invocations) + "," + row(17)),
          file(R"(["q9",128,1,0,16,1,2,1,0,5])"), file(R"(["q8_0",128])"), file("[1,2,3,4,5,6,7,8,9,10]")}) {
        SCOPED_TRACE(text);
        writeFile(text);
        EXPECT_EQ(found(), guess);
    }
}

/// What is chosen for one row and for several adds up alike, and so rows beside each other change no bit.
TEST_F(MatvecShapesTest, theFastestGiveTheSameForARowAloneAndBesideOthers) {
    for (const ActivationType activations : {ActivationType::Auto, ActivationType::F32}) {
        open(activations);
        PlanRunner runner(*vulkan, m_model.plan, m_model.memory);
        const std::vector<TokenId> tokens{1, 5, 9, 13, 2, 7, 4, 3, 11, 6, 12, 8};
        const auto alone = runner.feed(*runner.sequence(), tokens, 1);
        for (const size_t chunk : {2, 3, 5, 8})
            EXPECT_EQ(runner.feed(*runner.sequence(), tokens, chunk), alone) << chunk;
        const MatvecShapes shapes(*device, *pipelines, activations, m_folder.path().string());
        const auto one = shapes.find(m_q8, 128, 1).value(), several = shapes.find(m_q8, 128, 8).value();
        EXPECT_TRUE(one.addsUpLike(several));
    }
}

/// More rows than a matvec takes, or as many as a product of many rows computes faster.
TEST_F(MatvecShapesTest, manyRowsAreLeftToProducts) {
    ShapeTable table;
    table[{"q8_0", 128, 1}] = table[{"q8_0", 128, 8}] = {simplestMatvec(info), 5};
    table[{"q8_0", 128, 16}] = {kNoMatvec, 0};
    ASSERT_TRUE(writeShapeCache(path(), table));
    const MatvecShapes shapes(*device, *pipelines, ActivationType::Auto, m_folder.path().string());
    for (const uint32_t rows : {1u, 2u, 4u, 8u})
        EXPECT_EQ(shapes.find(m_q8, 128, rows), simplestMatvec(info));
    EXPECT_EQ(shapes.find(m_q8, 128, 16), std::nullopt);
}

}  // namespace
}  // namespace ingle::backend::vulkan
