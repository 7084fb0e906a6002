#include "app/sandbox/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

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

/// As inChild, with everything but computing refused first; 99 when that failed.
int onlyComputing(const std::function<int()>& body) {
    return inChild([&] { return allowOnlyComputing() ? body() : 99; });
}

TEST(OnlyComputing, ReadsWritesAndTakesMemory) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    EXPECT_EQ(onlyComputing([&] {
                  char byte = 'x';
                  if (::write(ends[1], &byte, 1) != 1 || ::read(ends[0], &byte, 1) != 1) return errno;
                  constexpr size_t kMuch = size_t{64} << 20;
                  std::vector<char> memory(kMuch, 'x');
                  return memory[kMuch / 2] == 'x' ? 0 : 1;
              }),
              0);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(OnlyComputing, EverythingElseIsRefused) {
    const auto refused = [](auto call) { return onlyComputing([&] { return call() < 0 ? errno : 0; }); };
    EXPECT_EQ(refused([] { return ::open("/etc/passwd", O_RDONLY); }), EACCES);
    EXPECT_EQ(refused([] { return ::open("/tmp/new", O_CREAT | O_WRONLY, 0600); }), EACCES);
    EXPECT_EQ(refused([] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }), EACCES);
    EXPECT_EQ(refused([] { return ::socket(AF_INET, SOCK_STREAM, 0); }), EACCES);
    EXPECT_EQ(refused([] { return static_cast<int>(::fork()); }), EACCES);
    EXPECT_EQ(refused([] { return ::execl("/bin/true", "true", nullptr); }), EACCES);
    EXPECT_EQ(refused([] { return ::kill(::getppid(), 0); }), EACCES);
    EXPECT_EQ(refused([] { return static_cast<int>(::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0)); }),
              EACCES);
    EXPECT_EQ(refused([] { return static_cast<int>(::syscall(SYS_ptrace, 0, 0, 0, 0)); }), EACCES);
    EXPECT_EQ(refused([] { return static_cast<int>(::syscall(SYS_io_uring_setup, 1, nullptr)); }), EACCES);
    EXPECT_EQ(refused([] { return static_cast<int>(::unlink("/tmp/none")); }), EACCES);
    EXPECT_EQ(onlyComputing([] {
                  void* code = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                  return code == MAP_FAILED ? errno : 0;
              }),
              EACCES);
}

TEST(OnlyComputing, AnAbortEndsIt) {
    EXPECT_EQ(onlyComputing([]() -> int { std::abort(); }), -SIGABRT);
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
