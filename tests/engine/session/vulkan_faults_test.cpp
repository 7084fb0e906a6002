/// A real device fails in every way there is, at every call: the answer goes on, on the processor, and so
/// does the conversation.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>

#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/every_case.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using test::RecordingSink;
using test::VulkanFaults;

struct FaultKind {
    std::string name;
    VulkanFaults::Call VulkanFaults::*call;
    VkResult error;
    bool forever = false;
    uint32_t loadStride = 1;    ///< every so many calls while loading are tried; or all, see every_case.h
    uint32_t answerStride = 1;  ///< and of those in answers; 0: there need not be any
};

const FaultKind kFaults[] = {
    {"LostAtSubmit", &VulkanFaults::submit, VK_ERROR_DEVICE_LOST, false, 5},
    {"LostAtWait", &VulkanFaults::wait, VK_ERROR_DEVICE_LOST, false, 11, 3},
    {"NeverDone", &VulkanFaults::wait, VK_TIMEOUT, true, 11, 5},
    {"OutOfHostMemory", &VulkanFaults::submit, VK_ERROR_OUT_OF_HOST_MEMORY, true, 11, 3},
    {"OutOfDeviceMemoryOnce", &VulkanFaults::allocate, VK_ERROR_OUT_OF_DEVICE_MEMORY, false, 1, 0},
    {"OutOfDeviceMemory", &VulkanFaults::allocate, VK_ERROR_OUT_OF_DEVICE_MEMORY, true, 5, 0},
    {"CannotMap", &VulkanFaults::map, VK_ERROR_MEMORY_MAP_FAILED, false, 1, 0},
    {"CannotCompile", &VulkanFaults::createPipelines, VK_ERROR_INITIALIZATION_FAILED, false, 7, 0},
};

constexpr uint32_t kPromptTokens = 90;

class VulkanTalk : public testing::Test {
  protected:
    void SetUp() override {
        if (!m_devices.missing().empty()) GTEST_SKIP() << m_devices.missing();
        ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .quant = "Q8_0"}, m_path));
    }

    static GenerateRequest request() {
        GenerateRequest text;
        for (uint32_t i = 0; i < kPromptTokens; ++i)
            text.rawTokens.push_back(static_cast<TokenId>(3 + (i * 7) % 300));
        text.sampler = {.temperature = 0.9f, .seed = 5};
        text.maxTokens = 8;
        return text;
    }

    struct Run {
        Run(const std::string& path, DeviceFactory device)
            : model(Model::load(test::opened(path),
                                {.threads = 2,
                                 .contextTokens = 2048,
                                 .kv = KvType::F32,
                                 .activations = ActivationType::F32},
                                nullptr, std::move(device), test::unchecked)
                        .value()),
              scheduler(*model, nullptr) {}

        RecordingSink& answer(const GenerateRequest& request) {
            RecordingSink& sink = sinks.emplace_back();
            sink.id = scheduler.submit(request, sink);
            while (scheduler.step()) {
            }
            return sink;
        }
        /// Two questions, the second of which goes on from the first one's answer.
        void talk(GenerateRequest next) {
            const RecordingSink& first = answer(next);
            next.rawTokens.insert(next.rawTokens.end(), first.ids.begin(), first.ids.end());
            next.rawTokens.push_back(8);
            answer(next);
        }
        bool onDevice() const { return model->info().backend == "vulkan"; }

        std::unique_ptr<Model> model;
        Scheduler scheduler;
        std::deque<RecordingSink> sinks;
    };

    Run run(VulkanFaults& faults) { return Run(m_path, m_devices.factory(&faults)); }
    Run onProcessor() {
        return Run(m_path, [](const LoadOptions&) -> Result<ChosenDevice> { return ChosenDevice{}; });
    }

    static void expectSameTalk(const Run& tried, const Run& expected) {
        ASSERT_EQ(tried.sinks.size(), expected.sinks.size());
        for (size_t i = 0; i < expected.sinks.size(); ++i) {
            const RecordingSink& sink = tried.sinks[i];
            ASSERT_TRUE(sink.result) << (sink.error ? sink.error->message : "no end");
            EXPECT_EQ(sink.ids, expected.sinks[i].ids);
            EXPECT_EQ(sink.text, expected.sinks[i].text);
            EXPECT_EQ(sink.planCount, 1);
        }
    }
    /// In one of the answers. A device that was left in the first one is tried again before the second one.
    static void expectLeft(const Run& tried) {
        std::vector<DeviceStatus> told;
        for (const RecordingSink& sink : tried.sinks)
            told.insert(told.end(), sink.devices.begin(), sink.devices.end());
        ASSERT_FALSE(told.empty());
        EXPECT_NE(told[0].note.find(" failed, so the processor goes on: "), std::string::npos)
            << told[0].note;
        EXPECT_EQ(told.size(), tried.onDevice() ? 2u : 1u);
        EXPECT_EQ(told.back().device, tried.model->info().device);
        EXPECT_EQ(told.back().note, tried.model->info().deviceNote);
    }

    test::VulkanDevices m_devices;
    test::TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("model.gguf");
};

class VulkanFaultMatrix : public VulkanTalk, public testing::WithParamInterface<FaultKind> {};
using VulkanNonsense = VulkanTalk;

TEST_P(VulkanFaultMatrix, theAnswerGoesOn) {
    const FaultKind& kind = GetParam();
    Run expected = onProcessor();
    expected.talk(request());

    uint32_t atLoad = 0, inAll = 0;
    {
        VulkanFaults none;
        Run undisturbed = run(none);
        atLoad = (none.*kind.call).calls;
        undisturbed.talk(request());
        inAll = (none.*kind.call).calls;
        EXPECT_TRUE(undisturbed.onDevice());
        expectSameTalk(undisturbed, expected);
        m_devices.expectNoComplaints();
    }
    EXPECT_GT(atLoad, 0u);
    if (kind.answerStride > 0) {
        EXPECT_GT(inAll, atLoad + 2 * 8);  // the tokens of two answers
    }
    std::printf("%s: %u calls at load, %u in answers\n", kind.name.c_str(), atLoad, inAll - atLoad);

    for (uint32_t nth = 1; nth <= inAll;) {
        SCOPED_TRACE(nth);
        VulkanFaults faults;
        faults.*kind.call = {.failing = nth, .error = kind.error, .forever = kind.forever};
        Run tried = run(faults);
        const bool loaded = tried.onDevice();
        EXPECT_EQ(loaded, nth > atLoad);
        if (!loaded) {
            EXPECT_TRUE(tried.model->info().deviceNote.starts_with(
                "The graphics device is not used, so the processor computes: "));
        }
        tried.talk(request());
        expectSameTalk(tried, expected);
        // The last wait of all is for steps that nobody wants any more: nobody is told.
        const bool isWanted = kind.call != &VulkanFaults::wait || nth < inAll;
        EXPECT_GE((faults.*kind.call).calls, nth);
        if (loaded && isWanted) expectLeft(tried);
        const bool every = test::triesEveryCase();
        nth = nth <= atLoad ? std::min(nth + (every ? 1 : kind.loadStride), atLoad + 1)
                            : nth + (every ? 1 : std::max(kind.answerStride, 1U));
    }
}

/// A device that computes nonsense is left, at whatever step that begins.
TEST_F(VulkanNonsense, logitsThatAreNoNumbersEndTheUseOfADevice) {
    GenerateRequest penalized = request();
    penalized.sampler.repeatPenalty = 1.3f;  // the processor chooses the tokens
    Run expected = onProcessor();
    expected.talk(penalized);
    uint32_t atLoad = 0, inAll = 0;
    int left = 0;
    for (uint32_t nth = 0; nth == 0 || nth <= inAll; nth = std::max(nth, atLoad) + 1) {
        SCOPED_TRACE(nth);
        VulkanFaults faults;
        faults.poisonedWait = nth;
        // [logits of a step, rounded up as they are recorded] of 320 floats.
        faults.poisonedBytes = 16 * 320 * sizeof(float);
        Run tried = run(faults);
        const uint32_t loaded = faults.wait.calls;
        tried.talk(penalized);
        expectSameTalk(tried, expected);
        if (nth == 0) {
            atLoad = loaded;
            inAll = faults.wait.calls;
            EXPECT_TRUE(tried.onDevice());
            continue;
        }
        ASSERT_GE(faults.wait.calls, nth);
        EXPECT_EQ(faults.timesPoisoned, 1u);
        // Only the steps that give logits are noticed, and only they matter.
        if (tried.sinks[0].devices.empty() && tried.sinks[1].devices.empty()) continue;
        expectLeft(tried);
        ++left;
    }
    EXPECT_EQ(left, 2 * 8);
}

INSTANTIATE_TEST_SUITE_P(Table, VulkanFaultMatrix, testing::ValuesIn(kFaults),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace ingle::session
