/// The device chooses the tokens that the CPU's sampler chooses from the same logits.
#include "engine/backend/vulkan/program/token_sampler.h"

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>

#include "engine/backend/vulkan/memory/step_buffer.h"
#include "engine/sampling/sampler.h"
#include "tests/engine/backend_vulkan/vulkan_test.h"
#include "tests/every_case.h"

namespace ingle::backend::vulkan {
namespace {

constexpr StepCapacity kCapacity{4, 1};

class TokenSamplerTest : public VulkanTest {
  protected:
    void SetUp() override {
        VulkanTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        transfer = Transfer::create(*device, *pipelines).value();
        shapes.emplace(*device, *pipelines, ActivationType::F32, std::string());
        kernels.emplace(device->info(), ActivationType::F32);
        attention.emplace(device->info());
        context.emplace(DeviceContext{*device, *pipelines, *transfer, *shapes, *kernels, *attention});
        sampler = TokenSampler::create(*context, 1).value();
        memory.emplace(*device, MemoryUse::Device);
        const uint64_t sizes[] = {kCapacity.bytes(), uint64_t{1} << 20};
        const auto ranges = memory->allocate(sizes).value();
        step = ranges[0];
        scratch = ranges[1];
    }

    void TearDown() override {
        commands.reset();
        sampler.reset();
        memory.reset();
        transfer.reset();
        VulkanTest::TearDown();
    }

    /// Logits of this many tokens from now on.
    void setWidth(uint32_t width) {
        logits = memory->allocate(width * sizeof(float)).value();
        Recorder recorder(*device, *pipelines);
        ASSERT_TRUE(recorder.fill(step, 0));
        ASSERT_TRUE(sampler->record(0, width, {logits, step, scratch}, recorder));
        commands = recorder.finish().value();
    }

    void setLogits(std::span<const float> values) {
        ASSERT_TRUE(transfer->upload(logits, std::as_bytes(values)));
    }

    Result<TokenId> choose(const SamplerParams& params, uint64_t position, uint32_t numIds) {
        sampler->setParams(0, params, position, numIds);
        INGLE_TRY(commands->run(kTestLimit));
        return sampler->chosen(0, numIds);
    }

    std::unique_ptr<Transfer> transfer;
    std::optional<MatvecShapes> shapes;
    std::optional<MatmulKernels> kernels;
    std::optional<AttentionKernels> attention;
    std::optional<DeviceContext> context;
    std::unique_ptr<TokenSampler> sampler;
    std::optional<Allocator> memory;
    BufferRange logits, step, scratch;
    std::unique_ptr<Commands> commands;
};

const std::vector<SamplerParams> kParams = {
    {.temperature = 0},
    {.seed = 1},  // the defaults
    {.temperature = 1, .topK = 64, .topP = 1, .minP = 0, .seed = 2},
    {.temperature = 1, .topK = 1, .seed = 3},
    {.temperature = 1, .topK = 50, .topP = 0.5f, .minP = 0, .seed = 4},
    {.temperature = 1, .topK = 40, .topP = 0, .minP = 0, .seed = 5},
    {.temperature = 1.5f, .topK = 40, .topP = 1, .minP = 0.3f, .seed = 6},
    {.temperature = 1.5f, .topK = 40, .topP = 1, .minP = 1, .seed = 7},
    {.temperature = 8, .topK = 64, .topP = 0.999f, .minP = 0.001f, .seed = 8},
    {.temperature = 0.05f, .topK = 64, .topP = 1, .minP = 0, .seed = 9},
    {.temperature = 1e-30f, .topK = 64, .topP = 1, .minP = 0, .seed = 10},
};

/// Different kinds of logits.
std::vector<std::vector<float>> logitsOf(uint32_t width, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<std::vector<float>> kinds(4, std::vector<float>(width));
    for (uint32_t i = 0; i < width; ++i) {
        kinds[0][i] = 3 * normal(random);
        kinds[1][i] = std::round(normal(random)) * 0.5f;  // ties, of 0 and -0 too
        kinds[2][i] = 1e-3f * normal(random);             // nearly all the same
        kinds[3][i] = 1000 * normal(random) - 20000;      // far apart
    }
    return kinds;
}

TEST_F(TokenSamplerTest, choosesWhatTheCpuChooses) {
    std::mt19937 random(7);
    sampling::Sampler right;
    const uint64_t numPositions = test::triesEveryCase() ? 12 : 4;
    // One workgroup, several, and several rounds of them.
    for (const uint32_t width : {1U, 5U, 320U, 1024U, 1025U, 5000U, 70000U}) {
        setWidth(width);
        std::set<TokenId> seen;
        for (const auto& values : logitsOf(width, random)) {
            setLogits(values);
            for (const SamplerParams& params : kParams) {
                ASSERT_TRUE(sampling::needsOnlyBest(params, TokenSampler::kMaxCandidates));
                for (uint64_t position = 0; position < numPositions; ++position) {
                    const TokenId expected = right.sample(values, params, {}, position);
                    const auto chosen = choose(params, position, width);
                    ASSERT_TRUE(chosen) << chosen.error().message;
                    ASSERT_EQ(*chosen, expected)
                        << width << " logits, seed " << params.seed << ", position " << position;
                    seen.insert(expected);
                }
            }
        }
        EXPECT_GE(seen.size(), std::min(width, 20U));  // it is not always the same
    }
}

TEST_F(TokenSamplerTest, boundariesBetweenTokensAreWhereTheCpuHasThem) {
    constexpr uint32_t kWidth = 64;
    std::mt19937 random(8);
    std::normal_distribution<float> normal;
    sampling::Sampler right;
    setWidth(kWidth);
    std::vector<float> values(kWidth);
    for (float& value : values) value = 2 * normal(random);
    setLogits(values);
    SamplerParams params{.temperature = 1, .topK = 64, .topP = 1, .minP = 0};
    std::set<TokenId> seen;
    for (params.seed = 0; params.seed < 4000; ++params.seed) {
        const TokenId expected = right.sample(values, params, {}, 3);
        ASSERT_EQ(choose(params, 3, kWidth).value(), expected) << params.seed;
        seen.insert(expected);
    }
    EXPECT_GT(seen.size(), 40U);
}

TEST_F(TokenSamplerTest, idsWithoutATokenAreNotChosen) {
    for (const uint32_t width : {320U, 5000U}) {
        setWidth(width);
        std::vector<float> values(width);
        for (uint32_t i = 0; i < width; ++i) values[i] = static_cast<float>(i) * 0.01f;
        setLogits(values);
        for (const uint32_t numIds : {1U, 2U, 200U, width}) {
            EXPECT_EQ(choose({.temperature = 0}, 0, numIds).value(), static_cast<TokenId>(numIds - 1));
            sampling::Sampler right;
            const SamplerParams params{.temperature = 2, .topP = 1, .minP = 0, .seed = 5};
            EXPECT_EQ(choose(params, 1, numIds).value(),
                      right.sample(std::span(values).first(numIds), params, {}, 1));
        }
    }
}

TEST_F(TokenSamplerTest, aLogitThatIsNoNumberIsAnError) {
    for (const uint32_t width : {320U, 5000U}) {
        setWidth(width);
        for (const uint32_t at : {0U, 100U, width - 1}) {
            for (const float wrong : {NAN, INFINITY, -INFINITY}) {
                std::vector<float> values(width, 0.5f);
                values[at] = wrong;
                setLogits(values);
                const auto chosen = choose({.seed = 1}, 0, width - 5);
                ASSERT_FALSE(chosen) << at;
                EXPECT_EQ(chosen.error().code, ErrorCode::Device);
                EXPECT_EQ(chosen.error().message,
                          "the graphics device computed a value that is not a number");
                values[at] = std::numeric_limits<float>::max();
                setLogits(values);
                EXPECT_TRUE(choose({.seed = 1}, 0, width - 5));
            }
        }
    }
}

/// Every word of the step is the next step's.
TEST_F(TokenSamplerTest, theStepBecomesTheNextOne) {
    logits = memory->allocate(8 * sizeof(float)).value();
    setLogits(std::vector<float>{0, 0, 0, 1, 0, 0, 0, 0});
    std::vector<uint32_t> words(kCapacity.bytes() / sizeof(uint32_t));
    for (uint32_t i = 0; i < words.size(); ++i) words[i] = 100 + i;
    const auto stepIn = [](std::vector<uint32_t>& in) {
        return StepBuffer::at(reinterpret_cast<std::byte*>(in.data()), kCapacity);
    };
    stepIn(words).header.flags = 0;
    setStateSlots(7, 8, stepIn(words));
    std::vector<uint32_t> expected = words;
    const StepBuffer before = stepIn(words), next = stepIn(expected);
    next.entries[0].token = 3;
    next.entries[0].run.firstPosition = before.entries[0].run.firstPosition + 1;
    next.entries[0].run.slot = 7;
    next.entries[0].run.slotAfter = 8;
    next.header.freeSlot = before.entries[0].run.slot;
    ASSERT_TRUE(transfer->upload(step, std::as_bytes(std::span(words))));
    Recorder recorder(*device, *pipelines);
    ASSERT_TRUE(sampler->record(0, 8, {logits, step, scratch}, recorder));
    commands = recorder.finish().value();
    EXPECT_EQ(choose({.temperature = 0}, 0, 8).value(), 3);
    ASSERT_TRUE(transfer->download(step, std::as_writable_bytes(std::span(words))));
    EXPECT_EQ(words, expected);
}

}  // namespace
}  // namespace ingle::backend::vulkan
