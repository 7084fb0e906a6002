/// Guesses on a real device: whatever they are made of, answers stay the same.
#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <thread>

#include "engine/lab/forced_guesses.h"
#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "engine/session/snapshots/snapshot_store.h"
#include "tests/draft_head_file.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/engine/session/half_device.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/every_case.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using test::RecordingSink;

class GuessesOnDevices : public testing::Test {
  protected:
    void SetUp() override {
        if (!m_devices.missing().empty()) GTEST_SKIP() << m_devices.missing();
    }

    std::string write(const char* family, double headAgreement = -1) {
        const std::string path = m_folder.file(fmt::format("{}{}.gguf", family, headAgreement));
        lab::SynthOptions options{.family = family, .sizes = {.numLayers = 4}, .quant = "Q8_0"};
        if (headAgreement >= 0) options.headAgreement = headAgreement;
        EXPECT_TRUE(lab::writeSynthModel(options, path));
        return path;
    }
    LoadOptions options(const std::string& draft = {}) const {
        return {.threads = 2,
                .contextTokens = 512,
                .kv = KvType::F32,
                .activations = ActivationType::F32,
                .draft = draft};
    }

    struct Run {
        Run(const std::string& path, const LoadOptions& options, DeviceFactory device,
            const std::shared_ptr<SnapshotStore>& store = nullptr)
            : model(Model::load(test::opened(path), options, nullptr, std::move(device), test::unchecked)
                        .value()),
              scheduler(std::make_unique<Scheduler>(*model, store)) {}

        RecordingSink& submit(const GenerateRequest& request, std::unique_ptr<Speculation> speculation) {
            RecordingSink& sink = sinks.emplace_back();
            sink.id = scheduler->submit(request, sink, std::move(speculation));
            return sink;
        }
        /// Guesses as answers guess by themselves.
        RecordingSink& submit(const GenerateRequest& request) {
            RecordingSink& sink = sinks.emplace_back();
            sink.id = scheduler->submit(request, sink);
            return sink;
        }
        void finish() {
            while (scheduler->step()) ++steps;
        }
        RecordingSink& answer(const GenerateRequest& request,
                              std::unique_ptr<Speculation> speculation = nullptr) {
            RecordingSink& sink = submit(request, std::move(speculation));
            finish();
            EXPECT_TRUE(sink.result) << (sink.error ? sink.error->message : "no end");
            return sink;
        }

        std::unique_ptr<Model> model;
        std::unique_ptr<HeadPredictor> head;  ///< of tests that guess as often as they can
        std::unique_ptr<Scheduler> scheduler;
        std::deque<RecordingSink> sinks;
        size_t steps = 0;
    };

    static std::unique_ptr<Speculation> knowing(const RecordingSink& expected, double share) {
        return std::make_unique<Speculation>(std::make_unique<lab::ForcedGuesses>(expected.ids, share),
                                             Speculation::Eagerness::Always);
    }
    static std::unique_ptr<Speculation> byHead(Run& run, const GenerateRequest& request) {
        if (!run.head) run.head = HeadPredictor::create(*run.model);
        EXPECT_TRUE(run.head && run.head->isReady());
        return std::make_unique<Speculation>(run.head->guesses(request.sampler),
                                             Speculation::Eagerness::Always);
    }
    static GenerateRequest request(size_t number, size_t promptTokens = 70) {
        GenerateRequest request;
        for (size_t i = 0; i < promptTokens; ++i)
            request.rawTokens.push_back(static_cast<TokenId>(3 + (i * 7 + number) % 300));
        request.sampler = {.temperature = number % 2 == 0 ? 0.0F : 0.9F,
                           .topK = 40,
                           .repeatPenalty = number % 3 == 0 ? 1.2F : 1.0F,
                           .seed = 7 + number};
        request.maxTokens = 60;
        return request;
    }

    test::VulkanDevices m_devices;
    test::TemporaryFolder m_folder;
};

class DeviceGuesses : public GuessesOnDevices, public testing::WithParamInterface<const char*> {};

TEST_P(DeviceGuesses, changeNoAnswerAndSaveSteps) {
    const std::string path = write(GetParam());
    Run run(path, options(), m_devices.factory());
    ASSERT_EQ(run.model->info().backend, "vulkan") << run.model->info().deviceNote;
    EXPECT_TRUE(run.model->placement().place().takesGuesses());
    std::vector<RecordingSink> expected;
    for (const size_t number : {0U, 1U, 3U}) {
        SCOPED_TRACE(number);
        expected.push_back(run.answer(request(number)));
        ASSERT_EQ(expected.back().ids.size(), 60U);
        for (const double share : {0.0, 0.7, 1.0}) {
            run.steps = 0;
            const RecordingSink& guessed = run.answer(request(number), knowing(expected.back(), share));
            EXPECT_EQ(guessed.ids, expected.back().ids) << share;
            EXPECT_GT(guessed.result->stats.guessedTokens, 40U);
            EXPECT_EQ(guessed.result->stats.takenTokens == guessed.result->stats.guessedTokens, share == 1);
            if (share == 1) {
                EXPECT_LT(run.steps, 20U);
            }
        }
    }
    // Beside each other, with other numbers of rows.
    std::vector<const RecordingSink*> together;
    for (const size_t i : {0U, 1U, 2U})
        together.push_back(&run.submit(request(std::array{0U, 1U, 3U}[i]), knowing(expected[i], 0.6)));
    run.finish();
    for (const size_t i : {0U, 1U, 2U}) EXPECT_EQ(together[i]->ids, expected[i].ids) << i;
    m_devices.expectNoComplaints();
}

/// By themselves they wait for what the device has begun ahead of the host.
TEST_P(DeviceGuesses, takeTurnsWithWhatIsDecodedAhead) {
    const std::string path = write(GetParam());
    Run run(path, options(), m_devices.factory());
    GenerateRequest repeating = request(0);
    repeating.sampler = {.temperature = 0, .logitBias = {}};
    for (size_t i = 0; i < repeating.rawTokens.size(); ++i)
        repeating.rawTokens[i] = static_cast<TokenId>(3 + i % 5);
    repeating.maxTokens = 200;
    GenerateRequest plain = repeating;
    plain.guesses = Guesses::Off;
    const RecordingSink& expected = run.submit(plain);
    run.finish();
    const RecordingSink& guessed = run.submit(repeating);
    run.finish();
    EXPECT_EQ(guessed.ids, expected.ids);
    EXPECT_EQ(expected.result->stats.guessedTokens, 0U);
    // An answer that repeats itself.
    if (std::string_view(GetParam()) == "llama") {
        EXPECT_GT(guessed.result->stats.guessedTokens, 0U);
    }
    m_devices.expectNoComplaints();
}

TEST_P(DeviceGuesses, goOnOnTheProcessorWhereTheDeviceIsLost) {
    const std::string path = write(GetParam());
    Run processor(path, options(), [](const LoadOptions&) -> Result<ChosenDevice> { return ChosenDevice{}; });
    const RecordingSink expected = processor.answer(request(0));
    uint32_t failing = 0;
    {
        test::VulkanFaults none;
        Run loaded(path, options(), m_devices.factory(&none));
        failing = none.submit.calls;
    }
    for (const uint32_t later : {2U, 5U, 9U}) {
        SCOPED_TRACE(later);
        test::VulkanFaults faults;
        faults.submit = {.failing = failing + later, .error = VK_ERROR_DEVICE_LOST};
        Run run(path, options(), m_devices.factory(&faults));
        EXPECT_EQ(run.answer(request(0), knowing(expected, 0.8)).ids, expected.ids);
        EXPECT_EQ(run.model->info().backend, "cpu");
    }
}

INSTANTIATE_TEST_SUITE_P(Table, DeviceGuesses, testing::Values("llama", "qwen35", "rwkv7"),
                         [](const auto& family) { return std::string(family.param); });

/// The model's own head.
class DeviceHeads : public GuessesOnDevices, public testing::WithParamInterface<const char*> {};

TEST_P(DeviceHeads, changeNoAnswer) {
    const std::string path = write(GetParam(), 1);
    Run run(path, options(), m_devices.factory());
    ASSERT_EQ(run.model->info().backend, "vulkan") << run.model->info().deviceNote;
    const RecordingSink& expected = run.answer(request(0));
    const RecordingSink& guessed = run.answer(request(0), byHead(run, request(0)));
    EXPECT_EQ(guessed.ids, expected.ids);
    EXPECT_GT(guessed.result->stats.guessedTokens, 30U);
    // It agrees with its model, and rounding seldom changes that.
    EXPECT_GE(10 * guessed.result->stats.takenTokens, 9 * guessed.result->stats.guessedTokens);
    // As every answer guesses.
    const RecordingSink& byItself = run.submit(request(0));
    run.finish();
    EXPECT_EQ(byItself.ids, expected.ids);
    m_devices.expectNoComplaints();
}

/// As after a kill in the middle of an answer.
TEST_P(DeviceHeads, goOnWithWhatAnotherProcessKept) {
    const std::string path = write(GetParam(), 1);
    std::vector<TokenId> whole, ids;
    {
        Run run(path, options(), m_devices.factory());
        whole = run.answer(request(0)).ids;
    }
    GenerateRequest first = request(0);
    first.conversation = "1";
    first.maxTokens = 40;
    GenerateRequest rest = first;
    rest.rawTokens.insert(rest.rawTokens.end(), whole.begin(), whole.begin() + 40);
    rest.maxTokens = 20;
    for (const GenerateRequest& part : {first, rest}) {
        const auto store = SnapshotStore::open({.folder = m_folder.file("snapshots")}).value();
        Run run(path, options(), m_devices.factory(), store);
        while (std::filesystem::is_empty(m_folder.file("snapshots/models"))) std::this_thread::yield();
        const RecordingSink& sink = run.answer(part, byHead(run, part));
        EXPECT_EQ(sink.result->stats.cachedTokens > 0, !ids.empty());
        EXPECT_GT(sink.result->stats.takenTokens, 5U);
        ids.insert(ids.end(), sink.ids.begin(), sink.ids.end());
        store->waitUntilWritten();
    }
    EXPECT_EQ(ids, whole);
}

TEST_P(DeviceHeads, moveToTheProcessorWithTheirModel) {
    const std::string path = write(GetParam(), 1);
    Run processor(path, options(), [](const LoadOptions&) -> Result<ChosenDevice> { return ChosenDevice{}; });
    const RecordingSink expected = processor.answer(request(0));
    test::VulkanFaults faults;
    Run run(path, options(), m_devices.factory(&faults));
    RecordingSink& sink = run.submit(request(0));
    while (sink.ids.size() < 12) ASSERT_TRUE(run.scheduler->step());
    faults.submit = {.calls = 0, .failing = 1, .error = VK_ERROR_DEVICE_LOST, .forever = true};
    run.finish();
    EXPECT_EQ(run.model->info().backend, "cpu");
    EXPECT_EQ(sink.ids, expected.ids);
    // There it guesses as well.
    const RecordingSink& next = run.submit(request(0));
    run.finish();
    EXPECT_EQ(next.ids, expected.ids);
}

std::vector<const char*> headFamilies() {
    if (test::triesEveryCase()) return {"llama", "qwen35", "qwen35moe", "qwen3", "deepseek2", "gemma3"};
    return {"qwen35", "deepseek2"};
}

INSTANTIATE_TEST_SUITE_P(Families, DeviceHeads, testing::ValuesIn(headFamilies()),
                         [](const auto& family) { return std::string(family.param); });

/// A head in a file of its own.
using DeviceDraftHeads = GuessesOnDevices;

TEST_F(DeviceDraftHeads, changeNoAnswer) {
    const std::string path = m_folder.file("model.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .sizes = {.numLayers = 5}, .quant = "F32"}, path));
    const std::string head = m_folder.file("head.gguf");
    ASSERT_TRUE(test::DraftFile({}).write(head, {}, {0, 2, 4}));
    Run run(path, options(head), m_devices.factory());
    ASSERT_EQ(run.model->info().backend, "vulkan") << run.model->info().deviceNote;
    const RecordingSink& expected = run.answer(request(0));
    const RecordingSink& guessed = run.answer(request(0), byHead(run, request(0)));
    EXPECT_EQ(guessed.ids, expected.ids);
    EXPECT_GT(guessed.result->stats.guessedTokens, 60U);
    m_devices.expectNoComplaints();
}

/// A second model, on the processor.
using DeviceDrafts = GuessesOnDevices;

TEST_F(DeviceDrafts, changeNoAnswer) {
    const std::string path = write("llama");
    Run run(path, options(), m_devices.factory());
    const auto draft = DraftModel::load(path, run.model->opened(), options()).value();
    const RecordingSink& expected = run.answer(request(1));
    const RecordingSink& guessed = run.answer(
        request(1),
        std::make_unique<Speculation>(draft->guesses(request(1).sampler), Speculation::Eagerness::Always));
    EXPECT_EQ(guessed.ids, expected.ids);
    EXPECT_GT(guessed.result->stats.takenTokens, 20U);
}

/// Half of the layers on the device.
class SplitGuesses : public GuessesOnDevices, public testing::WithParamInterface<const char*> {};

TEST_P(SplitGuesses, changeNoAnswer) {
    Run run(write(GetParam(), 1), options(), test::halfOf(m_devices.factory()));
    ASSERT_EQ(run.model->info().backend, "split") << run.model->info().deviceNote;
    EXPECT_TRUE(run.model->placement().place().takesGuesses());
    const RecordingSink& expected = run.answer(request(0));
    EXPECT_EQ(run.answer(request(0), knowing(expected, 0.7)).ids, expected.ids);
    EXPECT_EQ(run.answer(request(0), byHead(run, request(0))).ids, expected.ids);
}

INSTANTIATE_TEST_SUITE_P(Table, SplitGuesses, testing::Values("llama", "qwen35"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle::session
