#include "app/crash/crash_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/base/check.h"
#include "tests/golden.h"
#include "tests/temporary_folder.h"

namespace ingle::crash {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class CrashReport : public testing::Test {
  protected:
    /// How a child ends that keeps reports and then does `work`.
    template <typename Work>
    int statusOf(Work work) {
        const pid_t child = ::fork();
        if (child == 0) {
            keepReports({m_reports, "the test", "1.2.3"});
            noteDevice("a card\x1b[31m");
            work();
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return status;
    }
    std::string report() const {
        const auto path = unseenReport(m_reports);
        return path ? test::readBytes(*path) : "";
    }

    test::TemporaryFolder m_folder;
    const std::string m_reports = m_folder.file("crashes");
};

/// Not inlined, so that it is in the backtrace.
[[gnu::noinline]] void crashHere(volatile int* nowhere) {
    *nowhere = 1;
}

TEST_F(CrashReport, aCrashIsTold) {
    const int status = statusOf([] { crashHere(nullptr); });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
    EXPECT_THAT(report(), HasSubstr("program: the test 1.2.3\n"));
    EXPECT_THAT(report(), HasSubstr("SIGSEGV (a wrong memory access), address 0x0"));
    EXPECT_THAT(report(), HasSubstr("device: a card\\x1b[31m\n"));
    EXPECT_THAT(report(), HasSubstr("app_crash_test"));  // the frames
    struct stat file {};
    ASSERT_EQ(::stat(unseenReport(m_reports)->c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600U);
}

TEST_F(CrashReport, aCheckThatFailedIsQuoted) {
    const int status = statusOf([] {
        const size_t slot = 7;
        INGLE_CHECK(slot < 3, "slot {}", slot);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
    EXPECT_THAT(report(),
                ContainsRegex("signal: SIGABRT [^\n]*\n"
                              "check: [^ ]+crash_report_test.cpp:[0-9]+: slot < 3 does not hold: slot 7\n"));
}

TEST_F(CrashReport, everyWayToCrash) {
    for (const int signal : {SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS}) {
        const int status = statusOf([signal] { ::raise(signal); });
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal;
        EXPECT_FALSE(report().empty()) << signal;
        ASSERT_TRUE(markSeen(m_reports));
    }
}

/// Deeper than any stack; the compiler cannot see that.
volatile int deepest = 1 << 30;
int recurse(int depth) {
    volatile char room[4096];
    room[0] = static_cast<char>(depth);
    return depth == deepest ? 0 : recurse(depth + 1) + room[0];
}

TEST_F(CrashReport, aStackThatRunsOverIsTold) {
    const int status = statusOf([] { ::_exit(recurse(0)); });
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_THAT(report(), HasSubstr("SIGSEGV"));
}

TEST_F(CrashReport, anEndInOrderIsNoCrash) {
    EXPECT_EQ(statusOf([] {}), 0);
    const int status = statusOf([] { ::raise(SIGTERM); });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    EXPECT_EQ(unseenReport(m_reports), std::nullopt);
}

TEST_F(CrashReport, eachIsShownOnceAndTheOldestGo) {
    std::filesystem::create_directories(m_reports);
    for (int i = 10; i < 30; ++i)
        std::ofstream(m_reports + "/new-17000000" + std::to_string(i) + "-1.txt") << i;
    EXPECT_EQ(report(), "29");
    ASSERT_TRUE(markSeen(m_reports));
    EXPECT_EQ(unseenReport(m_reports), std::nullopt);
    EXPECT_EQ(statusOf([] {}), 0);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_reports), {}), 10);
    EXPECT_TRUE(std::filesystem::exists(m_reports + "/crash-1700000029-1.txt"));
}

TEST_F(CrashReport, aFolderThatCannotBeWrittenCostsTheReportOnly) {
    std::ofstream(m_reports) << "a file where the folder should be";
    const int status = statusOf([] { std::abort(); });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

}  // namespace
}  // namespace ingle::crash
