/// The shapes of matvec workgroups: each computes the same, and the fastest is found once per driver.
#include "engine/backend/vulkan/matvec/matvec_shapes.h"

#include <fstream>

#include "tests/engine/backend_vulkan/synth_model.h"
#include "tests/engine/backend_vulkan/two_backends.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kShapeRows = 8;

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
        return MatvecShapes(*device, *pipelines, activations, folder).find(m_q8, 128);
    }
    MatvecShape found(ActivationType activations = ActivationType::Auto) {
        return found(m_folder.path().string(), activations);
    }
    std::vector<MatvecShape> candidates(ActivationType activations = ActivationType::Auto) const {
        return matvecCandidates(info, m_q8, activations);
    }
    void open(ActivationType activations = ActivationType::Auto) {
        vulkan.reset();
        openVulkan(m_folder.path().string(), activations);
    }

    /// Logits of one and of several rows.
    std::vector<float> logits(Backend& backend) {
        PlanRunner runner(backend, m_model.plan, m_model.memory);
        const std::vector<TokenId> tokens{1, 5, 9, 13, 2, 7};
        auto logits = runner.feed(*runner.sequence(), tokens, 1);
        const auto together = runner.feed(*runner.sequence(), tokens, 3);
        logits.insert(logits.end(), together.begin(), together.end());
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
    size_t numBytes = 0;
    for (const MatvecShape& shape : candidates()) {
        const bool bytes = shape.input == MatvecInput::Bytes;
        numBytes += bytes;
        SCOPED_TRACE(fmt::format("{} invocations, {}", shape.invocations, bytes ? "bytes" : "floats"));
        std::string rows;
        for (uint32_t k = 1; k <= 4096; k *= 2)
            rows += fmt::format("{}[\"q8_0\",{},{},{}]", k > 1 ? "," : "", k, shape.invocations,
                                static_cast<uint32_t>(shape.input));
        writeFile(fmt::format(R"({{"version":1,"shapes":[{}]}})", rows));
        ASSERT_EQ(found(), shape);
        open();
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
    const auto measured = [&]() -> Result<MatvecShape> {
        std::filesystem::remove(path("-f32"));
        const auto uncompiled = Pipelines::create(*device, {}).value();
        MatvecShapes shapes(*device, *uncompiled, ActivationType::F32, m_folder.path().string());
        INGLE_TRY(shapes.measure({&matrix, 1}));
        return shapes.find(*matrix->format, matrix->k);
    };
    const auto all = candidates(ActivationType::F32);
    auto& create = device->api().CreateComputePipelines;
    for (uint32_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE(i);
        failCall(create, i + 1, VK_ERROR_INITIALIZATION_FAILED);
        const auto shape = measured();
        ASSERT_TRUE(shape) << shape.error().message;
        EXPECT_TRUE(hasFailed(create));
        EXPECT_NE(*shape, all[i]);
    }
    auto& submit = device->api().QueueSubmit;
    failCall(submit, 1, VK_ERROR_INITIALIZATION_FAILED);
    const auto shape = measured();
    ASSERT_TRUE(shape) << shape.error().message;
    EXPECT_TRUE(hasFailed(submit));
    EXPECT_NE(*shape, all[0]);
    EXPECT_TRUE(std::filesystem::exists(path("-f32")));

    // None works: the guess is not remembered as if it had been measured.
    const auto real = std::exchange(
        create, [](VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo*,
                   const VkAllocationCallbacks*, VkPipeline*) { return VK_ERROR_INITIALIZATION_FAILED; });
    const auto guess = measured();
    ASSERT_TRUE(guess) << guess.error().message;
    EXPECT_EQ(*guess, found(std::string(), ActivationType::F32));
    EXPECT_FALSE(std::filesystem::exists(path("-f32")));
    create = real;

    failCall(submit, 1, VK_ERROR_DEVICE_LOST);
    const auto lost = measured();
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, ErrorCode::Device);
}

TEST_F(MatvecShapesTest, exactActivationsAreNeverRounded) {
    for (const MatvecShape& shape : candidates(ActivationType::F32))
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
    const MatvecShape other{info.limits.subgroupSize * 2, MatvecInput::Floats};
    writeFile(fmt::format(R"({{"version":1,"shapes":[["q8_0",128,{},0]]}})", other.invocations));
    ASSERT_EQ(found(), other);
    for (const std::string_view text :
         {"", "{", "[]", "7", R"({"version":1})", R"({"version":1,"shapes":{}})",
          R"({"version":"1","shapes":[]})", R"({"version":9,"shapes":[["q8_0",128,16,0]]})",
          R"({"version":1,"shapes":[["q8_0",128,17,0]]})",
          R"({"version":1,"shapes":[["q8_0",128,100000,0]]})",
          R"({"version":1,"shapes":[["q8_0",128,-1,0]]})", R"({"version":1,"shapes":[["q8_0",128,16,7]]})",
          R"({"version":1,"shapes":[["q8_0",128,16,0],["q8_0",64,17,0]]})",
          R"({"version":1,"shapes":[["q9",128,16,0]]})", R"({"version":1,"shapes":[["q8_0",128]]})",
          R"({"version":1,"shapes":[[1,2,3,4]]})"}) {
        SCOPED_TRACE(text);
        writeFile(std::string(text));
        EXPECT_EQ(found(), guess);
    }
}

}  // namespace
}  // namespace ingle::backend::vulkan
