/// The device fails at any moment: the same answers go on, on the processor, and one sentence says why.
#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <functional>
#include <thread>

#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using test::Faults;
using test::FaultyCall;
using test::RecordingSink;

using Requests = std::vector<GenerateRequest>;

class LostDevice : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0"}, m_path));
    }

    static DeviceFactory processorOnly() {
        return [](const LoadOptions&) -> Result<ChosenDevice> { return ChosenDevice{}; };
    }

    /// A chat, and two texts of which the second begins like the first.
    static Requests requests(size_t count) {
        GenerateRequest chat;
        chat.messages = {textMessage(Role::User, "What is a fire?")};
        chat.sampler = {.temperature = 1, .logitBias = {{2, -1000}}, .seed = 77};  // no end token
        chat.maxTokens = 9;
        GenerateRequest text;
        for (int i = 0; i < 90; ++i) text.rawTokens.push_back(3 + (i * 7) % 300);
        text.sampler = {.temperature = 0.9f, .repeatPenalty = 1.3f, .seed = 5};
        text.maxTokens = 6;
        GenerateRequest other = text;
        other.rawTokens[80] += 1;
        other.sampler.temperature = 0;
        Requests all{chat, text, other};
        all.resize(count);
        return all;
    }

    /// A model on a device with `faults`, and answers on it.
    struct Run {
        Run(const std::string& path, DeviceFactory device, LoadOptions options,
            const std::shared_ptr<SnapshotStore>& store = nullptr)
            : model(Model::load(test::opened(path), options, nullptr, std::move(device), test::unchecked)
                        .value()),
              scheduler(*model, store) {
            if (!store) return;
            // The model's hash is computed in the background, once, and then remembered here.
            while (std::filesystem::is_empty(store->folder() + "/models")) std::this_thread::yield();
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
            return sink;
        }
        bool onDevice() const { return model->info().backend == "faulty"; }

        std::unique_ptr<Model> model;
        Scheduler scheduler;
        std::deque<RecordingSink> sinks;
    };

    static LoadOptions options(uint32_t contextTokens = 256) {
        return {.threads = 1, .contextTokens = contextTokens};
    }
    Run run(Faults& faults, LoadOptions load = options(),
            const std::shared_ptr<SnapshotStore>& store = nullptr) {
        return Run(m_path, test::faultyDevices(faults), load, store);
    }

    /// What the processor answers when nothing disturbs it.
    std::vector<RecordingSink> undisturbed(const Requests& all, LoadOptions load = options()) {
        std::vector<RecordingSink> sinks;
        for (const GenerateRequest& request : all) {
            Run alone(m_path, processorOnly(), load);
            sinks.push_back(alone.answer(request));
            EXPECT_TRUE(sinks.back().result);
            EXPECT_TRUE(sinks.back().devices.empty());
        }
        return sinks;
    }

    static void expectSameAnswer(const RecordingSink& sink, const RecordingSink& expected) {
        EXPECT_EQ(sink.ids, expected.ids);
        EXPECT_EQ(sink.text, expected.text);
        ASSERT_TRUE(sink.result) << (sink.error ? sink.error->message : "no end");
        EXPECT_EQ(sink.result->reason, expected.result->reason);
        EXPECT_EQ(sink.result->withheld, expected.result->withheld);
        EXPECT_EQ(sink.result->stats.newTokens, expected.result->stats.newTokens);
        EXPECT_EQ(sink.result->stats.promptTokens, expected.result->stats.promptTokens);
        EXPECT_EQ(sink.planCount, 1);
    }

    /// All of `all` at once, while the n-th of the calls that `call` picks fails, for every n there is.
    void expectSameAnswersWhateverFails(const Requests& all, FaultyCall Faults::*call, int atLeast,
                                        ErrorCode code = ErrorCode::Device, LoadOptions load = options()) {
        const std::vector<RecordingSink> expected = undisturbed(all, load);
        for (int n = 0;; ++n) {
            SCOPED_TRACE(n);
            Faults faults;
            // Room is made for as long as there is something to drop.
            const int times = code == ErrorCode::OutOfMemory ? 10 : 1;
            for (int i = 0; i < times; ++i) (faults.*call).failing.insert(n + i);
            (faults.*call).code = code;
            Run lost = run(faults, load);
            for (const GenerateRequest& request : all) lost.submit(request);
            std::vector<bool> running(all.size(), true);  // at the last step on the device
            for (bool more = true; more;) {
                if (lost.onDevice()) {
                    for (size_t i = 0; i < all.size(); ++i) running[i] = !lost.sinks[i].result;
                }
                more = lost.scheduler.step();
            }
            const bool failed = (faults.*call).calls > n;
            EXPECT_NE(lost.onDevice(), failed);
            size_t told = 0;
            for (size_t i = 0; i < all.size(); ++i) {
                SCOPED_TRACE(i);
                const RecordingSink& sink = lost.sinks[i];
                expectSameAnswer(sink, expected[i]);
                EXPECT_LE(sink.devices.size(), failed && running[i] ? 1u : 0u);
                for (const DeviceStatus& device : sink.devices) {
                    ++told;
                    EXPECT_EQ(device.device, lost.model->info().device);
                    const std::string sentence =
                        fmt::format("The tested GPU failed, so the processor goes on: call {} failed",
                                    (faults.*call).calls - 1);
                    EXPECT_EQ(device.note, sentence);
                    EXPECT_EQ(device.note, lost.model->info().deviceNote);
                }
            }
            EXPECT_EQ(told > 0, failed);
            if (failed) continue;
            EXPECT_GE(n, atLeast);  // so many calls there were
            break;
        }
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
};

TEST_P(LostDevice, anyStepOfAnAnswerMayBeTheLast) {
    expectSameAnswersWhateverFails(requests(1), &Faults::run, 9);
}

TEST_P(LostDevice, anyStepOfThreeAnswersMayBeTheLast) {
    expectSameAnswersWhateverFails(requests(3), &Faults::run, 12);
}

TEST_P(LostDevice, anyLogitsMayBeNoNumbers) {
    expectSameAnswersWhateverFails(requests(1), &Faults::readOutput, 9);
    expectSameAnswersWhateverFails(requests(3), &Faults::readOutput, 9 + 6 + 6);
}

/// An answer that has just reached its end is not lengthened by what happens to another one.
TEST_P(LostDevice, answersEndWhereTheContextEnds) {
    Requests all = requests(3);
    for (GenerateRequest& request : all) request.maxTokens = 0;
    all[1].rawTokens.resize(84);
    all[2].rawTokens.resize(84);
    expectSameAnswersWhateverFails(all, &Faults::readOutput, 20, ErrorCode::Device, options(96));
}

TEST_P(LostDevice, anySequenceMayBeRefused) {
    expectSameAnswersWhateverFails(requests(3), &Faults::createSequence, 2);
    expectSameAnswersWhateverFails(requests(3), &Faults::createSequence, 2, ErrorCode::OutOfMemory);
}

TEST_P(LostDevice, memoryMayBeFullAtAnyStep) {
    expectSameAnswersWhateverFails(requests(3), &Faults::run, 12, ErrorCode::OutOfMemory);
}

/// What several answers fill is no fault of the device: the last of them waits.
TEST_P(LostDevice, memoryThatOthersFillIsWaitedFor) {
    const Requests all = requests(3);
    const std::vector<RecordingSink> expected = undisturbed(all, options());
    for (FaultyCall Faults::*call : {&Faults::run, &Faults::createSequence}) {
        Faults faults;
        // With all of them under way, and with others before it.
        (faults.*call).failing = {call == &Faults::run ? 8 : 1};
        (faults.*call).code = ErrorCode::OutOfMemory;
        Run full = run(faults, options());
        for (const GenerateRequest& request : all) full.submit(request);
        while (full.scheduler.step()) {
        }
        EXPECT_GT((faults.*call).calls, 2);
        EXPECT_TRUE(full.onDevice());
        for (size_t i = 0; i < all.size(); ++i) expectSameAnswer(full.sinks[i], expected[i]);
    }
}

/// A step that one of the answers spoils is repeated for each alone; the device may fail then, too.
TEST_P(LostDevice, anAnswerThatCannotBeEndsAlone) {
    Requests all = requests(3);
    const std::vector<RecordingSink> expected = undisturbed({all[0], all[2]});
    all[1].rawTokens[5] = 100'000;  // outside the vocabulary
    for (int n = 0; n < 12; ++n) {
        SCOPED_TRACE(n);
        Faults faults;
        faults.run.failing = {n};
        Run lost = run(faults);
        for (const GenerateRequest& request : all) lost.submit(request);
        lost.finish();
        EXPECT_FALSE(lost.onDevice());
        ASSERT_TRUE(lost.sinks[1].error);
        EXPECT_EQ(lost.sinks[1].error->code, ErrorCode::InvalidArgument);
        expectSameAnswer(lost.sinks[0], expected[0]);
        expectSameAnswer(lost.sinks[2], expected[1]);
    }
}

TEST_P(LostDevice, aDeviceThatCannotBeUsedIsReplacedAtLoadUnlessAskedForByName) {
    const std::vector<RecordingSink> expected = undisturbed(requests(1));
    for (const ErrorCode code : {ErrorCode::Device, ErrorCode::OutOfMemory, ErrorCode::Unsupported}) {
        for (FaultyCall Faults::*call :
             {&Faults::create, &Faults::checkRoom, &Faults::createMemory, &Faults::compile}) {
            Faults faults;
            (faults.*call).failing = {0, 1};
            (faults.*call).code = code;
            LoadOptions named = options();
            named.backend = BackendChoice::Vulkan;
            const auto refused = Model::load(test::opened(m_path), named, nullptr,
                                             test::faultyDevices(faults), test::unchecked);
            ASSERT_FALSE(refused);
            EXPECT_EQ(refused.error().message, "call 0 failed");

            Run automatic = run(faults);
            EXPECT_EQ(automatic.model->info().backend, "cpu");
            EXPECT_EQ(automatic.model->info().deviceNote,
                      "The graphics device is not used, so the processor computes: call 1 failed");
            // It stays so, and nobody is told again.
            for (int i = 0; i < 2; ++i) {
                const RecordingSink& sink = automatic.answer(requests(1)[0]);
                expectSameAnswer(sink, expected[0]);
                EXPECT_TRUE(sink.devices.empty());
            }
            EXPECT_EQ(faults.create.calls, 2);
        }
    }
}

TEST_P(LostDevice, aCancelTakesEffectWhileTheAnswerIsReadAgain) {
    Requests all = requests(3);
    all[1].rawTokens.resize(200, 9);
    const std::vector<RecordingSink> expected = undisturbed(all);
    for (const int stepsAfter : {0, 1, 2, 3}) {
        SCOPED_TRACE(stepsAfter);
        Faults faults;
        Run lost = run(faults);
        for (const GenerateRequest& request : all) lost.submit(request);
        RecordingSink& cancelled = lost.sinks[1];
        while (cancelled.ids.size() < 3) ASSERT_TRUE(lost.scheduler.step());
        faults.run.failing = {faults.run.calls};
        while (lost.onDevice()) ASSERT_TRUE(lost.scheduler.step());
        EXPECT_EQ(cancelled.devices.size(), 1u);  // at once
        for (int i = 0; i < stepsAfter; ++i) lost.scheduler.step();
        EXPECT_EQ(cancelled.ids.size(), 3u);
        lost.scheduler.cancel(cancelled.id);
        lost.scheduler.step();
        ASSERT_TRUE(cancelled.result);
        EXPECT_EQ(cancelled.result->reason, StopReason::Cancelled);
        EXPECT_EQ(cancelled.ids, std::vector(expected[1].ids.begin(), expected[1].ids.begin() + 3));
        lost.finish();
        for (const size_t i : {0u, 2u}) expectSameAnswer(lost.sinks[i], expected[i]);
    }
}

TEST_P(LostDevice, progressIsToldWhileTheAnswerIsReadAgain) {
    GenerateRequest request = requests(2)[1];
    request.rawTokens.resize(200, 9);
    Faults faults;
    Run lost = run(faults);
    RecordingSink& sink = lost.submit(request);
    while (sink.ids.size() < 3) lost.scheduler.step();
    EXPECT_EQ(sink.progressCount, 4);  // 200 tokens, 64 at a time
    faults.run.failing = {faults.run.calls};
    lost.finish();
    EXPECT_GE(sink.progressCount, 8);
    EXPECT_LE(sink.progressCount, 9);  // reading may stop where the prompt ends
    EXPECT_EQ(sink.result->stats.cachedTokens, 0u);
}

TEST_P(LostDevice, whatWasIdleIsReadAgainWhenItIsWanted) {
    GenerateRequest first = requests(2)[1];
    GenerateRequest longer = first;
    const std::vector<RecordingSink> expected = undisturbed({first});
    longer.rawTokens.insert(longer.rawTokens.end(), expected[0].ids.begin(), expected[0].ids.end());
    longer.rawTokens.push_back(8);
    const std::vector<RecordingSink> expectedLonger = undisturbed({longer});
    for (const bool isLost : {false, true}) {
        Faults faults;
        Run lost = run(faults);
        lost.answer(first);
        if (isLost) faults.run.failing = {faults.run.calls};
        lost.answer(requests(1)[0]);
        // Answers of one conversation try the device again; what the processor holds moves there.
        const RecordingSink& sink = lost.answer(longer);
        expectSameAnswer(sink, expectedLonger[0]);
        EXPECT_EQ(sink.result->stats.cachedTokens > 0, !isLost);
    }
}

TEST_P(LostDevice, eachConversationTriesTheDeviceAgainOnce) {
    GenerateRequest request = requests(2)[1];
    request.conversation = "7";
    const std::vector<RecordingSink> expected = undisturbed({request});
    Faults faults;
    Run lost = run(faults);
    faults.run.failing = {2};
    const RecordingSink& first = lost.answer(request);
    ASSERT_EQ(first.devices.size(), 1u);
    EXPECT_FALSE(lost.onDevice());
    EXPECT_EQ(faults.create.calls, 1);  // not in the middle of an answer

    // The next answer is on the device again, and goes on from what the processor holds.
    const RecordingSink& second = lost.answer(request);
    EXPECT_TRUE(lost.onDevice());
    ASSERT_EQ(second.devices.size(), 1u);
    EXPECT_EQ(second.devices[0], (DeviceStatus{"The tested GPU", ""}));
    EXPECT_EQ(lost.model->info().deviceNote, "");
    if (!lost.model->memorySpec().hasStates()) {
        EXPECT_GT(second.result->stats.cachedTokens, 80u);
    }

    // Lost again: this conversation stays where it is.
    faults.run.failing = {faults.run.calls + 3};
    const RecordingSink& third = lost.answer(request);
    ASSERT_EQ(third.devices.size(), 1u);
    EXPECT_NE(third.devices[0].note, "");
    const RecordingSink& fourth = lost.answer(request);
    EXPECT_TRUE(fourth.devices.empty());
    EXPECT_EQ(faults.create.calls, 2);

    // Another one tries; a device that cannot be made changes nothing.
    faults.create.failing = {2};
    GenerateRequest other = request;
    other.conversation = "8";
    const RecordingSink& fifth = lost.answer(other);
    EXPECT_TRUE(fifth.devices.empty());
    EXPECT_EQ(faults.create.calls, 3);
    EXPECT_EQ(lost.model->info().deviceNote, third.devices[0].note);
    other.conversation = "9";
    const RecordingSink& sixth = lost.answer(other);
    EXPECT_TRUE(lost.onDevice());
    for (const RecordingSink& sink : lost.sinks) expectSameAnswer(sink, expected[0]);
    EXPECT_EQ(sixth.devices.size(), 1u);
}

/// A device that can be made and nothing more: the retry ends where it began.
TEST_P(LostDevice, aRetryThatFailsAtOnceIsToldOnce) {
    const Requests all = requests(1);
    const std::vector<RecordingSink> expected = undisturbed(all);
    Faults faults;
    Run lost = run(faults);
    faults.run.failing = {3};
    lost.answer(all[0]);
    for (int i = 0; i < 3; ++i) faults.createSequence.failing.insert(faults.createSequence.calls + i);
    const RecordingSink& again = lost.answer(all[0]);
    EXPECT_FALSE(lost.onDevice());
    ASSERT_EQ(again.devices.size(), 1u);
    EXPECT_NE(again.devices[0].note, "");
    expectSameAnswer(again, expected[0]);
}

TEST_P(LostDevice, noOtherAnswerIsDisturbedByATry) {
    const Requests all = requests(3);
    const std::vector<RecordingSink> expected = undisturbed(all);
    Faults faults;
    Run lost = run(faults);
    lost.submit(all[1]);
    while (lost.sinks[0].ids.size() < 2) lost.scheduler.step();
    faults.run.failing = {faults.run.calls};
    while (lost.onDevice()) lost.scheduler.step();
    lost.submit(all[2]);  // while the first is to be read again
    lost.finish();
    EXPECT_EQ(faults.create.calls, 1);
    expectSameAnswer(lost.sinks[0], expected[1]);
    expectSameAnswer(lost.sinks[1], expected[2]);
}

class LostDeviceWithSnapshots : public LostDevice {
  protected:
    Run runWithStore(Faults& faults) { return run(faults, options(), m_store); }
    static GenerateRequest chat() {
        GenerateRequest request = requests(1)[0];
        request.messages[0].parts[0].text = "Tell me about fires, please. " + std::string(120, 'x');
        request.conversation = "7";
        return request;
    }

    std::shared_ptr<SnapshotStore> m_store = SnapshotStore::open({m_folder.file("snapshots")}).value();
};

TEST_P(LostDeviceWithSnapshots, anyRecordMayBeRefusedByTheDevice) {
    const std::vector<RecordingSink> expected = undisturbed({chat()});
    Faults none;
    runWithStore(none).answer(chat());
    m_store->waitUntilWritten();
    for (int n = 0;; ++n) {
        SCOPED_TRACE(n);
        Faults faults;
        faults.restore.failing = {n};
        Run lost = runWithStore(faults);
        const RecordingSink& sink = lost.answer(chat());
        expectSameAnswer(sink, expected[0]);
        EXPECT_GT(sink.result->stats.cachedTokens, 100u);  // the processor takes the same records
        const bool failed = faults.restore.calls > n;
        EXPECT_EQ(sink.devices.size(), failed ? 1u : 0u);
        if (failed) continue;
        EXPECT_GT(n, 0);
        break;
    }
}

TEST_P(LostDeviceWithSnapshots, whatIsOnDiskIsNotReadAgain) {
    const std::vector<RecordingSink> expected = undisturbed({chat()});
    Faults faults;
    Run lost = runWithStore(faults);
    RecordingSink& sink = lost.submit(chat());
    while (sink.ids.size() < 3) lost.scheduler.step();
    m_store->waitUntilWritten();
    const int before = sink.progressCount;
    faults.run.failing = {faults.run.calls};
    lost.finish();
    expectSameAnswer(sink, expected[0]);
    EXPECT_EQ(sink.devices.size(), 1u);
    EXPECT_LT(sink.progressCount - before, before);
}

/// What a device computes before anybody notices that it computes nonsense must not come back from disk.
TEST_P(LostDeviceWithSnapshots, nonsenseIsNotKept) {
    const std::vector<RecordingSink> expected = undisturbed({chat()});
    for (int n = 0; n < 10; ++n) {
        SCOPED_TRACE(n);
        const GenerateRequest request = chat();
        Faults faults;
        faults.poisonsWhatItSaves = true;
        faults.readOutput.failing = {n};
        {
            Run lost = runWithStore(faults);
            expectSameAnswer(lost.answer(request), expected[0]);
        }
        m_store->waitUntilWritten();
        Faults none;
        Run reopened = runWithStore(none);
        const RecordingSink& sink = reopened.answer(request);
        expectSameAnswer(sink, expected[0]);
        EXPECT_EQ(sink.result->stats.cachedTokens > 100, n < 9);  // what the processor computed is there
        m_store->retain({});
        m_store->waitUntilWritten();
    }
}

INSTANTIATE_TEST_SUITE_P(Table, LostDevice, testing::Values("llama", "qwen3", "rwkv5", "rwkv7"),
                         [](const auto& family) { return std::string(family.param); });
INSTANTIATE_TEST_SUITE_P(Table, LostDeviceWithSnapshots, testing::Values("llama", "rwkv7"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle::session
