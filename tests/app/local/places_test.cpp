/// Keys and sockets that are one user's alone.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "app/local/key_file.h"
#include "app/local/local_socket.h"
#include "tests/temporary_folder.h"
#include "tests/unix_socket.h"

namespace ingle::local {
namespace {

namespace fs = std::filesystem;

TEST(KeyFile, IsReadWhereNobodyElseCan) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("key");
    const auto write = [&](const std::string& text, mode_t mode = 0600) {
        std::ofstream(path, std::ios::binary) << text;
        ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    };
    write("sk-123\n");
    EXPECT_EQ(readKeyFile(path).value(), "sk-123");
    write("sk-123", 0400);
    EXPECT_EQ(readKeyFile(path).value(), "sk-123");
    for (const mode_t mode : {0640, 0604, 0660, 0610, 0644}) {
        write("sk-123", mode);
        const auto refused = readKeyFile(path);
        ASSERT_FALSE(refused) << mode;
        EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
        EXPECT_EQ(refused.error().message.find("sk-"), std::string::npos);
    }
    for (const std::string& bad :
         {std::string(), std::string("\n"), std::string("two words"), std::string("a\r\nX-Other: b"),
          std::string("\xc3\xa4"), std::string(9000, 'x')}) {
        write(bad);
        EXPECT_FALSE(readKeyFile(path)) << bad.substr(0, 20);
    }
    EXPECT_FALSE(readKeyFile(folder.file("missing")));
    EXPECT_FALSE(readKeyFile(folder.path().string()));
    ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
    EXPECT_FALSE(readKeyFile(folder.file("pipe")));
}

mode_t modeOf(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
}

TEST(LocalSocketTest, IsOfThisUserAlone) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("inglenook/bridge.sock");
    {
        const LocalSocket socket = LocalSocket::listen(path).value();
        EXPECT_EQ(modeOf(folder.file("inglenook")), 0700u);
        EXPECT_EQ(modeOf(path), 0600u);
        const FileDescriptor client = test::connectTo(path);
        EXPECT_TRUE(client.isOpen());
        EXPECT_TRUE(socket.accept());
        EXPECT_FALSE(socket.accept());
    }
    EXPECT_FALSE(fs::exists(path));
    // A folder that was there before is narrowed.
    ASSERT_EQ(::chmod(folder.file("inglenook").c_str(), 0755), 0);
    const LocalSocket again = LocalSocket::listen(path).value();
    EXPECT_EQ(modeOf(folder.file("inglenook")), 0700u);
}

TEST(LocalSocketTest, OneListensAndADeadOneIsReplaced) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("inglenook/bridge.sock");
    {
        const LocalSocket first = LocalSocket::listen(path).value();
        const auto second = LocalSocket::listen(path);
        ASSERT_FALSE(second);
        EXPECT_NE(second.error().message.find("Another program"), std::string::npos)
            << second.error().message;
        EXPECT_TRUE(test::connectTo(path).isOpen()) << "the first is as it was";
    }
    const pid_t child = ::fork();
    if (child == 0) {
        const auto killed = LocalSocket::listen(path);
        ::_exit(killed ? 7 : 1);  // without its end
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(WEXITSTATUS(status), 7);
    EXPECT_TRUE(fs::exists(path));
    EXPECT_TRUE(LocalSocket::listen(path));
}

TEST(LocalSocketTest, WhatIsInTheWayIsLeftThere) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("file")) << "mine";
    EXPECT_FALSE(LocalSocket::listen(folder.file("file")));
    EXPECT_TRUE(fs::is_regular_file(folder.file("file")));
    EXPECT_FALSE(LocalSocket::listen(folder.file("file") + "/bridge.sock"));
    fs::create_directory(folder.file("elsewhere"));
    fs::create_directory_symlink(folder.file("elsewhere"), folder.file("inglenook"));
    EXPECT_FALSE(LocalSocket::listen(folder.file("inglenook/bridge.sock"))) << "a link may lead anywhere";
    EXPECT_FALSE(LocalSocket::listen(folder.file(std::string(200, 'x'))));
    EXPECT_FALSE(LocalSocket::listen(""));
}

TEST(LocalSocketTest, ItsPlaceIsInTheRuntimeFolder) {
    ::setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
    EXPECT_EQ(defaultSocketPath("bridge.sock").value(), "/run/user/1/inglenook/bridge.sock");
    for (const char* bad : {"", "relative"}) {
        ::setenv("XDG_RUNTIME_DIR", bad, 1);
        EXPECT_FALSE(defaultSocketPath("bridge.sock"));
    }
    ::unsetenv("XDG_RUNTIME_DIR");
    EXPECT_FALSE(defaultSocketPath("bridge.sock"));
}

}  // namespace
}  // namespace ingle::local
