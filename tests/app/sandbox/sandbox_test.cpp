#include "app/sandbox/sandbox.h"

#include <gtest/gtest.h>
#include <linux/io_uring.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <thread>

namespace ingle::sandbox {
namespace {

/// Runs `body` in a child process (the filter cannot be taken off again) and returns its exit status, or
/// minus the signal that ended it.
int inChild(const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// As inChild, with the filter installed first; 99 when that failed.
int inSandbox(const std::function<int()>& body) {
    return inChild([&] { return denyInternetSockets() ? body() : 99; });
}

/// 0: opened, else errno.
int openSocket(int domain, int type) {
    const int fd = ::socket(domain, type, 0);
    if (fd < 0) return errno;
    ::close(fd);
    return 0;
}

TEST(Sandbox, InternetSocketsOpenWithoutIt) {
    EXPECT_EQ(inChild([] { return openSocket(AF_INET, SOCK_STREAM); }), 0);
}

TEST(Sandbox, EveryOtherFamilyIsRefused) {
    for (int domain = 0; domain < 64; ++domain) {
        if (domain == AF_UNIX || domain == AF_NETLINK) continue;
        EXPECT_EQ(inSandbox([&] { return openSocket(domain, SOCK_STREAM); }), EACCES) << domain;
        EXPECT_EQ(inSandbox([&] { return openSocket(domain, SOCK_DGRAM); }), EACCES) << domain;
    }
    EXPECT_EQ(inSandbox([] { return openSocket(AF_PACKET, SOCK_RAW); }), EACCES);
    EXPECT_EQ(inSandbox([] { return openSocket(AF_UNIX | 1 << 20, SOCK_STREAM); }), EACCES);
    EXPECT_EQ(inSandbox([] { return openSocket(-1, SOCK_STREAM); }), EACCES);
}

TEST(Sandbox, LocalSocketsWork) {
    EXPECT_EQ(inSandbox([] { return openSocket(AF_UNIX, SOCK_STREAM); }), 0);
    EXPECT_EQ(inSandbox([] { return openSocket(AF_NETLINK, SOCK_RAW); }), 0);
    EXPECT_EQ(inSandbox([] {
                  int ends[2];
                  return ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 ? 0 : errno;
              }),
              0);
    EXPECT_EQ(inSandbox([] {
                  int ends[2];
                  return ::socketpair(AF_INET, SOCK_STREAM, 0, ends) == 0 ? 0 : errno;
              }),
              EACCES);
}

TEST(Sandbox, GarbageInTheUpperHalfOfTheDomainDoesNotSlipThrough) {
    const auto rawSocket = [](long domain) {
        return ::syscall(SYS_socket, domain, static_cast<long>(SOCK_STREAM), 0L) >= 0 ? 0 : errno;
    };
    EXPECT_EQ(inSandbox([&] { return rawSocket(1L << 32 | AF_INET); }), EACCES);
    EXPECT_EQ(inSandbox([&] { return rawSocket(1L << 32 | AF_UNIX); }), 0);
}

TEST(Sandbox, IoUringIsRefused) {
    EXPECT_EQ(inSandbox([] {
                  io_uring_params params{};
                  return ::syscall(SYS_io_uring_setup, 1, &params) >= 0 ? 0 : errno;
              }),
              EACCES);
}

TEST(Sandbox, ThreadsThatRanBeforeAndChildrenAreCovered) {
    EXPECT_EQ(inChild([] {
                  std::atomic<bool> installed = false;
                  int seen = 0;
                  std::thread thread([&] {
                      while (!installed) std::this_thread::yield();
                      seen = openSocket(AF_INET, SOCK_STREAM);
                  });
                  if (!denyInternetSockets()) return 99;
                  installed = true;
                  thread.join();
                  return seen;
              }),
              EACCES);
    EXPECT_EQ(inSandbox([] { return inChild([] { return openSocket(AF_INET6, SOCK_STREAM); }); }), EACCES);
}

TEST(Sandbox, ItCanBeInstalledTwice) {
    EXPECT_EQ(inSandbox([] { return denyInternetSockets() ? openSocket(AF_INET, SOCK_STREAM) : 98; }),
              EACCES);
}

#ifdef __x86_64__
TEST(Sandbox, ForeignCallNumbersAreRefused) {
    constexpr long kX32Bit = 0x40000000;
    EXPECT_EQ(inSandbox([] {
                  return ::syscall(kX32Bit | SYS_socket, static_cast<long>(AF_INET),
                                   static_cast<long>(SOCK_STREAM), 0L) >= 0
                             ? 0
                             : errno;
              }),
              EACCES);
    const int ia32 = inSandbox([] {
        constexpr int kIa32Socket = 359;
        int result = kIa32Socket;
        asm volatile("int $0x80" : "+a"(result) : "b"(AF_INET), "c"(SOCK_STREAM), "d"(0) : "memory");
        return result >= 0 ? 0 : -result;
    });
    // A kernel without 32-bit support ends the process instead.
    EXPECT_TRUE(ia32 == EACCES || ia32 < 0) << ia32;
}
#endif

}  // namespace
}  // namespace ingle::sandbox
