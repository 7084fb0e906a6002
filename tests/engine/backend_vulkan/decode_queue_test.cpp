/// Steps queued ahead of the host give the tokens, and leave the memory, of steps that wait for it.
#include "engine/backend/vulkan/program/decode_queue.h"

#include "engine/sampling/sampler.h"
#include "tests/engine/backend_vulkan/synth_model.h"
#include "tests/engine/backend_vulkan/two_backends.h"
#include "tests/every_case.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kQueueRows = 40;
const SamplerParams kGreedy{.temperature = 0};
const SamplerParams kDrawn{.temperature = 1, .topP = 0.9f, .minP = 0.01f, .seed = 3};

std::vector<TokenId> someTokens(uint32_t count) {
    std::vector<TokenId> tokens;
    for (uint32_t i = 0; i < count; ++i) tokens.push_back(static_cast<TokenId>((i * 37 + 11) % 320));
    return tokens;
}

class VulkanDecode : public TwoBackends, public testing::WithParamInterface<const char*> {
  protected:
    void SetUp() override {
        TwoBackends::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        m_model = openSynthModel(m_folder, {.family = GetParam(), .quant = "Q8_0"}, kQueueRows);
        ASSERT_TRUE(m_model.file);
        m_runner.emplace(*vulkan, m_model.plan, m_model.memory, KvType::F16);
    }
    void TearDown() override {
        m_runner.reset();
        TwoBackends::TearDown();
    }

    std::unique_ptr<SequenceMemory> prompted(uint32_t numTokens = 70) {
        auto sequence = m_runner->sequence();
        m_runner->feed(*sequence, someTokens(numTokens), kQueueRows);
        return sequence;
    }

    /// The host samples after each step: the tokens chosen after `token`.
    std::vector<TokenId> unqueued(SequenceMemory& sequence, TokenId token, const SamplerParams& params,
                                  uint32_t count) {
        sampling::Sampler sampler;
        std::vector<TokenId> ids;
        for (uint32_t i = 0; i < count; ++i) {
            const SequenceRun run{&sequence, 1};
            token = sampler.sample(m_runner->run({&token, 1}, {&run, 1}), params, {}, i);
            ids.push_back(token);
        }
        return ids;
    }

    DecodeOrder order(SequenceMemory& sequence, TokenId token, const SamplerParams& params,
                      uint32_t maxSteps) const {
        return {.rows = {{&sequence, token, params, 0, 320}}, .maxSteps = maxSteps};
    }

    /// The queue is told to end after `count` of at most `maxSteps` steps.
    std::vector<TokenId> queued(SequenceMemory& sequence, TokenId token, const SamplerParams& params,
                                uint32_t count, uint32_t maxSteps) {
        auto queue = m_runner->program->decodeAhead(order(sequence, token, params, maxSteps));
        EXPECT_TRUE(queue && *queue);
        std::vector<TokenId> ids;
        for (uint32_t i = 0; i < count; ++i) {
            const auto id = (*queue)->next();
            EXPECT_TRUE(id) << (id ? "" : id.error().message);
            ids.push_back(id ? (*id)[0] : -1);
        }
        return ids;
    }

    /// Answers beside each other: of different lengths, by different samplers.
    static constexpr uint32_t kMany = 3;  // a step is recorded for four rows
    using Sequences = std::vector<std::unique_ptr<SequenceMemory>>;
    Sequences promptedMany() {
        Sequences sequences;
        for (const uint32_t numTokens : {70U, 3U, 62U}) sequences.push_back(prompted(numTokens));
        return sequences;
    }
    DecodeOrder orderMany(const Sequences& sequences, uint32_t maxSteps) const {
        DecodeOrder all{.rows = {}, .maxSteps = maxSteps};
        for (uint32_t i = 0; i < kMany; ++i)
            all.rows.push_back({sequences[i].get(), firstOf(i), samplerOf(i), 2 * i, 320});
        return all;
    }
    static TokenId firstOf(uint32_t row) { return static_cast<TokenId>(5 + row); }
    static SamplerParams samplerOf(uint32_t row) {
        if (row == 1) return kGreedy;
        SamplerParams params = kDrawn;
        params.seed += row;
        return params;
    }
    /// The host samples after each step of all: [steps][kMany].
    std::vector<std::vector<TokenId>> unqueuedMany(const Sequences& sequences, uint32_t count) {
        sampling::Sampler sampler;
        std::vector<std::vector<TokenId>> steps;
        std::vector<TokenId> tokens;
        std::vector<SequenceRun> runs;
        for (uint32_t i = 0; i < kMany; ++i) {
            tokens.push_back(firstOf(i));
            runs.push_back({sequences[i].get(), 1});
        }
        for (uint32_t step = 0; step < count; ++step) {
            const std::vector<float> logits = m_runner->run(tokens, runs);
            for (uint32_t i = 0; i < kMany; ++i)
                tokens[i] =
                    sampler.sample(std::span(logits).subspan(i * 320, 320), samplerOf(i), {}, 2 * i + step);
            steps.push_back(tokens);
        }
        return steps;
    }
    static void expectSame(const Sequences& sequences, const Sequences& expected) {
        for (uint32_t i = 0; i < kMany; ++i) {
            EXPECT_EQ(sequences[i]->length(), expected[i]->length()) << i;
            EXPECT_EQ(sequences[i]->save().value().bytes, expected[i]->save().value().bytes) << i;
        }
    }

    const test::TemporaryFolder m_folder;
    SynthModel m_model;
    std::optional<PlanRunner> m_runner;
};

TEST_P(VulkanDecode, endsAnywhereAndGoesOn) {
    for (const SamplerParams& params : {kGreedy, kDrawn}) {
        for (const uint32_t count : {0U, 1U, 2U, 3U, 4U, 5U, 9U}) {
            SCOPED_TRACE(count);
            const auto right = prompted();
            const auto ours = prompted();
            const auto expected = unqueued(*right, 5, params, count);
            EXPECT_EQ(queued(*ours, 5, params, count, 12), expected);
            ASSERT_EQ(ours->length(), right->length());
            EXPECT_EQ(ours->save().value().bytes, right->save().value().bytes);
            // In the way it began, in the other way, and through the same queue's end.
            EXPECT_EQ(queued(*ours, 7, params, 3, 3), unqueued(*right, 7, params, 3));
            EXPECT_EQ(unqueued(*ours, 8, params, 2), unqueued(*right, 8, params, 2));
            const auto fork = ours->fork(ours->length()).value();
            const auto rightFork = right->fork(right->length()).value();
            EXPECT_EQ(queued(*fork, 9, params, 2, 4), unqueued(*rightFork, 9, params, 2));
            EXPECT_EQ(ours->save().value().bytes, right->save().value().bytes);
            EXPECT_EQ(fork->save().value().bytes, rightFork->save().value().bytes);
        }
    }
}

TEST_P(VulkanDecode, drawsDifferFromTheBest) {  // or the test above would say little
    const auto a = prompted();
    const auto b = prompted();
    EXPECT_NE(unqueued(*a, 5, kGreedy, 9), unqueued(*b, 5, kDrawn, 9));
}

TEST_P(VulkanDecode, severalEndAnywhereAndGoOn) {
    for (const uint32_t count : {0U, 1U, 2U, 3U, 4U, 8U}) {
        SCOPED_TRACE(count);
        const Sequences right = promptedMany(), ours = promptedMany();
        const auto expected = unqueuedMany(right, count);
        {
            auto queue = m_runner->program->decodeAhead(orderMany(ours, 12));
            ASSERT_TRUE(queue && *queue);
            for (uint32_t step = 0; step < count; ++step) {
                const auto ids = (*queue)->next();
                ASSERT_TRUE(ids) << ids.error().message;
                EXPECT_EQ(std::vector<TokenId>(ids->begin(), ids->end()), expected[step]) << step;
            }
        }
        expectSame(ours, right);
        // One of them alone, and all once more.
        EXPECT_EQ(queued(*ours[1], 7, kDrawn, 3, 9), unqueued(*right[1], 7, kDrawn, 3));
        const auto next = unqueuedMany(right, 2);
        auto queue = m_runner->program->decodeAhead(orderMany(ours, 2)).value();
        for (const auto& step : next) EXPECT_TRUE(std::ranges::equal(queue->next().value(), step));
        queue.reset();
        expectSame(ours, right);
    }
}

/// Where there are no slots for steps ahead, several answers go on without, and one says what it lacks.
TEST_P(VulkanDecode, severalGoOnWithoutSlots) {
    const Sequences right = promptedMany();
    const auto expected = unqueuedMany(right, 5);
    const bool hasStates = !m_model.memory.states.empty();
    for (const size_t free : {0, 1, 5, 6}) {
        SCOPED_TRACE(free);
        const Sequences ours = promptedMany();
        Sequences others;
        for (auto other = m_runner->pool->createSequence(); other; other = m_runner->pool->createSequence())
            others.push_back(std::move(*other));
        others.resize(others.size() - free);
        EXPECT_EQ(m_runner->program->decodeAhead(order(*ours[0], 5, kGreedy, 9)).has_value(),
                  !hasStates || free >= 2);
        auto queue = m_runner->program->decodeAhead(orderMany(ours, 9)).value();
        for (const auto& step : expected) EXPECT_TRUE(std::ranges::equal(queue->next().value(), step));
        queue.reset();
        expectSame(ours, right);
    }
}

TEST_P(VulkanDecode, crossesPagesAndManySlots) {
    const auto right = prompted(60);
    const auto ours = prompted(60);
    const auto expected = unqueued(*right, 5, kDrawn, 90);
    EXPECT_EQ(queued(*ours, 5, kDrawn, 90, 90), expected);
    EXPECT_EQ(ours->save().value().bytes, right->save().value().bytes);
    // Slots come back: there are twelve, and a queue needs two more than its sequence's.
    std::vector<std::unique_ptr<SequenceMemory>> others;
    for (int i = 0; i < 20; ++i) {
        if (others.size() == 8) others.erase(others.begin());
        others.push_back(ours->fork(ours->length()).value());
        queued(*others.back(), 5, kGreedy, 2, 9);
    }
    EXPECT_EQ(ours->save().value().bytes, right->save().value().bytes);
}

TEST_P(VulkanDecode, whatItCannotDoIsLeftToTheHost) {
    const auto sequence = prompted(3);
    SamplerParams penalised = kDrawn;
    penalised.repeatPenalty = 1.1f;
    SamplerParams wide = kDrawn;
    wide.topK = 65;
    SamplerParams all = kDrawn;
    all.topK = 0;
    SamplerParams typical = kDrawn;
    typical.typicalP = 0.9f;
    SamplerParams biased = kGreedy;
    biased.logitBias = {{3, 1}};
    const Sequences several = promptedMany();
    for (const SamplerParams& params : {penalised, wide, all, typical, biased}) {
        const auto queue = m_runner->program->decodeAhead(order(*sequence, 5, params, 3));
        ASSERT_TRUE(queue);
        EXPECT_FALSE(*queue);
        DecodeOrder one = orderMany(several, 3);
        one.rows[1].sampler = params;
        EXPECT_FALSE(m_runner->program->decodeAhead(one).value());
    }
    EXPECT_FALSE(m_runner->program->decodeAhead(order(*sequence, 320, kGreedy, 3)));
    auto queue = m_runner->program->decodeAhead(order(*sequence, 5, kGreedy, 1)).value();
    EXPECT_TRUE(queue->next());
    EXPECT_FALSE(queue->next());
    queue.reset();
    EXPECT_EQ(sequence->length(), 4U);
}

/// Counts what a queue asks of the driver.
struct Calls {
    static inline PFN_vkQueueSubmit realSubmit = nullptr;
    static inline PFN_vkWaitSemaphores realWait = nullptr;
    static inline std::string log;  // s: a submission, w: a wait

    static VkResult submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
        log += 's';
        return realSubmit(queue, count, infos, fence);
    }
    static VkResult wait(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t limit) {
        log += 'w';
        return realWait(device, info, limit);
    }
};

TEST_P(VulkanDecode, theHostIsTwoStepsBehind) {
    const auto sequence = prompted(3);
    auto queue = m_runner->program->decodeAhead(order(*sequence, 5, kGreedy, 8)).value();
    Api& api = vulkan->device().api();
    Calls::realSubmit = std::exchange(api.QueueSubmit, Calls::submit);
    Calls::realWait = std::exchange(api.WaitSemaphores, Calls::wait);
    Calls::log.clear();
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(queue->next());
    EXPECT_EQ(Calls::log,
              "sssw"
              "sw"
              "sw"
              "sw"
              "sw"
              "sw"
              "w"
              "w");
    Calls::log.clear();
    queue.reset();
    EXPECT_EQ(Calls::log, "w");
    api.QueueSubmit = Calls::realSubmit;
    api.WaitSemaphores = Calls::realWait;
}

TEST_P(VulkanDecode, aDeviceLostAtAnySubmissionIsAnError) {
    for (uint32_t nth = 1;; ++nth) {
        SCOPED_TRACE(nth);
        auto sequence = prompted(70);
        auto made = m_runner->program->decodeAhead(order(*sequence, 5, kGreedy, 6));
        ASSERT_TRUE(made);
        failCall(vulkan->device().api().QueueSubmit, nth, VK_ERROR_DEVICE_LOST);
        uint32_t told = 0;
        Status last;
        for (; told < 6 && last; told += last.has_value() ? 1 : 0) {
            const auto id = (*made)->next();
            if (!id) last = tl::unexpected(id.error());
        }
        made->reset();
        EXPECT_EQ(sequence->length(), 70 + told);
        if (told == 6) {
            EXPECT_EQ(nth, 7U);
            failCall(vulkan->device().api().QueueSubmit, 0, VK_SUCCESS);
            break;
        }
        EXPECT_EQ(last.error().code, ErrorCode::Device);
        EXPECT_EQ(told, nth <= 3 ? 0 : nth - 3);
        // Another device, since this one is lost.
        sequence.reset();
        m_runner.reset();
        openVulkan();
        m_runner.emplace(*vulkan, m_model.plan, m_model.memory, KvType::F16);
    }
}

TEST_P(VulkanDecode, aDeviceLostBesideSeveralAnswersIsAnError) {
    for (const uint32_t nth : {1U, 2U, 4U, 5U}) {
        SCOPED_TRACE(nth);
        Sequences sequences = promptedMany();
        auto made = m_runner->program->decodeAhead(orderMany(sequences, 6));
        ASSERT_TRUE(made);
        failCall(vulkan->device().api().QueueSubmit, nth, VK_ERROR_DEVICE_LOST);
        uint32_t told = 0;
        while (const auto ids = (*made)->next()) ++told;
        EXPECT_EQ(told, nth <= 3 ? 0 : nth - 3);
        made->reset();
        EXPECT_EQ(sequences[0]->length(), 70 + told);
        EXPECT_EQ(sequences[1]->length(), 3 + told);
        EXPECT_EQ(sequences[2]->length(), 62 + told);
        sequences.clear();
        m_runner.reset();
        openVulkan();
        m_runner.emplace(*vulkan, m_model.plan, m_model.memory, KvType::F16);
    }
}

/// A transformer and a recurrent model; `./dev soak device` takes their like, too.
std::vector<const char*> decodeFamilies() {
    if (test::triesEveryCase())
        return {"llama", "qwen2", "rwkv4", "rwkv5", "rwkv7", "qwen35", "granitehybrid"};
    return {"qwen2", "rwkv7"};
}

INSTANTIATE_TEST_SUITE_P(Table, VulkanDecode, testing::ValuesIn(decodeFamilies()),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle::backend::vulkan
