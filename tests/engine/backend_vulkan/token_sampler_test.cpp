/// The device chooses the tokens that the CPU's sampler chooses from the same logits, for each row of a step.
#include "engine/backend/vulkan/program/token_sampler.h"

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>

#include "engine/backend/vulkan/memory/step_buffer.h"
#include "engine/backend/vulkan/recording/op_recording.h"
#include "engine/sampling/sampler.h"
#include "tests/engine/backend_vulkan/vulkan_test.h"
#include "tests/every_case.h"

namespace ingle::backend::vulkan {
namespace {

constexpr StepCapacity kCapacity{4, 4};

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
        sampler = TokenSampler::create(*context, 1, kCapacity.rows).value();
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

    /// Logits of this many tokens from now on, in so many rows of a step that was recorded for up to
    /// `recordedRows`.
    void setWidth(uint32_t width, uint32_t rows = 1, uint32_t recordedRows = 1) {
        logits = memory->allocate(recordedRows * paddedWidth(width) * sizeof(float)).value();
        std::vector<uint32_t> words(kCapacity.bytes() / sizeof(uint32_t));
        stepIn(words).header.numLogitRows = rows;
        hostStep = memory->allocate(kCapacity.bytes()).value();
        ASSERT_TRUE(transfer->upload(hostStep, std::as_bytes(std::span(words))));
        Recorder recorder(*device, *pipelines);
        ASSERT_TRUE(recorder.copy(hostStep, step));
        ASSERT_TRUE(sampler->record(0, recordedRows, width, {logits, step, scratch}, recorder));
        commands = recorder.finish().value();
    }

    void setLogits(std::span<const float> values, uint32_t row = 0) {
        const uint64_t bytes = values.size_bytes();
        const BufferRange rowLogits = logits.part(row * paddedWidth(values.size()) * sizeof(float), bytes);
        ASSERT_TRUE(transfer->upload(rowLogits, std::as_bytes(values)));
    }

    Result<TokenId> choose(const SamplerParams& params, uint64_t position, uint32_t numIds) {
        sampler->setParams({0, 0}, params, position, numIds);
        INGLE_TRY(commands->run(kTestLimit));
        return sampler->chosen({0, 0}, numIds);
    }

    static StepBuffer stepIn(std::vector<uint32_t>& words) {
        return StepBuffer::at(reinterpret_cast<std::byte*>(words.data()), kCapacity);
    }

    std::unique_ptr<Transfer> transfer;
    std::optional<MatvecShapes> shapes;
    std::optional<MatmulKernels> kernels;
    std::optional<AttentionKernels> attention;
    std::optional<DeviceContext> context;
    std::unique_ptr<TokenSampler> sampler;
    std::optional<Allocator> memory;
    BufferRange logits, hostStep, step, scratch;
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

/// Each row by its own parameters, whatever the others are; rows that only fill a recording up have none.
TEST_F(TokenSamplerTest, rowsAreChosenByThemselves) {
    std::mt19937 random(9);
    sampling::Sampler right;
    constexpr uint32_t kRows = 3, kRecorded = 4;
    for (const uint32_t width : {5U, 1023U, 5001U, 70002U}) {
        SCOPED_TRACE(width);
        setWidth(width, kRows, kRecorded);
        const auto kinds = logitsOf(width, random);
        for (uint32_t row = 0; row < kRows; ++row) setLogits(kinds[row], row);
        setLogits(std::vector<float>(width, NAN), kRows);
        for (uint32_t first = 0; first < kParams.size(); ++first) {
            const auto paramsOf = [&](uint32_t row) { return kParams[(first + 3 * row) % kParams.size()]; };
            const auto numIds = [&](uint32_t row) { return std::max(1U, width - 2 * row); };
            for (uint32_t row = 0; row < kRows; ++row)
                sampler->setParams({0, row}, paramsOf(row), 4 + row, numIds(row));
            ASSERT_TRUE(commands->run(kTestLimit));
            for (uint32_t row = 0; row < kRows; ++row) {
                const auto logitsOfRow = std::span(kinds[row]).first(numIds(row));
                const auto chosen = sampler->chosen({0, row}, numIds(row));
                ASSERT_TRUE(chosen) << chosen.error().message;
                EXPECT_EQ(*chosen, right.sample(logitsOfRow, paramsOf(row), {}, 4 + row)) << row;
            }
        }
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

/// Every word of the step is the next step's, in all rows that it has.
TEST_F(TokenSamplerTest, theStepBecomesTheNextOne) {
    constexpr uint32_t kRows = 2;
    logits = memory->allocate(kCapacity.rows * 8 * sizeof(float)).value();
    setLogits(std::vector<float>{0, 0, 0, 1, 0, 0, 0, 0});
    setLogits(std::vector<float>{0, 0, 0, 0, 0, 0, 1, 0}, 1);
    std::vector<uint32_t> words(kCapacity.bytes() / sizeof(uint32_t));
    for (uint32_t i = 0; i < words.size(); ++i) words[i] = 100 + i;
    stepIn(words).header.flags = 0;
    stepIn(words).header.numLogitRows = kRows;
    for (uint32_t row = 0; row < kRows; ++row)
        setStateSlots(7 + 10 * row, 8 + 10 * row, stepIn(words).entries[row].run);
    std::vector<uint32_t> expected = words;
    const StepBuffer before = stepIn(words), next = stepIn(expected);
    for (uint32_t row = 0; row < kRows; ++row) {
        next.entries[row].token = row == 0 ? 3 : 6;
        next.entries[row].run.firstPosition = before.entries[row].run.firstPosition + 1;
        next.entries[row].run.slot = 7 + 10 * row;
        next.entries[row].run.slotAfter = 8 + 10 * row;
        next.entries[row].run.freeSlot = before.entries[row].run.slot;
    }
    ASSERT_TRUE(transfer->upload(step, std::as_bytes(std::span(words))));
    Recorder recorder(*device, *pipelines);
    ASSERT_TRUE(sampler->record(0, kCapacity.rows, 8, {logits, step, scratch}, recorder));
    commands = recorder.finish().value();
    sampler->setParams({0, 1}, {.temperature = 0}, 0, 8);
    EXPECT_EQ(choose({.temperature = 0}, 0, 8).value(), 3);
    EXPECT_EQ(sampler->chosen({0, 1}, 8).value(), 6);
    ASSERT_TRUE(transfer->download(step, std::as_writable_bytes(std::span(words))));
    EXPECT_EQ(words, expected);
}

}  // namespace
}  // namespace ingle::backend::vulkan
