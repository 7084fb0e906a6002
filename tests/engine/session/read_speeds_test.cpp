/// What is measured once is remembered, by how the processor is used, for a day.
#include "engine/session/devices/read_speeds.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "ingle/computer.h"
#include "tests/engine/session/little_memory.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

class ReadSpeedsTest : public testing::Test {
  protected:
    ReadSpeedsTest() { m_options.trials.folder = m_folder.path().string(); }

    LoadOptions withThreads(uint32_t threads) const {
        LoadOptions options = m_options;
        options.threads = threads;
        return options;
    }
    std::string path() const { return m_folder.file("read-speeds.json"); }
    nlohmann::json remembered() const {
        std::ifstream stream(path());
        return nlohmann::json::parse(stream);
    }
    void rewrite(const nlohmann::json& json) const { std::ofstream(path()) << json.dump(); }
    /// As if it had been measured so many hours ago, at such a speed of memory.
    void age(int64_t hours, double memory) const {
        nlohmann::json json = remembered();
        for (auto& [key, entry] : json["speeds"].items()) {
            entry["measured_at"] = entry["measured_at"].get<int64_t>() - hours * 3600;
            entry["memory"] = memory;
        }
        rewrite(json);
    }

    // Much is free, whatever this computer has: a trial is made.
    const test::LittleMemory m_enough{uint64_t{16} << 30, uint64_t{8} << 30};
    const test::TemporaryFolder m_folder;
    LoadOptions m_options{.threads = 1};
    const FormatNames m_formats{"Q8_0"};
};

TEST_F(ReadSpeedsTest, areNotMeasuredWhereLittleMemoryIsFree) {
    const test::LittleMemory little(uint64_t{4} << 30, 1 << 20);
    EXPECT_FALSE(readSpeeds(m_formats, m_options));
}

TEST_F(ReadSpeedsTest, areRememberedWhereAFolderIsNamed) {
    LoadOptions nowhere{.threads = 1};
    ASSERT_TRUE(readSpeeds(m_formats, nowhere));
    EXPECT_FALSE(rememberedSpeeds(m_options));
    const auto first = readSpeeds(m_formats, m_options);
    ASSERT_TRUE(first);
    EXPECT_GT(first->memoryBytesPerSecond, 1e8);
    EXPECT_EQ(readSpeeds(m_formats, m_options), first) << "measured again, it would not be the same";
    EXPECT_EQ(rememberedSpeeds(m_options), first);
}

TEST_F(ReadSpeedsTest, anotherNumberOfThreadsHasItsOwn) {
    const auto one = readSpeeds(m_formats, withThreads(1));
    const auto two = readSpeeds(m_formats, withThreads(2));
    EXPECT_NE(one, two);
    EXPECT_EQ(rememberedSpeeds(withThreads(1)), one);
    EXPECT_EQ(rememberedSpeeds(withThreads(2)), two);
}

TEST_F(ReadSpeedsTest, onlyAFewWaysOfUseAreKept) {
    for (uint32_t threads = 1; threads <= 10; ++threads) ASSERT_TRUE(readSpeeds({}, withThreads(threads)));
    EXPECT_EQ(remembered()["speeds"].size(), 8);
}

TEST_F(ReadSpeedsTest, theBestOfADayIsKeptAndNoLonger) {
    constexpr double kImpossible = 9e14;
    ASSERT_TRUE(readSpeeds({}, m_options));
    age(1, kImpossible);
    EXPECT_EQ(readSpeeds(m_formats, m_options)->memoryBytesPerSecond, kImpossible);
    age(25, kImpossible);
    EXPECT_LT(readSpeeds(m_formats, m_options)->memoryBytesPerSecond, kImpossible);
}

TEST_F(ReadSpeedsTest, oldOnesServeWhereNothingCanBeMeasured) {
    ASSERT_TRUE(readSpeeds(m_formats, m_options));
    age(25, 1e10);
    const test::LittleMemory little(uint64_t{4} << 30, 1 << 20);
    EXPECT_EQ(readSpeeds(m_formats, m_options)->memoryBytesPerSecond, 1e10);
}

TEST_F(ReadSpeedsTest, damageAndOtherVersionsAreMeasuredAnew) {
    ASSERT_TRUE(readSpeeds(m_formats, m_options));
    nlohmann::json older = remembered();
    older["version"] = older["version"].get<int>() - 1;
    nlohmann::json negative = remembered();
    for (auto& [key, entry] : negative["speeds"].items()) entry["memory"] = -1;
    for (const std::string& damage :
         {std::string(), std::string("{"), std::string("[]"),
          std::string(R"({"version":2,"speeds":{"x":1}})"), older.dump(), negative.dump()}) {
        std::ofstream(path()) << damage;
        EXPECT_FALSE(rememberedSpeeds(m_options)) << damage;
        EXPECT_TRUE(readSpeeds(m_formats, m_options)) << damage;
    }
}

TEST_F(ReadSpeedsTest, aComputerIsDescribedWithoutAModel) {
    const auto computer = describeComputer(m_options.trials.folder);
    ASSERT_TRUE(computer);
    EXPECT_GT(computer->readBytesPerSecond, 1e8);
    EXPECT_EQ(describeComputer(m_options.trials.folder)->readBytesPerSecond, computer->readBytesPerSecond);
}

}  // namespace
}  // namespace ingle::session
