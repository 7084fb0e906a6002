/// A device that is slower than the processor is left to those who ask for it.
#include "engine/session/devices/speed_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "engine/lab/synth.h"
#include "engine/session/devices/passed_trials.h"
#include "engine/session/loading/model.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using std::chrono::milliseconds;

TEST(SpeedCheck, readingAndAnsweringBothCount) {
    const TrialTimes processor{.reading = milliseconds(40), .answering = milliseconds(10)};
    const struct {
        TrialTimes device;
        bool tooSlow;
    } cases[] = {
        {{milliseconds(40), milliseconds(10)}, false}, {{milliseconds(1), milliseconds(1)}, false},
        {{milliseconds(45), milliseconds(11)}, false},  // hardly slower
        {{milliseconds(10), milliseconds(12)}, false},  // reads faster, answers a little more slowly
        {{milliseconds(40), milliseconds(20)}, true},  {{milliseconds(120), milliseconds(10)}, true},
        {{milliseconds(10), milliseconds(40)}, true},
    };
    for (const auto& [device, tooSlow] : cases)
        EXPECT_EQ(isTooSlow(device, processor), tooSlow)
            << device.reading.count() << " " << device.answering.count();
}

class SlowDevice : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q8_0"}, m_path));
    }
    /// A device that takes `delay` longer than the processor for each step.
    Result<std::unique_ptr<Model>> load(milliseconds delay, bool mustBeFaster) {
        m_faults.duringRun = [delay] { std::this_thread::sleep_for(delay); };
        const DeviceFactory devices = [this, mustBeFaster](const LoadOptions& options) {
            auto chosen = test::faultyDevices(m_faults)(options);
            chosen->mustBeFaster = mustBeFaster;
            return chosen;
        };
        LoadOptions options{.threads = 1};
        options.trials.folder = m_kept.path().string();
        return Model::load(test::opened(m_path), options, nullptr, devices, test::unchecked);
    }

    test::TemporaryFolder m_folder, m_kept;
    test::Faults m_faults;
    const std::string m_path = m_folder.file("model.gguf");
};

TEST_P(SlowDevice, isLeftToTheProcessor) {
    const auto slow = load(milliseconds(20), true);
    ASSERT_TRUE(slow) << slow.error().message;
    EXPECT_EQ((*slow)->info().backend, "cpu");
    EXPECT_THAT((*slow)->info().deviceNote,
                testing::MatchesRegex("The graphics device is not used, so the processor computes: "
                                      "The tested GPU is slower than the processor with this model "
                                      "\\([0-9.]+ times in a trial\\)"));
}

TEST_P(SlowDevice, isUsedWhenItWasAskedFor) {
    const auto slow = load(milliseconds(20), false);
    ASSERT_TRUE(slow) << slow.error().message;
    EXPECT_EQ((*slow)->info().backend, "faulty");
    EXPECT_EQ((*slow)->info().deviceNote, "");
}

/// Of a device and a model that are known nothing is tried any more; of another model it is.
TEST_P(SlowDevice, isTriedUntilItWasFasterOnce) {
    const auto isUsed = [&](milliseconds delay) {
        return load(delay, true).value()->info().backend == "faulty";
    };
    EXPECT_FALSE(isUsed(milliseconds(20)));
    bool used = false;  // as fast as the processor, unless another program comes in between
    for (int i = 0; i < 20 && !used; ++i) used = isUsed(milliseconds(0));
    ASSERT_TRUE(used);
    EXPECT_TRUE(isUsed(milliseconds(20)));
    ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q4_0"}, m_path));
    EXPECT_FALSE(isUsed(milliseconds(20)));
}

/// What a device computed right once is not computed again, but with another model.
TEST_P(SlowDevice, isCheckedOnceForEachModel) {
    int checks = 0;
    const auto loadChecked = [&] {
        LoadOptions options{.threads = 1};
        options.trials.folder = m_kept.path().string();
        const DeviceCheck check = [&](auto&&...) -> Status {
            ++checks;
            return {};
        };
        return Model::load(test::opened(m_path), options, nullptr, test::faultyDevices(m_faults), check);
    };
    ASSERT_TRUE(loadChecked());
    ASSERT_TRUE(loadChecked());
    EXPECT_EQ(checks, 1);
    ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "Q4_0"}, m_path));
    ASSERT_TRUE(loadChecked());
    EXPECT_EQ(checks, 2);
    // As many bytes, but other kernels.
    ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(), .quant = "IQ4_NL"}, m_path));
    ASSERT_TRUE(loadChecked());
    EXPECT_EQ(checks, 3);
}

TEST(PassedTrials, areKeptInAFileOfSoMany) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path().string();
    for (int i = 0; i < 300; ++i) PassedTrials(path, "trials.txt").add(fmt::format("trial {}", i));
    const PassedTrials kept(path, "trials.txt");
    EXPECT_FALSE(kept.has("trial 0"));
    EXPECT_TRUE(kept.has("trial 299"));
    EXPECT_TRUE(kept.has("trial 100"));
    EXPECT_FALSE(kept.has("trial"));
    PassedTrials nowhere({}, "trials.txt");
    nowhere.add("trial");
    EXPECT_FALSE(PassedTrials({}, "trials.txt").has("trial"));
}

TEST_P(SlowDevice, thatIsLostInItsTrialIsADeviceThatFailed) {
    m_faults.run.failing = {3};
    const auto lost = load(milliseconds(0), true);
    ASSERT_TRUE(lost) << lost.error().message;
    EXPECT_EQ((*lost)->info().backend, "cpu");
    EXPECT_THAT((*lost)->info().deviceNote, testing::HasSubstr("call 3 failed"));
}

INSTANTIATE_TEST_SUITE_P(Table, SlowDevice, testing::Values("llama", "rwkv7"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace ingle::session
