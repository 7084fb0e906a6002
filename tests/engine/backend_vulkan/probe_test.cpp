#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/backend/vulkan/trial/probe_process.h"
#include "tests/engine/backend_vulkan/vulkan_test.h"
#include "tests/golden.h"
#include "tests/temporary_folder.h"

namespace ingle::backend::vulkan {
namespace {

using ::testing::HasSubstr;

const std::string kThisProgram = "/proc/self/exe";

ProbeVerdict probe(const ProbeRequest& request) {
    const auto verdict = probeInChild(request);
    EXPECT_TRUE(verdict.has_value()) << verdict.error().message;
    return verdict.value_or(ProbeVerdict{.refusal = "no verdict"});
}

ProbeRequest shell(const std::string& script) {
    return {.command = {"/bin/sh", "-c", script}};
}

/// A child that prints a verdict with one device of this name, and whether it was tried.
std::string printing(const std::string& name, const std::string& trial = "done") {
    return fmt::format(R"(echo '{{"devices":[{{"identity":"1","name":"{}","trial":"{}"}}],"refusal":""}}')",
                       name, trial);
}

/// What a program is told not to try.
std::vector<std::string> leftOut(const std::vector<std::string>& arguments) {
    std::vector<std::string> identities;
    for (size_t i = 0; i + 1 < arguments.size(); ++i) {
        if (arguments[i] == "--left-out") identities.push_back(arguments[i + 1]);
    }
    return identities;
}

void tell(const std::string& line) {
    std::puts(line.c_str());
    std::fflush(stdout);
}

/// Tries a made-up driver out, or a feature of it.
void tryFake(ProbedDevice device, std::string_view does, std::optional<DeviceFeature> feature = {}) {
    device.trial = Trial::Done;
    if (does == "crashes") {
        std::signal(SIGSEGV, SIG_DFL);  // not a sanitizer's
        std::raise(SIGSEGV);
    } else if (does == "hangs") {
        for (;;) ::pause();
    } else if (does == "dawdles") {
        ::sleep(2);
    } else if (does == "leaves") {
        ::_exit(3);
    } else if (does == "refuses") {
        device.refusal = "it computes wrong numbers";
    } else if (does == "miscomputes") {
        device.of(*feature).refusal = "they compute wrong numbers";
    }
    tell(does == "mumbles" ? "hello" : encodeDevice(device));
}

/// A child with made-up drivers. `drivers`: NAME:what-it-does, with blanks between. `log`: a file that gets a
/// "|" for each child and the names of the devices that it tries.
[[noreturn]] void runFakeChild(const std::string& drivers, const std::string& log,
                               const std::vector<std::string>& notTried) {
    std::ofstream file(log, std::ios::app);
    file << "|" << std::flush;
    ProbeVerdict verdict;
    std::vector<std::string> behaviours;
    std::istringstream words(drivers);
    for (std::string word; words >> word;) {
        const std::string name = word.substr(0, word.find(':'));
        verdict.devices.push_back({.identity = fmt::format("id-{}", name), .name = name});
        behaviours.push_back(word.substr(name.size() + 1));
        const auto numFeatures = static_cast<size_t>(std::ranges::count(word, '+'));
        for (size_t i = 0; i < numFeatures; ++i)
            verdict.devices.back().features[i] = {.what = "something", .trial = Trial::Untried};
    }
    tell(encodeVerdict(verdict));
    for (size_t i = 0; i < behaviours.size(); ++i) {
        if (std::ranges::count(notTried, verdict.devices[i].identity) > 0) continue;
        file << " " << verdict.devices[i].name << std::flush;
        // What it does; behind each "+" what a feature does.
        tryFake(verdict.devices[i], behaviours[i].substr(0, behaviours[i].find('+')));
        verdict.devices[i].trial = Trial::Done;
    }
    for (size_t i = 0; i < behaviours.size(); ++i) {
        ProbedDevice& device = verdict.devices[i];
        if (std::ranges::count(notTried, leftOutName(device)) > 0) continue;
        std::string_view does = behaviours[i];
        for (const DeviceFeature feature : kDeviceFeatures) {
            if (device.of(feature).trial != Trial::Untried) break;
            does.remove_prefix(does.find('+') + 1);
            if (std::ranges::count(notTried, leftOutName(device, feature)) > 0) continue;
            file << " " << device.name << "+" << (feature == DeviceFeature::Units ? "u" : "b") << std::flush;
            device.of(feature).trial = Trial::Done;
            tryFake(device, does.substr(0, does.find('+')), feature);
        }
    }
    ::_exit(0);
}

class ProbeTest : public VulkanTest {};

TEST_F(ProbeTest, theChildTriesEveryDevice) {
    const ProbeVerdict verdict = probe({.command = {kThisProgram, "--probe"}, .limit = kTestLimit});
    EXPECT_EQ(verdict.refusal, "");
    EXPECT_EQ(verdict.listing, Trial::Done);
    const ProbedDevice* found = verdict.find(info);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->trial, Trial::Done);
    EXPECT_EQ(found->refusal, "");
    EXPECT_EQ(found->name, info.name);
    EXPECT_EQ(found->kind, info.kind);
    EXPECT_GT(found->memoryBytes, 0u);
    DeviceInfo other = info;
    other.driverVersion += 1;
    EXPECT_EQ(verdict.find(other), nullptr);
}

TEST_F(ProbeTest, aDeviceThatIsLeftOutIsListedButNotTried) {
    for (const bool isLeftOut : {false, true}) {
        std::vector<std::string> lines;
        probeDevices({isLeftOut ? driverIdentity(info) : "another"},
                     [&](const std::string& line) { lines.push_back(line); });
        ASSERT_FALSE(lines.empty());
        const auto listed = decodeVerdict(lines.front());
        ASSERT_TRUE(listed.has_value()) << listed.error().message;
        const ProbedDevice* found = listed->find(info);
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->trial, Trial::Untried);
        const auto isAbout = [&](const std::string& line) {
            const auto told = decodeDevice(line);
            return told && told->identity == driverIdentity(info);
        };
        EXPECT_EQ(std::count_if(lines.begin() + 1, lines.end(), isAbout), isLeftOut ? 0 : 1);
    }
}

TEST(Probe, withoutVulkanThereIsOneSentence) {
    std::vector<std::string> lines;
    probeDevices({}, [&](const std::string& line) { lines.push_back(line); }, {},
                 {.library = "libabsent.so.1"});
    ASSERT_EQ(lines.size(), 1u);
    const auto verdict = decodeVerdict(lines[0]);
    ASSERT_TRUE(verdict.has_value()) << verdict.error().message;
    EXPECT_TRUE(verdict->devices.empty());
    EXPECT_THAT(verdict->refusal, HasSubstr("not installed"));
}

TEST(Probe, verdictsSurviveTheirText) {
    const ProbeVerdict verdict{.devices = {{"id", "Card \"X\"\xff", DeviceKind::Discrete, "driver 1",
                                            uint64_t{1} << 40, Trial::Done, "computes wrong"}},
                               .refusal = "none",
                               .listing = Trial::Crashed};
    const auto read = decodeVerdict(encodeVerdict(verdict));
    ASSERT_TRUE(read.has_value()) << read.error().message;
    ASSERT_EQ(read->devices.size(), 1u);
    EXPECT_EQ(read->devices[0].identity, "id");
    EXPECT_THAT(read->devices[0].name, HasSubstr("Card \"X\""));
    EXPECT_EQ(read->devices[0].driver, "driver 1");
    EXPECT_EQ(read->devices[0].memoryBytes, uint64_t{1} << 40);
    EXPECT_EQ(read->devices[0].refusal, "computes wrong");
    EXPECT_EQ(read->refusal, "none");
    EXPECT_EQ(read->listing, Trial::Crashed);
    EXPECT_EQ(decodeVerdict(R"({"devices":[]})")->listing, Trial::Done);
}

TEST(Probe, everyKindAndTrialSurvivesItsText) {
    for (const DeviceKind kind : {DeviceKind::Discrete, DeviceKind::Integrated, DeviceKind::Virtual,
                                  DeviceKind::Other, DeviceKind::Cpu}) {
        const auto read = decodeDevice(encodeDevice({.identity = "id", .kind = kind}));
        ASSERT_TRUE(read.has_value()) << read.error().message;
        EXPECT_EQ(read->kind, kind) << kindName(kind);
    }
    for (const Trial trial : {Trial::Untried, Trial::Done, Trial::Crashed, Trial::TimedOut}) {
        const auto read = decodeDevice(encodeDevice({.identity = "id", .trial = trial}));
        ASSERT_TRUE(read.has_value()) << read.error().message;
        EXPECT_EQ(read->trial, trial);
    }
    // Nobody takes a device to be tried that nothing is said about.
    EXPECT_EQ(decodeDevice(R"({"identity":"id"})")->trial, Trial::Untried);
    EXPECT_EQ(decodeDevice(R"({"identity":"id","trial":3})")->trial, Trial::Untried);
}

TEST(Probe, nonsenseIsNoVerdict) {
    for (const char* text : {"", "[]", "3", "{", R"({"devices":3})", R"({"devices":[3]})",
                             R"({"devices":[{}]})", R"({"devices":[{"identity":3}]})"}) {
        EXPECT_FALSE(decodeVerdict(text).has_value()) << text;
    }
    for (const char* text : {"", "[]", "3", "{", "{}", R"({"identity":3})"}) {
        EXPECT_FALSE(decodeDevice(text).has_value()) << text;
    }
}

TEST(Probe, aCrashBeforeDevicesAreListedIsTheVerdict) {
    const ProbeVerdict verdict = probe(shell("kill -SEGV $$"));
    EXPECT_THAT(verdict.refusal, HasSubstr("the graphics driver crashed"));
    EXPECT_EQ(verdict.listing, Trial::Crashed);
    EXPECT_TRUE(verdict.devices.empty());
    // Half a list is none.
    EXPECT_EQ(probe(shell("printf '{\"devices\":[]}'; kill -SEGV $$")).listing, Trial::Crashed);
}

TEST(Probe, whatWasToldBeforeACrashCounts) {
    const ProbeVerdict tried = probe(shell(printing("Card") + "; kill -SEGV $$"));
    EXPECT_EQ(tried.refusal, "");
    ASSERT_EQ(tried.devices.size(), 1u);
    EXPECT_EQ(tried.devices[0].refusal, "");
    const ProbeVerdict untried = probe(shell(printing("Card", "untried") + "; kill -SEGV $$"));
    EXPECT_EQ(untried.refusal, "");
    ASSERT_EQ(untried.devices.size(), 1u);
    EXPECT_EQ(untried.devices[0].trial, Trial::Crashed);
    EXPECT_THAT(untried.devices[0].refusal, HasSubstr("the driver of Card crashed"));
}

TEST(Probe, aFailureIsAVerdict) {
    EXPECT_THAT(probe(shell("exit 3")).refusal, HasSubstr("exit status 3"));
    EXPECT_THAT(probe(shell("echo hello")).refusal, HasSubstr("failed"));
    EXPECT_THAT(probe(shell("head -c 3000000 /dev/zero")).refusal, HasSubstr("failed"));
}

TEST(Probe, aHangIsAVerdict) {
    for (const char* script : {"exec sleep 100", "exec >&-; exec sleep 100"}) {
        ProbeRequest request = shell(script);
        request.limit = std::chrono::milliseconds(200);
        const ProbeVerdict verdict = probe(request);
        EXPECT_THAT(verdict.refusal, HasSubstr("within 0.2 s"));
        EXPECT_EQ(verdict.listing, Trial::TimedOut);
    }
}

TEST(Probe, whatCannotBeStartedIsAnError) {
    EXPECT_EQ(probeInChild({}).error().code, ErrorCode::InvalidArgument);
    const auto verdict = probeInChild({.command = {"/no/such/program"}});
    ASSERT_FALSE(verdict.has_value());
    EXPECT_EQ(verdict.error().code, ErrorCode::Io);
}

/// Long enough for a healthy child on a busy computer.
constexpr std::chrono::seconds kHangLimit{3};

class FakeDrivers : public ::testing::Test {
  protected:
    /// Devices whose drivers do this, see runFakeChild().
    ProbeRequest request(const std::string& drivers) const {
        const bool takesLong =
            drivers.find("hangs") != drivers.npos || drivers.find("dawdles") != drivers.npos;
        return {.command = {kThisProgram, "--fake", drivers, folder.file("log")},
                .cacheFile = folder.file("verdict"),
                .limit = takesLong ? kHangLimit : kTestLimit};
    }
    /// Which devices were tried since the last call, see runFakeChild().
    std::string tried() const {
        const std::string text = test::readBytes(folder.file("log"));
        std::filesystem::remove(folder.file("log"));
        return text;
    }
    /// What is remembered was learned by somebody else from now on.
    void becomeAnotherProcess() const {
        auto json = test::readJson(folder.file("verdict"));
        json["asker"] = 0;
        std::ofstream(folder.file("verdict")) << json;
    }

    const test::TemporaryFolder folder;
};

TEST_F(FakeDrivers, oneThatFailsLeavesTheOthersTheirTrials) {
    const struct {
        std::string drivers;
        std::vector<std::pair<Trial, std::string>> verdicts;
        std::string tried;
    } cases[] = {
        {"A:passes B:passes", {{Trial::Done, ""}, {Trial::Done, ""}}, "| A B"},
        {"A:refuses B:passes", {{Trial::Done, "it computes wrong numbers"}, {Trial::Done, ""}}, "| A B"},
        {"A:crashes B:passes",
         {{Trial::Crashed, "the driver of A crashed when it was tried out (Segmentation fault)"},
          {Trial::Done, ""}},
         "| A| B"},
        {"A:passes B:crashes",
         {{Trial::Done, ""},
          {Trial::Crashed, "the driver of B crashed when it was tried out (Segmentation fault)"}},
         "| A B"},
        {"A:crashes B:crashes C:refuses",
         {{Trial::Crashed, "the driver of A crashed when it was tried out (Segmentation fault)"},
          {Trial::Crashed, "the driver of B crashed when it was tried out (Segmentation fault)"},
          {Trial::Done, "it computes wrong numbers"}},
         "| A| B| C"},
        {"A:hangs B:passes",
         {{Trial::TimedOut, "the driver of A did not answer within 3 s"}, {Trial::Done, ""}},
         "| A| B"},
        // Each has the time for itself.
        {"A:dawdles B:dawdles", {{Trial::Done, ""}, {Trial::Done, ""}}, "| A B"},
        {"A:leaves B:passes",
         {{Trial::Crashed, "the driver of A failed when it was tried out (exit status 3)"},
          {Trial::Done, ""}},
         "| A| B"},
        {"A:mumbles B:passes",
         {{Trial::Crashed, "the driver of A failed when it was tried out (exit status 0)"},
          {Trial::Done, ""}},
         "| A B| B"},
    };
    for (const auto& [drivers, verdicts, names] : cases) {
        SCOPED_TRACE(drivers);
        ProbeRequest fresh = request(drivers);
        fresh.cacheFile.clear();
        const ProbeVerdict verdict = probe(fresh);
        EXPECT_EQ(verdict.refusal, "");
        EXPECT_EQ(verdict.listing, Trial::Done);
        ASSERT_EQ(verdict.devices.size(), verdicts.size());
        for (size_t i = 0; i < verdicts.size(); ++i) {
            EXPECT_EQ(verdict.devices[i].trial, verdicts[i].first) << i;
            EXPECT_EQ(verdict.devices[i].refusal, verdicts[i].second) << i;
        }
        EXPECT_EQ(tried(), names);
    }
}

TEST_F(FakeDrivers, featuresThatFailLeaveTheDeviceUsable) {
    const struct {
        std::string drivers;
        std::vector<std::pair<Trial, std::string>> units;
        std::string tried;
    } cases[] = {
        {"A:passes+passes B:passes", {{Trial::Done, ""}, {Trial::Done, ""}}, "| A B A+u"},
        {"A:passes+miscomputes", {{Trial::Done, "they compute wrong numbers"}}, "| A A+u"},
        {"A:passes+crashes B:passes+passes",
         {{Trial::Crashed,
           "the driver of A crashed when it was tried out (Segmentation fault) with its units for matrices"},
          {Trial::Done, ""}},
         "| A B A+u| B B+u"},
        {"A:passes+passes B:passes+hangs",
         {{Trial::Done, ""},
          {Trial::TimedOut, "the driver of B did not answer within 3 s with its units for matrices"}},
         "| A B A+u B+u"},
    };
    for (const auto& [drivers, units, names] : cases) {
        SCOPED_TRACE(drivers);
        ProbeRequest fresh = request(drivers);
        fresh.cacheFile.clear();
        const ProbeVerdict verdict = probe(fresh);
        ASSERT_EQ(verdict.devices.size(), units.size());
        for (size_t i = 0; i < units.size(); ++i) {
            EXPECT_EQ(verdict.devices[i].refusal, "") << i;
            EXPECT_EQ(verdict.devices[i].trial, Trial::Done) << i;
            EXPECT_EQ(verdict.devices[i].of(DeviceFeature::Units).trial, units[i].first) << i;
            EXPECT_EQ(verdict.devices[i].of(DeviceFeature::Units).refusal, units[i].second) << i;
        }
        EXPECT_EQ(tried(), names);
    }
    probe(request("A:passes+crashes B:passes+hangs"));
    EXPECT_EQ(tried(), "| A B A+u| B B+u");
    becomeAnotherProcess();
    const ProbeVerdict verdict = probe(request("A:passes+passes B:passes+passes"));
    EXPECT_EQ(tried(), "| B B+u") << "a crash is remembered, a time-out by whom it happened to";
    EXPECT_THAT(verdict.devices[0].of(DeviceFeature::Units).refusal, HasSubstr("crashed"));
    EXPECT_EQ(verdict.devices[1].of(DeviceFeature::Units).refusal, "");
}

/// Units that crash say nothing about products of bytes, which another child tries.
TEST_F(FakeDrivers, eachFeatureIsTriedByItself) {
    const struct {
        std::string drivers, units, bytes, tried;
    } cases[] = {
        {"A:passes+passes+passes", "", "", "| A A+u A+b"},
        {"A:passes+crashes+passes",
         "the driver of A crashed when it was tried out (Segmentation fault) with its units for matrices", "",
         "| A A+u| A A+b"},
        {"A:passes+passes+crashes", "",
         "the driver of A crashed when it was tried out (Segmentation fault) with its products of bytes",
         "| A A+u A+b"},
        {"A:passes+miscomputes+miscomputes", "they compute wrong numbers", "they compute wrong numbers",
         "| A A+u A+b"},
    };
    for (const auto& [drivers, units, bytes, names] : cases) {
        SCOPED_TRACE(drivers);
        ProbeRequest fresh = request(drivers);
        fresh.cacheFile.clear();
        const ProbeVerdict verdict = probe(fresh);
        ASSERT_EQ(verdict.devices.size(), 1u);
        EXPECT_EQ(verdict.devices[0].refusal, "");
        EXPECT_EQ(verdict.devices[0].of(DeviceFeature::Units).refusal, units);
        EXPECT_EQ(verdict.devices[0].of(DeviceFeature::Bytes).refusal, bytes);
        EXPECT_EQ(tried(), names);
    }
}

TEST_F(FakeDrivers, aCrashIsRememberedAndATimeOutOnlyByWhomItHappenedTo) {
    probe(request("A:crashes B:hangs C:passes"));
    EXPECT_EQ(tried(), "| A| B| C");
    ProbeVerdict verdict = probe(request("A:passes B:passes C:passes"));
    EXPECT_EQ(tried(), "");
    EXPECT_THAT(verdict.devices[1].refusal, HasSubstr("did not answer"));
    becomeAnotherProcess();
    verdict = probe(request("A:passes B:passes C:passes"));
    EXPECT_EQ(tried(), "| B");
    ASSERT_EQ(verdict.devices.size(), 3u);
    EXPECT_THAT(verdict.devices[0].refusal, HasSubstr("crashed"));
    EXPECT_EQ(verdict.devices[1].refusal, "");
    EXPECT_EQ(verdict.devices[1].trial, Trial::Done);
    EXPECT_EQ(verdict.devices[2].refusal, "");
    becomeAnotherProcess();
    probe(request("A:passes B:passes C:passes"));
    EXPECT_EQ(tried(), "");
}

TEST_F(FakeDrivers, anotherTrialCostsTheOthersNothing) {
    probe(request("A:hangs B:passes"));
    becomeAnotherProcess();
    ProbeRequest dying = shell("kill -SEGV $$");
    dying.cacheFile = folder.file("verdict");
    const ProbeVerdict verdict = probe(dying);
    ASSERT_EQ(verdict.devices.size(), 2u);
    EXPECT_EQ(verdict.devices[0].trial, Trial::Crashed);
    EXPECT_EQ(verdict.devices[1].trial, Trial::Done);
    EXPECT_EQ(verdict.devices[1].refusal, "");
}

TEST_F(FakeDrivers, aListThatTookTooLongIsAskedForAgain) {
    ProbeRequest slow = shell("exec sleep 100");
    slow.cacheFile = folder.file("verdict");
    slow.limit = std::chrono::milliseconds(200);
    EXPECT_EQ(probe(slow).listing, Trial::TimedOut);
    EXPECT_EQ(probe(request("A:passes")).listing, Trial::TimedOut);
    becomeAnotherProcess();
    EXPECT_EQ(probe(request("A:passes")).listing, Trial::Done);
}

class ProbeCacheTest : public ::testing::Test {
  protected:
    std::string nameFrom(const std::string& child, ProbeCache cache = ProbeCache::Use) {
        ProbeRequest request = shell(child);
        request.cacheFile = folder.file("verdict");
        request.cache = cache;
        const ProbeVerdict verdict = probe(request);
        return verdict.devices.empty() ? verdict.refusal : verdict.devices.front().name;
    }

    const test::TemporaryFolder folder;
};

TEST_F(ProbeCacheTest, aVerdictIsRemembered) {
    EXPECT_EQ(nameFrom(printing("first")), "first");
    EXPECT_EQ(nameFrom(printing("second")), "first");
    EXPECT_EQ(nameFrom(printing("third"), ProbeCache::Renew), "third");
    EXPECT_EQ(nameFrom(printing("fourth")), "third");
}

TEST_F(ProbeCacheTest, soIsACrash) {
    EXPECT_THAT(nameFrom("kill -SEGV $$"), HasSubstr("crashed"));
    EXPECT_THAT(nameFrom(printing("second")), HasSubstr("crashed"));
    EXPECT_EQ(nameFrom(printing("third"), ProbeCache::Renew), "third");
}

/// It may be installed any moment, and is no driver's file.
TEST_F(ProbeCacheTest, thatThereIsNoVulkanIsNotRemembered) {
    EXPECT_EQ(nameFrom(R"(echo '{"devices":[],"refusal":"Vulkan is not installed","listing":"done"}')"),
              "Vulkan is not installed");
    EXPECT_EQ(nameFrom(printing("first")), "first");
    EXPECT_EQ(nameFrom(printing("second")), "first");
}

TEST_F(ProbeCacheTest, otherDriversAreProbedAnew) {
    const std::string manifest = folder.file("driver.json");
    std::ofstream(manifest) << "one";
    ASSERT_EQ(::setenv("VK_DRIVER_FILES", manifest.c_str(), 1), 0);
    EXPECT_EQ(nameFrom(printing("first")), "first");
    EXPECT_EQ(nameFrom(printing("second")), "first");
    std::ofstream(manifest) << "two";
    EXPECT_EQ(nameFrom(printing("third")), "third");
    std::filesystem::remove(manifest);
    EXPECT_EQ(nameFrom(printing("fourth")), "fourth");
    ::unsetenv("VK_DRIVER_FILES");
}

TEST_F(ProbeCacheTest, aDamagedMemoryIsIgnored) {
    ASSERT_EQ(nameFrom(printing("first")), "first");
    const std::string whole = test::readBytes(folder.file("verdict"));
    ASSERT_FALSE(whole.empty());
    for (size_t length = 0; length < whole.size(); length += 7) {
        std::ofstream(folder.file("verdict")) << whole.substr(0, length);
        EXPECT_EQ(nameFrom(printing("again")), "again") << length;
    }
}

TEST(InstalledDrivers, aFolderIsSearched) {
    const test::TemporaryFolder folder;
    ASSERT_EQ(::setenv("VK_DRIVER_FILES", folder.path().c_str(), 1), 0);
    const std::string empty = installedDriversKey();
    EXPECT_EQ(installedDriversKey(), empty);
    std::ofstream(folder.file("new.json")) << "{}";
    EXPECT_NE(installedDriversKey(), empty);
    ::unsetenv("VK_DRIVER_FILES");
}

}  // namespace
}  // namespace ingle::backend::vulkan

/// This program is its own child, as the real one is.
int main(int argc, char** argv) {
    using namespace ingle::backend::vulkan;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments[0] == "--probe") runProbeChild(leftOut(arguments));
    if (arguments.size() >= 3 && arguments[0] == "--fake")
        runFakeChild(arguments[1], arguments[2], leftOut(arguments));
    ::testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
