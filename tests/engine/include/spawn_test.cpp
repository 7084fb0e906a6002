#include "ingle/spawn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>

#include "ingle/file_descriptor.h"

namespace ingle {
namespace {

struct Ended {
    int status = 0;
    std::string said;
};

/// A command of the shell, to its end.
Ended run(const std::string& command, Start start = {}) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const FileDescriptor ours(ends[0]);
    FileDescriptor theirs(ends[1]);
    start.program = "/bin/sh";
    start.arguments = {"-c", command};
    start.output = theirs.get();
    pid_t pid = 0;
    EXPECT_EQ(spawn(start, pid), 0);
    theirs = {};
    Ended ended;
    char byte = 0;
    while (::read(ours.get(), &byte, 1) == 1) ended.said += byte;
    EXPECT_EQ(::waitpid(pid, &ended.status, 0), pid);
    return ended;
}

TEST(Spawn, whatIsStartedHasWhatItIsGiven) {
    ::setenv("INGLE_SPAWN", "known", 1);
    EXPECT_EQ(run("echo $INGLE_SPAWN; exit 3").said, "known\n");
    EXPECT_EQ(WEXITSTATUS(run("exit 3").status), 3);
    EXPECT_EQ(run("cat; echo end", {.input = Start::kNothing}).said, "end\n");
}

TEST(Spawn, whatIsAloneInheritsNothing) {
    ::setenv("INGLE_SPAWN", "known", 1);
    const int open = ::fcntl(STDERR_FILENO, F_DUPFD, 100);  // not closed by itself
    const std::string list = "echo $INGLE_SPAWN; cd /proc/self/fd && echo *";
    EXPECT_NE(run(list).said.find("100"), std::string::npos);
    const std::string alone = run(list, {.errors = Start::kNothing, .isAlone = true}).said;
    EXPECT_EQ(alone.find("known"), std::string::npos);
    EXPECT_EQ(alone.find("100"), std::string::npos) << alone;
    ::close(open);
}

TEST(Spawn, ignoredSignalsEndIt) {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(WTERMSIG(run("kill -PIPE $$").status), SIGPIPE);
    std::signal(SIGPIPE, SIG_DFL);
}

TEST(Spawn, whatIsNotThereIsSaid) {
    pid_t pid = 0;
    EXPECT_EQ(spawn({.program = "/nowhere/at/all"}, pid), ENOENT);
}

}  // namespace
}  // namespace ingle
