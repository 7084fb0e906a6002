/// Answers that are decoded ahead on the device are those of a host that waits for each token, whatever
/// happens meanwhile.
#include <deque>
#include <fstream>
#include <set>

#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "tests/engine/backend_vulkan/two_backends.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/every_case.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::backend::vulkan {
namespace {

using test::RecordingSink;

/// Calls of an entry of the table, whatever it returns.
template <typename Function>
struct Counted;
template <typename... Args>
struct Counted<VkResult (*)(Args...)> {
    static inline VkResult (*real)(Args...) = nullptr;
    static inline uint32_t calls = 0;
    static VkResult call(Args... args) {
        ++calls;
        return real(args...);
    }
};

/// The number grows with each call of the entry.
template <typename Function>
const uint32_t& countCalls(Function& entry) {
    using C = Counted<Function>;
    C::real = entry;
    C::calls = 0;
    entry = C::call;
    return C::calls;
}

/// How far submissions are ahead of the host.
struct Lead {
    static inline PFN_vkQueueSubmit realSubmit = nullptr;
    static inline PFN_vkWaitSemaphores realWait = nullptr;
    static inline uint32_t now = 0, most = 0;

    static VkResult submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
        most = std::max(most, ++now);
        return realSubmit(queue, count, infos, fence);
    }
    static VkResult wait(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t limit) {
        now = 0;
        return realWait(device, info, limit);
    }
    static void measure(Api& api) {
        realSubmit = std::exchange(api.QueueSubmit, submit);
        realWait = std::exchange(api.WaitSemaphores, wait);
        now = most = 0;
    }
};

class QueuedAnswers : public VulkanTest, public testing::WithParamInterface<const char*> {
  protected:
    void SetUp() override {
        VulkanTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0"}, m_path));
    }

    enum class Where { Queued, Unqueued, Processor };

    /// A model, and answers of it.
    struct Run {
        Run(QueuedAnswers& test, Where where, uint32_t contextTokens)
            : model(session::Model::load(
                        test::opened(test.m_path),
                        {.threads = 1, .contextTokens = contextTokens, .activations = ActivationType::F32},
                        nullptr, test.devices(where, *this))
                        .value()),
              scheduler(*model, nullptr) {}
        ~Run() {
            // A device that was lost is gone, and its complaints were of the test's making.
            if (model->info().backend != "cpu" && backend) {
                EXPECT_THAT(backend->instance().validationMessages(), testing::IsEmpty());
            }
        }

        RecordingSink& submit(const GenerateRequest& request) {
            RecordingSink& sink = sinks.emplace_back();
            sink.id = scheduler.submit(request, sink);
            return sink;
        }
        void finish() {
            while (scheduler.step()) {
            }
        }
        RecordingSink& answer(const GenerateRequest& request) {
            RecordingSink& sink = submit(request);
            finish();
            EXPECT_TRUE(sink.result) << (sink.error ? sink.error->message : "");
            return sink;
        }
        Api& api() { return backend->device().api(); }

        OpenedBackend* backend = nullptr;
        test::Faults noFaults;
        std::unique_ptr<session::Model> model;
        session::Scheduler scheduler;
        std::deque<RecordingSink> sinks;
    };

    session::DeviceFactory devices(Where where, Run& run) {
        return [this, where, &run](const LoadOptions&) -> Result<session::ChosenDevice> {
            session::ChosenDevice chosen;
            if (where == Where::Processor) return chosen;
            INGLE_TRY_ASSIGN(auto created, Instance::create());
            INGLE_TRY_ASSIGN(auto opened,
                             OpenedBackend::open(std::move(created), info, ActivationType::F32, {}));
            run.backend = opened.get();
            chosen.backend = std::move(opened);
            // Whatever is between has no queue.
            if (where != Where::Queued)
                chosen.backend =
                    std::make_unique<test::FaultyBackend>(run.noFaults, std::move(chosen.backend));
            return chosen;
        };
    }

    static GenerateRequest chat(const SamplerParams& sampler, uint32_t maxTokens) {
        GenerateRequest request;
        request.messages = {textMessage(Role::User, "What is a fire?")};
        request.sampler = sampler;
        request.maxTokens = maxTokens;
        return request;
    }
    static GenerateRequest text(const SamplerParams& sampler, uint32_t numTokens, uint32_t maxTokens) {
        GenerateRequest request;
        for (uint32_t i = 0; i < numTokens; ++i)
            request.rawTokens.push_back(static_cast<TokenId>(3 + i * 7 % 300));
        request.sampler = sampler;
        request.maxTokens = maxTokens;
        return request;
    }
    /// The same conversation with an answer and another question.
    static GenerateRequest continued(GenerateRequest request, const std::string& answer) {
        request.messages.push_back(textMessage(Role::Assistant, answer));
        request.messages.push_back(textMessage(Role::User, "And then?"));
        return request;
    }

    /// In the model's file.
    void setEndToken(TokenId id) {
        std::fstream file(m_path, std::ios::in | std::ios::out | std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        constexpr std::string_view kKey = "tokenizer.ggml.eos_token_id";
        const size_t at = bytes.find(kKey);
        ASSERT_NE(at, std::string::npos);
        file.seekp(static_cast<std::streamoff>(at + kKey.size() + sizeof(uint32_t)));  // the value's type
        file.write(reinterpret_cast<const char*>(&id), sizeof(id));
    }

    static void expectSameAnswer(const RecordingSink& sink, const RecordingSink& expected) {
        EXPECT_EQ(sink.ids, expected.ids);
        EXPECT_EQ(sink.text, expected.text);
        ASSERT_TRUE(sink.result && expected.result);
        EXPECT_EQ(sink.result->reason, expected.result->reason);
        EXPECT_EQ(sink.result->withheld, expected.result->withheld);
        EXPECT_EQ(sink.result->stats.newTokens, expected.result->stats.newTokens);
    }
    /// Also what was read again, which of several answers depends on whose prompt is made first.
    static void expectSame(const RecordingSink& sink, const RecordingSink& expected) {
        expectSameAnswer(sink, expected);
        ASSERT_TRUE(sink.result && expected.result);
        EXPECT_EQ(sink.result->stats.cachedTokens, expected.result->stats.cachedTokens);
    }

    std::vector<GenerateRequest> several() const;

    /// A test that loads the model anew for each case takes one family, and the others in `./dev soak`.
    static bool loadsOften() { return test::triesEveryCase() || std::string_view(GetParam()) == "qwen2"; }

    static constexpr uint32_t kContext = 256;
    const SamplerParams m_greedy{.temperature = 0};
    const SamplerParams m_drawn{.temperature = 1.3f, .topK = 64, .topP = 0.98f, .minP = 0, .seed = 11};
    test::TemporaryFolder m_folder;
    std::string m_path;
};

/// The other tests would say nothing if nothing was queued.
TEST_P(QueuedAnswers, areQueued) {
    // The first step's values, then a step for each turn.
    constexpr uint32_t kAhead = 1 + kNumTurns;
    SamplerParams penalised = m_drawn;
    penalised.repeatPenalty = 1.2f;
    Run ours(*this, Where::Queued, kContext);
    Lead::measure(ours.api());
    ours.answer(chat(penalised, 9));
    EXPECT_LT(Lead::most, kAhead);
    for (const SamplerParams& sampler : {m_greedy, m_drawn, SamplerParams{}}) {
        Lead::most = 0;
        ours.answer(chat(sampler, 9));
        EXPECT_GE(Lead::most, kAhead);
    }
    Run others(*this, Where::Unqueued, kContext);
    Lead::measure(others.api());
    others.answer(chat(m_greedy, 9));
    EXPECT_LT(Lead::most, kAhead);
}

TEST_P(QueuedAnswers, areTheSame) {
    Run ours(*this, Where::Queued, kContext);
    Run right(*this, Where::Unqueued, kContext);
    std::vector<GenerateRequest> all{chat({}, 12), text(m_greedy, 90, 5), text(m_drawn, 5, 150)};
    // Until the context is full, and with what needs the host.
    if (std::string_view(GetParam()).starts_with("llama")) all.push_back(text(m_drawn, 200, 0));
    SamplerParams penalised = m_drawn;
    penalised.repeatPenalty = 1.2f;
    all.push_back(chat(penalised, 5));
    for (const GenerateRequest& request : all) {
        const RecordingSink& expected = right.answer(request);
        expectSame(ours.answer(request), expected);
        if (request.messages.empty()) continue;
        const GenerateRequest next = continued(request, expected.text);
        expectSame(ours.answer(next), right.answer(next));
    }
}

TEST_P(QueuedAnswers, endAtAnEndTokenAnywhere) {
    if (!loadsOften()) GTEST_SKIP() << "loads the model for each case: this family only in ./dev soak device";
    GenerateRequest request;
    request.rawPrompt = "What is";
    request.sampler = m_drawn;
    request.maxTokens = 7;
    const std::vector<TokenId> whole = Run(*this, Where::Unqueued, kContext).answer(request).ids;
    std::set<size_t> ends;
    for (const TokenId end : whole) {
        setEndToken(end);
        Run ours(*this, Where::Queued, kContext);
        Run right(*this, Where::Unqueued, kContext);
        const RecordingSink& expected = right.answer(request);
        EXPECT_EQ(expected.result->reason, StopReason::EndOfText);
        expectSame(ours.answer(request), expected);
        ends.insert(expected.ids.size());
        GenerateRequest next = request;
        next.rawPrompt += expected.text + " and";
        expectSame(ours.answer(next), right.answer(next));
    }
    EXPECT_GE(ends.size(), 5U);
}

TEST_P(QueuedAnswers, endAtStopStringsAndLimitsAnywhere) {
    Run ours(*this, Where::Queued, kContext);
    Run right(*this, Where::Unqueued, kContext);
    const std::string whole = right.answer(chat(m_drawn, 12)).text;
    EXPECT_EQ(ours.answer(chat(m_drawn, 12)).text, whole);
    for (uint32_t at = 0; at < 8; ++at) {
        SCOPED_TRACE(at);
        GenerateRequest limited = chat(m_drawn, at + 1);
        expectSame(ours.answer(limited), right.answer(limited));
        GenerateRequest stopped = chat(m_drawn, 12);
        const size_t first = whole.size() * at / 9;
        stopped.stops = {whole.substr(first, 2)};
        const RecordingSink& expected = right.answer(stopped);
        expectSame(ours.answer(stopped), expected);
        const GenerateRequest next = continued(stopped, expected.text);
        expectSame(ours.answer(next), right.answer(next));
    }
}

TEST_P(QueuedAnswers, canBeCancelledAnywhereAndGoneOnWith) {
    Run ours(*this, Where::Queued, kContext);
    Run right(*this, Where::Unqueued, kContext);
    for (size_t after = 1; after < 7; ++after) {
        SCOPED_TRACE(after);
        const GenerateRequest request = chat(m_drawn, 20);
        const auto cancelled = [&](Run& run) -> const RecordingSink& {
            RecordingSink& sink = run.submit(request);
            while (sink.ids.size() < after) run.scheduler.step();
            run.scheduler.cancel(sink.id);
            run.finish();
            return sink;
        };
        const RecordingSink& expected = cancelled(right);
        EXPECT_EQ(expected.result->reason, StopReason::Cancelled);
        expectSame(cancelled(ours), expected);
        GenerateRequest resumed = request;
        resumed.resumeIds = expected.ids;
        expectSame(ours.answer(resumed), right.answer(resumed));
        const GenerateRequest next = continued(request, expected.text);
        expectSame(ours.answer(next), right.answer(next));
    }
}

TEST_P(QueuedAnswers, othersMayJoinAnyTime) {
    Run ours(*this, Where::Queued, kContext);
    Run right(*this, Where::Unqueued, kContext);
    const GenerateRequest first = text(m_drawn, 20, 14);
    const std::vector<TokenId> alone = right.answer(first).ids;
    for (size_t after = 1; after < 6; ++after) {
        SCOPED_TRACE(after);
        // Another text, the beginning of the same, and an answer that needs the host.
        GenerateRequest others[] = {text(m_greedy, 100, 4), text(m_greedy, 18, 3), chat(m_drawn, 3)};
        others[2].sampler.repeatPenalty = 1.1f;
        const auto joined = [&](Run& run) {
            std::vector<const RecordingSink*> sinks{&run.submit(first)};
            while (sinks[0]->ids.size() < after) run.scheduler.step();
            for (const GenerateRequest& other : others) sinks.push_back(&run.submit(other));
            run.finish();
            return sinks;
        };
        const auto expected = joined(right);
        const auto actual = joined(ours);
        EXPECT_EQ(actual[0]->ids, alone);
        for (size_t i = 0; i < actual.size(); ++i) EXPECT_EQ(actual[i]->ids, expected[i]->ids) << i;
    }
}

/// Answers beside each other: of different samplers, prompts and lengths, some of which end at a stop string.
std::vector<GenerateRequest> QueuedAnswers::several() const {
    std::vector<GenerateRequest> all{chat({}, 20), text(m_greedy, 60, 14), text(m_drawn, 5, 30)};
    all.push_back(text(m_drawn, 20, 9));
    all.back().sampler.seed = 5;
    all.push_back(chat(m_drawn, 25));
    all.back().stops = {"e", "7"};
    return all;
}

TEST_P(QueuedAnswers, areQueuedBesideEachOther) {
    constexpr uint32_t kAhead = 1 + kNumTurns;
    Run ours(*this, Where::Queued, kContext);
    Lead::measure(ours.api());
    const auto mostAhead = [&](const std::vector<GenerateRequest>& requests) {
        for (const GenerateRequest& request : requests) ours.submit(request);
        while (ours.sinks.back().ids.empty()) ours.scheduler.step();
        Lead::most = 0;
        for (int i = 0; i < 4; ++i) ours.scheduler.step();
        const uint32_t most = Lead::most;
        ours.finish();
        return most;
    };
    EXPECT_GE(mostAhead({text(m_greedy, 3, 9), text(m_drawn, 5, 9)}), kAhead);
    EXPECT_GE(mostAhead({text(m_greedy, 3, 9), text(m_drawn, 5, 9), chat({}, 9)}), kAhead);
    SamplerParams penalised = m_drawn;
    penalised.repeatPenalty = 1.2f;
    EXPECT_LT(mostAhead({text(m_greedy, 3, 9), text(penalised, 5, 9)}), kAhead);
}

TEST_P(QueuedAnswers, areTheSameBesideEachOther) {
    Run ours(*this, Where::Queued, kContext);
    Run right(*this, Where::Unqueued, kContext);
    for (Run* run : {&ours, &right}) {
        for (const GenerateRequest& request : several()) run->submit(request);
        run->finish();
    }
    for (size_t i = 0; i < ours.sinks.size(); ++i) {
        SCOPED_TRACE(i);
        expectSameAnswer(ours.sinks[i], right.sinks[i]);
    }
    const GenerateRequest next = continued(several()[0], right.sinks[0].text);
    expectSameAnswer(ours.answer(next), right.answer(next));
}

TEST_P(QueuedAnswers, anyOfSeveralCanBeCancelled) {
    Run ours(*this, Where::Queued, kContext);
    Run right(*this, Where::Unqueued, kContext);
    for (size_t after = 1; after < 6; ++after) {
        SCOPED_TRACE(after);
        const auto requests = several();
        const size_t cancelled = after % requests.size();
        const auto run = [&](Run& where) {
            std::vector<const RecordingSink*> sinks;
            for (const GenerateRequest& request : requests) sinks.push_back(&where.submit(request));
            while (sinks[cancelled]->ids.size() < after && !sinks[cancelled]->result) where.scheduler.step();
            where.scheduler.cancel(sinks[cancelled]->id);
            where.finish();
            return sinks;
        };
        const auto expected = run(right), actual = run(ours);
        for (size_t i = 0; i < actual.size(); ++i) expectSameAnswer(*actual[i], *expected[i]);
    }
}

/// Of nine answers one waits, and does not keep the others from being decoded ahead.
TEST_P(QueuedAnswers, goOnWhileAnotherWaits) {
    Run ours(*this, Where::Queued, kContext);
    Run right(*this, Where::Unqueued, kContext);
    const auto submitAll = [&](Run& run) {
        for (uint32_t i = 0; i < 9; ++i) {
            GenerateRequest request = text(m_drawn, 3 + i, 12 + i);
            request.sampler.seed = i;
            run.submit(request);
        }
    };
    submitAll(right);
    right.finish();
    submitAll(ours);
    Lead::measure(ours.api());
    while (ours.sinks[7].ids.size() < 4) {
        if (ours.sinks[7].ids.empty()) Lead::most = 0;
        ASSERT_TRUE(ours.scheduler.step());
    }
    EXPECT_TRUE(ours.sinks[8].ids.empty());
    // Recurrent states of so many have no slots for steps ahead.
    EXPECT_EQ(Lead::most >= 1 + kNumTurns, ours.model->memorySpec().states.empty());
    ours.finish();
    for (size_t i = 0; i < ours.sinks.size(); ++i) expectSameAnswer(ours.sinks[i], right.sinks[i]);
}

TEST_P(QueuedAnswers, ofSeveralGoOnOnTheProcessorWhereverTheDeviceIsLost) {
    if (!loadsOften()) GTEST_SKIP() << "loads the model for each case: this family only in ./dev soak device";
    const std::vector<GenerateRequest> requests{text(m_greedy, 20, 9), text(m_drawn, 5, 12), chat({}, 7)};
    Run right(*this, Where::Processor, kContext);
    for (const GenerateRequest& request : requests) right.submit(request);
    right.finish();
    for (const uint32_t nth : {1U, 2U, 3U, 4U, 5U, 7U, 9U, 11U}) {
        SCOPED_TRACE(nth);
        Run ours(*this, Where::Queued, kContext);
        for (const GenerateRequest& request : requests) ours.submit(request);
        while (ours.sinks.back().ids.empty()) ASSERT_TRUE(ours.scheduler.step());
        failCall(ours.api().QueueSubmit, nth, VK_ERROR_DEVICE_LOST);
        ours.finish();
        EXPECT_EQ(ours.model->info().backend, "cpu");
        for (size_t i = 0; i < requests.size(); ++i) {
            EXPECT_EQ(ours.sinks[i].ids, right.sinks[i].ids) << i;
            ASSERT_TRUE(ours.sinks[i].result) << i;
        }
        // Some may have ended before.
        EXPECT_TRUE(std::ranges::any_of(ours.sinks,
                                        [](const RecordingSink& sink) { return sink.devices.size() == 1; }));
    }
}

TEST_P(QueuedAnswers, goOnOnTheProcessorWhereverTheDeviceIsLost) {
    if (!loadsOften()) GTEST_SKIP() << "loads the model for each case: this family only in ./dev soak device";
    const GenerateRequest request = chat(m_drawn, 9);
    Run right(*this, Where::Processor, kContext);
    const RecordingSink& expected = right.answer(request);
    for (uint32_t nth = 1;; ++nth) {
        SCOPED_TRACE(nth);
        Run ours(*this, Where::Queued, kContext);
        RecordingSink& sink = ours.submit(request);
        while (sink.ids.empty()) ASSERT_TRUE(ours.scheduler.step());
        failCall(ours.api().QueueSubmit, nth, VK_ERROR_DEVICE_LOST);
        ours.finish();
        EXPECT_EQ(sink.ids, expected.ids);
        EXPECT_EQ(sink.text, expected.text);
        ASSERT_TRUE(sink.result);
        const bool failed = ours.model->info().backend == "cpu";
        EXPECT_EQ(sink.devices.size(), failed ? 1U : 0U);
        if (failed) continue;
        failCall(ours.api().QueueSubmit, 0, VK_SUCCESS);
        EXPECT_GE(nth, 8U);  // eight more tokens, and the way to the queue
        break;
    }
}

TEST_P(QueuedAnswers, takeNoMemoryAfterTheModelIsLoaded) {
    Run ours(*this, Where::Queued, kContext);
    const uint32_t& allocations = countCalls(ours.api().AllocateMemory);
    {  // Before conversations fill the memory, which only the scheduler ends.
        const auto sequence = ours.model->memory().createSequence().value();
        const std::vector<TokenId> tokens(70, 7);
        const SequenceRun run{sequence.get(), 70};
        ASSERT_TRUE(ours.model->program().run({tokens, {&run, 1}, {}}));
        const SavedState saved = sequence->save().value();
        const auto fork = sequence->fork(70).value();
        EXPECT_TRUE(fork->restore(saved));
    }
    for (const uint32_t numTokens : {1U, 2U, 3U, 7U, 20U, 64U, 100U})
        ours.answer(text(m_drawn, numTokens, 3));
    ours.answer(text(m_greedy, 10, 240));  // over pages
    SamplerParams penalised = m_drawn;
    penalised.repeatPenalty = 1.2f;
    GenerateRequest request = chat(m_drawn, 5);
    for (int i = 0; i < 3; ++i) request = continued(request, ours.answer(request).text);
    ours.answer(chat(penalised, 5));
    EXPECT_EQ(allocations, 0U);
    // It would have been seen.
    ASSERT_TRUE(ours.model->compileAllLogits(1));
    EXPECT_GT(allocations, 0U);
}

/// Memory is there for two conversations that fill the context. What is idle makes room; of more that run at
/// once the last wait, and the device is kept.
TEST_P(QueuedAnswers, takeNoMemoryForSeveralLongConversations) {
    Run ours(*this, Where::Queued, kContext);
    const uint32_t& allocations = countCalls(ours.api().AllocateMemory);
    const auto conversation = [&](uint32_t i) {
        GenerateRequest request = text(m_greedy, kContext - 20, 10);
        request.rawTokens[0] += static_cast<TokenId>(i);
        return request;
    };
    for (uint32_t i = 0; i < 5; ++i) ours.answer(conversation(i));
    for (uint32_t i = 5; i < 7; ++i) ours.submit(conversation(i));
    ours.finish();
    EXPECT_EQ(allocations, 0U);
    EXPECT_EQ(ours.model->info().backend, "vulkan");
    for (const RecordingSink& sink : ours.sinks) EXPECT_TRUE(sink.result && sink.devices.empty());
    if (ours.model->memorySpec().kv.empty()) return;  // a recurrent state never grows
    for (uint32_t i = 7; i < 10; ++i) ours.submit(conversation(i));
    ours.finish();
    EXPECT_EQ(ours.model->info().backend, "vulkan");
    for (const RecordingSink& sink : ours.sinks) {
        ASSERT_TRUE(sink.result) << sink.error->message;
        EXPECT_TRUE(sink.devices.empty());
    }
}

/// A transformer and a recurrent model; `./dev soak device` takes their like, too.
std::vector<const char*> queuedFamilies() {
    if (test::triesEveryCase()) return {"llama", "qwen2", "rwkv5", "rwkv7", "qwen35"};
    return {"qwen2", "rwkv7"};
}

INSTANTIATE_TEST_SUITE_P(Table, QueuedAnswers, testing::ValuesIn(queuedFamilies()),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle::backend::vulkan
