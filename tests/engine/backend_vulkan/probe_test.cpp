#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/backend/vulkan/probe_process.h"
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

/// A child that prints a verdict with one device of this name.
std::string printing(const std::string& name) {
    return fmt::format(R"(echo '{{"devices":[{{"identity":"1","name":"{}"}}],"refusal":""}}')", name);
}

class ProbeTest : public VulkanTest {};

TEST_F(ProbeTest, theChildTriesEveryDevice) {
    const ProbeVerdict verdict = probe({.command = {kThisProgram, "--probe"}, .limit = kTestLimit});
    EXPECT_EQ(verdict.refusal, "");
    EXPECT_FALSE(verdict.crashed);
    const ProbedDevice* found = verdict.find(info);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->refusal, "");
    EXPECT_EQ(found->name, info.name);
    EXPECT_EQ(found->kind, info.kind);
    EXPECT_GT(found->memoryBytes, 0u);
    DeviceInfo other = info;
    other.driverVersion += 1;
    EXPECT_EQ(verdict.find(other), nullptr);
}

TEST(Probe, withoutVulkanThereIsOneSentence) {
    const ProbeVerdict verdict = probeDevices({.library = "libabsent.so.1"});
    EXPECT_TRUE(verdict.devices.empty());
    EXPECT_THAT(verdict.refusal, HasSubstr("not installed"));
}

TEST(Probe, verdictsSurviveTheirText) {
    const ProbeVerdict verdict{.devices = {{"id", "Card \"X\"\xff", DeviceKind::Discrete, "driver 1",
                                            uint64_t{1} << 40, "computes wrong"}},
                               .refusal = "none",
                               .crashed = true};
    const auto read = decodeVerdict(encodeVerdict(verdict));
    ASSERT_TRUE(read.has_value()) << read.error().message;
    ASSERT_EQ(read->devices.size(), 1u);
    EXPECT_EQ(read->devices[0].identity, "id");
    EXPECT_THAT(read->devices[0].name, HasSubstr("Card \"X\""));
    EXPECT_EQ(read->devices[0].kind, DeviceKind::Discrete);
    EXPECT_EQ(read->devices[0].driver, "driver 1");
    EXPECT_EQ(read->devices[0].memoryBytes, uint64_t{1} << 40);
    EXPECT_EQ(read->devices[0].refusal, "computes wrong");
    EXPECT_EQ(read->refusal, "none");
    EXPECT_TRUE(read->crashed);
    EXPECT_FALSE(decodeVerdict(R"({"devices":[]})")->crashed);
}

TEST(Probe, nonsenseIsNoVerdict) {
    for (const char* text : {"", "[]", "3", "{", R"({"devices":3})", R"({"devices":[3]})",
                             R"({"devices":[{}]})", R"({"devices":[{"identity":3}]})"}) {
        EXPECT_FALSE(decodeVerdict(text).has_value()) << text;
    }
}

TEST(Probe, aCrashIsAVerdict) {
    EXPECT_THAT(probe(shell("kill -SEGV $$")).refusal, HasSubstr("crashed"));
    EXPECT_TRUE(probe(shell("kill -SEGV $$")).crashed);
    EXPECT_THAT(probe(shell(printing("Card") + "; kill -SEGV $$")).refusal, HasSubstr("crashed"));
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
        EXPECT_THAT(probe(request).refusal, HasSubstr("within 0.2 s"));
    }
}

TEST(Probe, whatCannotBeStartedIsAnError) {
    EXPECT_EQ(probeInChild({}).error().code, ErrorCode::InvalidArgument);
    const auto verdict = probeInChild({.command = {"/no/such/program"}});
    ASSERT_FALSE(verdict.has_value());
    EXPECT_EQ(verdict.error().code, ErrorCode::Io);
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
    if (argc == 2 && std::string_view(argv[1]) == "--probe") ingle::backend::vulkan::runProbeChild();
    ::testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
