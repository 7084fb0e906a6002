/// Loads that do not fit the memory that is free: refused with the numbers, or made to fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/lab/synth.h"
#include "ingle/engine.h"
#include "tests/engine/session/little_memory.h"

namespace ingle {
namespace {

using test::LittleMemory;
using testing::HasSubstr;

constexpr uint64_t kMiB = 1 << 20;

class Fit : public testing::Test {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        lab::SynthOptions options{.family = "llama", .quant = "Q4_0"};
        // 4 KiB for each token of the context: 32 MiB for 8,192.
        options.sizes = {.dim = 256,
                         .ffnDim = 512,
                         .numLayers = 4,
                         .numHeads = 4,
                         .numKvHeads = 4,
                         .vocabSize = 512,
                         .context = 8192};
        ASSERT_TRUE(lab::writeSynthModel(options, m_path));
    }
    ModelInfo inspect(const LoadOptions& options = {}) { return inspectModel(m_path, options).value(); }

    test::TemporaryFolder m_folder;
    std::string m_path;
};

TEST_F(Fit, whatDoesNotFitIsRefusedWithTheNumbers) {
    const LittleMemory little(64 * kMiB, 8 * kMiB);
    const auto engine = Engine::load(m_path, {.backend = BackendChoice::Cpu}, nullptr);
    ASSERT_FALSE(engine);
    EXPECT_EQ(engine.error().code, ErrorCode::OutOfMemory);
    EXPECT_THAT(engine.error().message, HasSubstr("but 8 MB of 67 MB are free"));
    EXPECT_FALSE(inspect().memory.fits());
}

TEST_F(Fit, loadAnywayLoads) {
    const LittleMemory little(64 * kMiB, 8 * kMiB);
    EXPECT_TRUE(Engine::load(m_path, {.backend = BackendChoice::Cpu, .loadAnyway = true}, nullptr));
}

TEST_F(Fit, theContextIsShortenedBeforeAnythingIsRefused) {
    EXPECT_EQ(inspect().contextTokens, 8192u);
    EXPECT_EQ(inspect().contextNote, "");
    const uint64_t need = inspect({.contextTokens = 2048}).memory.needBytes();
    const LittleMemory little(1024 * kMiB, need + kMiB);
    const auto engine = Engine::load(m_path, {.backend = BackendChoice::Cpu}, nullptr);
    ASSERT_TRUE(engine) << engine.error().message;
    EXPECT_EQ((*engine)->info().contextTokens, 2048u);
    EXPECT_THAT((*engine)->info().contextNote, HasSubstr("2048 tokens"));
    EXPECT_TRUE((*engine)->info().memory.fits());
    // A context that was asked for is not touched.
    EXPECT_FALSE(Engine::load(m_path, {.backend = BackendChoice::Cpu, .contextTokens = 4096}, nullptr));
}

TEST_F(Fit, everyChoiceKeepsItsWord) {
    const LoadOptions wanted{.backend = BackendChoice::Cpu, .contextTokens = 8192};
    const uint64_t need = inspect(wanted).memory.needBytes();
    const LittleMemory little(1024 * kMiB, need - 10 * kMiB);
    const MemoryEstimate memory = inspect(wanted).memory;
    ASSERT_EQ(memory.choices.size(), 2u);
    for (const FitChoice& choice : memory.choices) {
        LoadOptions options = wanted;
        options.contextTokens = choice.contextTokens;
        options.kv = choice.kv;
        EXPECT_TRUE(Engine::load(m_path, options, nullptr));
        EXPECT_EQ(inspect(options).memory.needBytes(), choice.needBytes);
    }
}

}  // namespace
}  // namespace ingle
