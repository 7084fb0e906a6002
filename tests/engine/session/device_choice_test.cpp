/// Which device is chosen, by what the trial of the drivers says: here a shell that prints what it is told
/// to.
#include "engine/session/devices/device_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/lab/synth.h"
#include "engine/session/devices/backends.h"
#include "engine/session/loading/model.h"
#include "ingle/devices.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using ::testing::HasSubstr;
using Phase = DeviceMarks::Phase;

std::string device(const std::string& name, const std::string& kind, const std::string& refusal = "",
                   const std::string& trial = "done") {
    return fmt::format(R"({{"identity":"id-{0}","name":"{0}","kind":"{1}","trial":"{3}","refusal":"{2}"}})",
                       name, kind, refusal, trial);
}
const std::string kDiscrete = device("Big", "discrete");
const std::string kIntegrated = device("Small", "integrated");
const std::string kSoftware = device("Soft", "software");
const std::string kWrong = device("Bad", "discrete", "Bad computes wrong numbers");
const std::string kUntried = device("New", "discrete", "", "untried");

std::string verdict(const std::string& devices, const std::string& refusal = "") {
    return fmt::format(R"(echo '{{"devices":[{}],"refusal":"{}"}}')", devices, refusal);
}

class DeviceChoiceTest : public testing::Test {
  protected:
    /// The trial runs `script`, and counts how often.
    LoadOptions options(const std::string& script, const std::string& name = "",
                        BackendChoice backend = BackendChoice::Auto) const {
        LoadOptions load;
        load.backend = backend;
        load.device = name;
        load.trials.command = {"/bin/sh", "-c", "echo x >> " + m_folder.file("trials") + "; " + script};
        load.trials.folder = m_folder.path().string();
        return load;
    }
    int trials() const {
        std::ifstream file(m_folder.file("trials"));
        std::stringstream text;
        text << file.rdbuf();
        return static_cast<int>(text.str().size() / 2);
    }
    /// The name of the device, "processor", or the reason why it is not the device.
    static std::string chosen(const LoadOptions& load) {
        const auto choice = chooseDevice(load);
        if (!choice) return choice.error().message;
        return choice->device ? choice->device->name : "processor";
    }
    DeviceMarks marks(const std::string& name) const { return {m_folder.path().string(), "id-" + name}; }
    /// Processes that die while they begin to use the device. Returns the last one's id.
    uint32_t die(const std::string& name, int times, Phase phase = Phase::Start) const {
        pid_t child = 0;
        for (int i = 0; i < times; ++i) {
            child = ::fork();
            if (child == 0) {
                const auto use = marks(name).begin(phase);
                ::_exit(use ? 0 : 1);
            }
            int status = 1;
            ::waitpid(child, &status, 0);
            EXPECT_EQ(status, 0);
        }
        return static_cast<uint32_t>(child);
    }

    const test::TemporaryFolder m_folder;
};

TEST_F(DeviceChoiceTest, theBestOfTheVerifiedOnes) {
    const struct {
        std::string devices;
        std::string name;
        BackendChoice backend;
        std::string chosen;
    } cases[] = {
        {"", "", BackendChoice::Auto, "processor"},
        {kSoftware, "", BackendChoice::Auto, "processor"},
        {kIntegrated, "", BackendChoice::Auto, "Small"},
        {kSoftware + "," + kIntegrated + "," + kDiscrete, "", BackendChoice::Auto, "Big"},
        {kWrong + "," + kIntegrated, "", BackendChoice::Auto, "Small"},
        {kWrong + "," + kSoftware, "", BackendChoice::Auto, "Bad computes wrong numbers"},
        {kDiscrete + "," + kSoftware, "Soft", BackendChoice::Auto, "Soft"},
        {kDiscrete + "," + kSoftware, "oft", BackendChoice::Vulkan, "Soft"},
        {kDiscrete + "," + kIntegrated, "Small", BackendChoice::Auto, "Small"},
        {kDiscrete, "Nonesuch", BackendChoice::Auto, "no Vulkan device is called \"Nonesuch\""},
        {kWrong + "," + kDiscrete, "Bad", BackendChoice::Auto, "Bad computes wrong numbers"},
        {kDiscrete, "", BackendChoice::Vulkan, "Big"},
        {kSoftware, "", BackendChoice::Vulkan, "this computer has no graphics processor for Vulkan"},
    };
    for (const auto& [devices, name, backend, expected] : cases) {
        SCOPED_TRACE(devices + " " + name);
        LoadOptions load = options(verdict(devices), name, backend);
        load.trials.folder.clear();
        EXPECT_EQ(chosen(load), expected);
    }
}

TEST_F(DeviceChoiceTest, thatThereIsNoVulkanIsNotWorthASentence) {
    LoadOptions load = options(verdict("", "Vulkan is not installed"));
    EXPECT_EQ(chosen(load), "processor");
    load.device = "Big";
    EXPECT_EQ(chosen(load), "Vulkan is not installed");
}

TEST_F(DeviceChoiceTest, aTrialIsRememberedUntilSomebodyAsksByName) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(chosen(options(verdict(kDiscrete))), "Big");
    EXPECT_EQ(chosen(options(verdict(kDiscrete), "Big")), "Big");
    EXPECT_EQ(trials(), 1);
    EXPECT_EQ(chosen(options(verdict(kDiscrete + "," + kIntegrated), "Small")), "Small");
    EXPECT_EQ(trials(), 2);
}

TEST_F(DeviceChoiceTest, aCrashInTheTrialIsRememberedAndSaid) {
    const std::string crash = "kill -SEGV $$";
    for (int i = 0; i < 3; ++i)
        EXPECT_THAT(chosen(options(crash)), HasSubstr("crashed when it was tried out"));
    EXPECT_EQ(trials(), 1);
    // By name it is tried again, and may crash again.
    EXPECT_THAT(chosen(options(crash, "Big")), HasSubstr("crashed when it was tried out"));
    EXPECT_EQ(trials(), 2);
    EXPECT_EQ(chosen(options(verdict(kDiscrete), "Big")), "Big");
    EXPECT_EQ(chosen(options(crash)), "Big");
    EXPECT_EQ(trials(), 3);
}

TEST_F(DeviceChoiceTest, aCrashOfOneDeviceLeavesTheOthers) {
    const std::string crash = verdict(kIntegrated + "," + kUntried) + "; kill -SEGV $$";
    const std::string sentence = "the driver of New crashed when it was tried out";
    for (int i = 0; i < 2; ++i) {
        const auto choice = chooseDevice(options(crash));
        ASSERT_TRUE(choice) << choice.error().message;
        ASSERT_TRUE(choice->device);
        EXPECT_EQ(choice->device->name, "Small");
        EXPECT_THAT(choice->refusal, HasSubstr(sentence));
    }
    EXPECT_EQ(trials(), 1);
    const auto named = chooseDevice(options(crash, "Small"));
    ASSERT_TRUE(named) << named.error().message;
    EXPECT_EQ(named->refusal, "");
    EXPECT_EQ(trials(), 1);
    // By name it is tried again.
    EXPECT_THAT(chosen(options(crash, "New")), HasSubstr(sentence));
    EXPECT_EQ(trials(), 2);
    EXPECT_EQ(chosen(options(verdict(kIntegrated + "," + device("New", "discrete")), "New")), "New");
}

TEST_F(DeviceChoiceTest, aCrashOfTheOnlyDeviceIsSaid) {
    const std::string crash = verdict(kSoftware + "," + kUntried) + "; kill -SEGV $$";
    EXPECT_THAT(chosen(options(crash)), HasSubstr("the driver of New crashed when it was tried out"));
}

TEST_F(DeviceChoiceTest, aModelSaysWhyABetterDeviceIsPassedOver) {
    const auto instance = backend::vulkan::Instance::create();
    if (!instance) GTEST_SKIP() << instance.error().message;
    const auto devices = (*instance)->devices().value();
    const auto usable = std::ranges::find_if(
        devices, [](const auto& info) { return backend::vulkan::refusalOf(info).empty(); });
    if (usable == devices.end()) GTEST_SKIP() << "no Vulkan device that this backend can use";
    const std::string path = m_folder.file("model.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .quant = "Q8_0"}, path));
    ASSERT_EQ(::setenv("INGLE_SLOW_DEVICE", "1", 1), 0);  // this one plays on the processor
    const std::string real =
        fmt::format(R"({{"identity":"{}","name":"Real","kind":"integrated","trial":"done"}})",
                    backend::vulkan::driverIdentity(*usable));
    for (const bool crashes : {true, false}) {
        LoadOptions load = options(verdict(crashes ? real + "," + kUntried : real) + "; kill -SEGV $$");
        load.threads = 1;
        load.contextTokens = 256;
        load.trials.folder.clear();
        const auto model = Model::load(test::opened(path), load, nullptr, createDevice, test::unchecked);
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ((*model)->info().backend, "vulkan");
        const std::string& note = (*model)->info().deviceNote;
        if (crashes) {
            EXPECT_THAT(note, HasSubstr("so Real computes: the driver of New crashed"));
        } else {
            EXPECT_EQ(note, "");
        }
    }
    ::unsetenv("INGLE_SLOW_DEVICE");
}

TEST_F(DeviceChoiceTest, aDriverThatKillsAtTheStartIsBlamedAfterAWhile) {
    const LoadOptions automatic = options(verdict(kDiscrete + "," + kIntegrated));
    die("Big", 2);
    EXPECT_EQ(chosen(automatic), "Big");  // somebody may have killed them
    die("Big", 1);
    EXPECT_EQ(chosen(automatic), "Small");
    die("Small", 3);
    EXPECT_THAT(chosen(automatic), HasSubstr("the driver of Big crashed or hung"));
    EXPECT_EQ(chosen(options(verdict(kDiscrete), "Big")), "Big");
    // A use that ends well makes up for it.
    marks("Big").forgive();
    EXPECT_EQ(chosen(automatic), "Big");
}

TEST_F(DeviceChoiceTest, peopleInterruptWorkAsOftenAsTheyLike) {
    die("Big", 5, Phase::Work);
    EXPECT_EQ(chosen(options(verdict(kDiscrete))), "Big");
}

TEST_F(DeviceChoiceTest, aCrashThatSomebodySawIsBlamedAtOnce) {
    for (const Phase phase : {Phase::Start, Phase::Work}) {
        LoadOptions automatic = options(verdict(kDiscrete));
        LoadOptions named = options(verdict(kDiscrete), "Big");
        // Something else crashed: the device was in use, but by a process that somebody killed.
        const uint32_t killed = die("Big", 1, phase);
        automatic.crashedProcess = named.crashedProcess = killed + 1;
        EXPECT_EQ(chosen(automatic), "Big");
        automatic.crashedProcess = named.crashedProcess = killed;
        EXPECT_THAT(chosen(named), HasSubstr("the driver of Big crashed or hung"));
        EXPECT_THAT(chosen(automatic), HasSubstr("the driver of Big crashed or hung"));
        // Whatever crashes next, and from now on, until it is chosen again.
        automatic.crashedProcess = named.crashedProcess = killed + 1;
        EXPECT_THAT(chosen(named), HasSubstr("the driver of Big crashed or hung"));
        automatic.crashedProcess = named.crashedProcess = 0;
        EXPECT_THAT(chosen(automatic), HasSubstr("the driver of Big crashed or hung"));
        EXPECT_EQ(chosen(named), "Big");
        marks("Big").forgive();
    }
}

constexpr const char* kWithFeatures =
    R"({"identity":"id-Big","name":"Big","kind":"discrete","trial":"done","refusal":"","features":{)"
    R"("units":{"what":"units for matrices of 16 x 16 x 16","trial":"done","refusal":""},)"
    R"("bytes":{"what":"products of bytes","trial":"done","refusal":""}}})";

TEST_F(DeviceChoiceTest, aDeviceThatCrashedIsUsedWithoutItsFeaturesFirst) {
    using backend::vulkan::DeviceFeature;
    LoadOptions automatic = options(verdict(kWithFeatures));
    const auto refusal = [&](DeviceFeature feature) {
        const auto choice = chooseDevice(automatic);
        return choice && choice->device ? choice->device->of(feature).refusal : "no device";
    };
    EXPECT_EQ(refusal(DeviceFeature::Units), "");
    automatic.crashedProcess = die("Big", 1, Phase::Work);
    for (const DeviceFeature feature : {DeviceFeature::Units, DeviceFeature::Bytes})
        EXPECT_EQ(refusal(feature), "the driver of Big crashed while it used them");
    automatic.crashedProcess = 0;
    EXPECT_EQ(refusal(DeviceFeature::Units), "the driver of Big crashed while it used them");
    auto list = listDevices(automatic.trials, DriverAnswers::Remembered).value();
    EXPECT_THAT(list.devices.back().driver,
                HasSubstr("without its units for matrices (the driver of Big crashed"));
    EXPECT_THAT(list.devices.back().driver,
                HasSubstr("without its products of bytes (the driver of Big crashed"));
    automatic.crashedProcess = die("Big", 1, Phase::Work);
    EXPECT_THAT(chosen(automatic), HasSubstr("crashed or hung; it is tried again"));

    automatic.crashedProcess = 0;
    list = listDevices(automatic.trials, DriverAnswers::Forgiven).value();
    EXPECT_EQ(list.devices.back().refusal, "");
    EXPECT_THAT(list.devices.back().driver, Not(HasSubstr("without")));
    EXPECT_EQ(chosen(automatic), "Big");
    EXPECT_EQ(refusal(DeviceFeature::Units), "");
}

/// Few drivers crash with products of bytes alone, and another crash would leave the plainest code.
TEST_F(DeviceChoiceTest, aDeviceWithoutUnitsIsLeftAtOnce) {
    const std::string withBytes =
        R"({"identity":"id-Big","name":"Big","kind":"discrete","trial":"done","refusal":"","features":{)"
        R"("bytes":{"what":"products of bytes","trial":"done","refusal":""}}})";
    LoadOptions automatic = options(verdict(withBytes));
    automatic.crashedProcess = die("Big", 1, Phase::Work);
    EXPECT_THAT(chosen(automatic), HasSubstr("crashed or hung; it is tried again"));
}

/// As when the computer runs out of memory, or a person ends the program.
TEST_F(DeviceChoiceTest, deathsThatNobodyExplainsSayNothingAboutUnits) {
    const LoadOptions automatic = options(verdict(kWithFeatures));
    die("Big", 3, Phase::Start);
    EXPECT_THAT(chosen(automatic), HasSubstr("crashed or hung; it is tried again"));
    EXPECT_EQ(marks("Big").refusalOf(backend::vulkan::DeviceFeature::Units), "");
}

TEST_F(DeviceChoiceTest, whereNothingIsRememberedNoDeviceIsUsedAfterACrash) {
    for (LoadOptions load : {options(verdict(kDiscrete)), options(verdict(kDiscrete), "Big")}) {
        load.trials.folder.clear();
        EXPECT_EQ(chosen(load), "Big");
        load.crashedProcess = 4711;
        EXPECT_THAT(chosen(load), HasSubstr("the driver of Big may have crashed"));
    }
}

TEST_F(DeviceChoiceTest, anotherDriverBeginsAnew) {
    die("Big", 3);
    const std::string updated = R"({"identity":"id-updated","name":"Big","kind":"discrete","trial":"done"})";
    EXPECT_THAT(chosen(options(verdict(kDiscrete))), HasSubstr("crashed or hung"));
    std::filesystem::remove(m_folder.file("drivers"));  // what an update does to what is remembered
    EXPECT_EQ(chosen(options(verdict(updated))), "Big");
}

TEST_F(DeviceChoiceTest, aDeviceInUseElsewhereIsNoDeath) {
    const auto first = marks("Big").begin(Phase::Start);
    const auto second = marks("Big").begin(Phase::Work);
    ASSERT_TRUE(first && second);
    LoadOptions automatic = options(verdict(kDiscrete));
    automatic.crashedProcess = static_cast<uint32_t>(::getpid());
    EXPECT_EQ(chosen(automatic), "Big");
    EXPECT_EQ(marks("Big").deaths(Phase::Start), 0);
    marks("Big").forgive();  // leaves them alone
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder.path()), {}), 4);
}

TEST_F(DeviceChoiceTest, theListSaysWhatIsUsedAndWhyNot) {
    die("Big", 3);
    const LoadOptions load =
        options(verdict(kSoftware + "," + kWrong + "," + kDiscrete + "," + kIntegrated + "," + kUntried) +
                "; kill -SEGV $$");
    const auto list = listDevices(load.trials, DriverAnswers::Remembered);
    ASSERT_TRUE(list) << list.error().message;
    const struct {
        std::string name;
        DeviceUse use;
        std::string refusal;
    } expected[] = {
        {list->devices[0].name, DeviceUse::OnRequest, ""},
        {"Bad", DeviceUse::Never, "Bad computes wrong numbers"},
        {"Big", DeviceUse::OnRequest, "crashed or hung"},
        {"New", DeviceUse::OnRequest, "crashed when it was tried out"},
        {"Small", DeviceUse::Automatic, ""},
        {"Soft", DeviceUse::OnRequest, ""},
    };
    ASSERT_EQ(list->devices.size(), std::size(expected));
    for (size_t i = 0; i < std::size(expected); ++i) {
        EXPECT_EQ(list->devices[i].name, expected[i].name);
        EXPECT_EQ(list->devices[i].use, expected[i].use) << expected[i].name;
        EXPECT_THAT(list->devices[i].refusal, HasSubstr(expected[i].refusal));
        EXPECT_EQ(list->devices[i].refusal.empty(), expected[i].refusal.empty());
    }
    EXPECT_EQ(list->devices[0].kind, "processor");
    EXPECT_EQ(list->note, "");

    const auto crashed = listDevices(options("kill -SEGV $$").trials, DriverAnswers::New);
    ASSERT_TRUE(crashed);
    ASSERT_EQ(crashed->devices.size(), 1u);
    EXPECT_EQ(crashed->devices[0].use, DeviceUse::Automatic);
    EXPECT_THAT(crashed->note, HasSubstr("crashed"));
}

}  // namespace
}  // namespace ingle::session
