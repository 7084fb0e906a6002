#include "app/brokers/brokers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <thread>

#include "app/brokers/bus_proxy.h"
#include "app/brokers/connections.h"
#include "app/sandbox/cage.h"
#include "engine/io/atomic_file.h"
#include "ingle/file_descriptor.h"
#include "ingle/spawn.h"
#include "tests/full_disk.h"
#include "tests/temporary_folder.h"

namespace ingle::brokers {
namespace {

namespace fs = std::filesystem;

constexpr int kNotHeld = 99;

sockaddr_un addressOf(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
    return address;
}

FileDescriptor listenAt(const std::string& path) {
    const sockaddr_un address = addressOf(path);
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket.get(), 8), 0);
    return socket;
}

/// 0, or errno.
int connectTo(const std::string& path, FileDescriptor& socket) {
    const sockaddr_un address = addressOf(path);
    socket = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0
                                                                                                     : errno;
}

int errorOfOpening(const std::string& path, int flags) {
    const FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0600));
    return file.isOpen() ? 0 : errno;
}

Status save(const std::string& path, std::string_view text, io::Existing existing = io::Existing::Replaced) {
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path, io::Access::ByUmask, existing));
    INGLE_TRY(file->write(std::as_bytes(std::span(text))));
    return file->commit();
}

std::string contentOf(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

class HeldWindow : public testing::Test {
  protected:
    void SetUp() override {
        ::setenv("HOME", path("home").c_str(), 1);
        ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
        ::setenv("XDG_RUNTIME_DIR", path("run").c_str(), 1);
        for (const char* name : {"run", "own", "elsewhere", "elsewhere/.hidden"})
            fs::create_directories(path(name));
        if (const std::string why = lacking(); !why.empty()) GTEST_SKIP() << why;
    }

    std::string path(std::string_view name) const { return m_folder.file(name); }

    /// Runs `body` in a caged copy of this process and returns its exit status, or minus the signal that
    /// ended it.
    int inWindow(
        const std::function<int()>& body, const std::function<void()>& before = [] {}) const {
        const pid_t copy = ::fork();
        if (copy == 0) {
            ::alarm(20);
            before();
            const auto held =
                confineWindow({.programs = {{"/bin/echo", {"a", "word"}}, {"/bin/sleep", {}, true}},
                               .sockets = {path("named")},
                               .runtimeFolder = path("run/inglenook"),
                               .writable = {path("own")}});
            ::_exit(held && held->empty() ? body() : kNotHeld);
        }
        int status = 0;
        ::waitpid(copy, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

  private:
    const test::TemporaryFolder m_folder;
};

TEST_F(HeldWindow, connectsToWhatWasNamedAndToNothingElse) {
    const FileDescriptor named = listenAt(path("named")), other = listenAt(path("other"));
    EXPECT_EQ(inWindow([&] {
                  FileDescriptor socket;
                  if (const int error = connectTo(path("named"), socket)) return error;
                  const FileDescriptor peer(::accept(named.get(), nullptr, nullptr));
                  char byte = 0;
                  const bool isHeard =
                      ::write(peer.get(), "x", 1) == 1 && ::read(socket.get(), &byte, 1) == 1;
                  return isHeard && byte == 'x' ? 0 : EIO;
              }),
              0);
    const auto refused = [&](const std::string& where) {
        return inWindow([&] {
            FileDescriptor socket;
            return connectTo(where, socket);
        });
    };
    EXPECT_EQ(refused(path("other")), EACCES);
    EXPECT_EQ(refused(path("run/inglenook/window/../../../other")), EACCES);
    EXPECT_EQ(refused("other"), EACCES);
}

TEST_F(HeldWindow, connectsManyTimesFromManyThreads) {
    const FileDescriptor named = listenAt(path("named"));
    EXPECT_EQ(inWindow([&] {
                  std::atomic<int> failed = 0;
                  std::vector<std::thread> threads;
                  for (int i = 0; i < 4; ++i)
                      threads.emplace_back([&] {
                          for (int j = 0; j < 50; ++j) {
                              FileDescriptor socket;
                              if (connectTo(path("named"), socket) != 0) ++failed;
                          }
                      });
                  std::thread accepting([&] {
                      for (int i = 0; i < 200; ++i) FileDescriptor(::accept(named.get(), nullptr, nullptr));
                  });
                  for (std::thread& each : threads) each.join();
                  accepting.join();
                  return failed.load();
              }),
              0);
}

TEST_F(HeldWindow, makesNoOtherSockets) {
    const auto refused = [&](int family, int type) {
        return inWindow([=] {
            const FileDescriptor socket(::socket(family, type, 0));
            return socket.isOpen() ? 0 : errno;
        });
    };
    EXPECT_EQ(refused(AF_UNIX, SOCK_STREAM), 0);
    EXPECT_EQ(refused(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC), 0);
    EXPECT_EQ(refused(AF_UNIX, SOCK_DGRAM), EACCES);
    EXPECT_EQ(refused(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC), EACCES);
    EXPECT_EQ(refused(AF_UNIX, SOCK_SEQPACKET), EACCES);
    EXPECT_EQ(refused(AF_INET, SOCK_STREAM), EACCES);
    EXPECT_EQ(refused(AF_NETLINK, SOCK_RAW), EACCES);
}

TEST_F(HeldWindow, startsItsOwnProgramsAndSeesTheirEnds) {
    EXPECT_EQ(inWindow([&] {
                  int ends[2];
                  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
                  pid_t pid = 0;
                  if (const int error = spawn({.program = "/bin/echo",
                                               .arguments = {"a", "word"},
                                               .input = Start::kNothing,
                                               .output = ends[1]},
                                              pid))
                      return error;
                  ::close(ends[1]);
                  char text[16] = {};
                  if (::read(ends[0], text, sizeof text) != 7 || std::string_view(text) != "a word\n")
                      return EIO;
                  int status = -1;
                  return ::waitpid(pid, &status, 0) == pid && status == 0 ? 0 : ECHILD;
              }),
              0);
    EXPECT_EQ(inWindow([&] {
                  pid_t pid = 0;
                  if (const int error = spawn({.program = "/bin/sleep", .arguments = {"60"}}, pid))
                      return error;
                  endChild(pid);
                  int status = -1;
                  ::waitpid(pid, &status, 0);
                  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : EIO;
              }),
              0);
    const auto refused = [&](const Start& start) {
        return inWindow([&] {
            pid_t pid = 0;
            return spawn(start, pid);
        });
    };
    EXPECT_EQ(refused({.program = "/bin/true", .arguments = {}}), EACCES);
    EXPECT_EQ(refused({.program = "/bin/echo", .arguments = {"another", "word"}}), EACCES);
    EXPECT_EQ(refused({.program = "/bin/sleep", .arguments = {"1", "2"}}), EACCES);
    EXPECT_EQ(inWindow([] { return ::fork() < 0 ? errno : 0; }), EACCES);
    EXPECT_EQ(inWindow([] { return ::execl("/bin/true", "true", nullptr) < 0 ? errno : 0; }), EACCES);
    // Neither somebody else's.
    EXPECT_EQ(inWindow([] {
                  endChild(::getppid());
                  return ::kill(::getppid(), 0) < 0 ? errno : 0;
              }),
              EACCES);
}

TEST_F(HeldWindow, writesItsOwnFolderAndReadsFiles) {
    std::ofstream(path("elsewhere/file")) << "text";
    EXPECT_EQ(inWindow([&] { return errorOfOpening(path("own/new"), O_WRONLY | O_CREAT); }), 0);
    EXPECT_EQ(inWindow([&] { return errorOfOpening(path("elsewhere/file"), O_RDONLY); }), 0);
    EXPECT_EQ(inWindow([&] { return errorOfOpening(path("elsewhere/file"), O_WRONLY); }), EACCES);
    EXPECT_EQ(inWindow([&] { return errorOfOpening(path("elsewhere/new"), O_WRONLY | O_CREAT); }), EACCES);
    EXPECT_EQ(inWindow([&] { return ::chmod(path("elsewhere/file").c_str(), 0777) == 0 ? 0 : errno; }),
              EACCES);
    EXPECT_EQ(inWindow([&] {
                  return errorOfOpening("/proc/" + std::to_string(::getppid()) + "/environ", O_RDONLY);
              }),
              EACCES);
    EXPECT_EQ(inWindow([] { return ::prctl(PR_GET_DUMPABLE); }), 0);
}

TEST_F(HeldWindow, savesElsewhereWhatAPersonSaves) {
    const std::string file = path("elsewhere/text.md");
    EXPECT_EQ(inWindow([&] { return save(file, "a text").has_value() ? 0 : EIO; }), 0);
    EXPECT_EQ(contentOf(file), "a text");
    EXPECT_EQ(inWindow([&] { return save(file, "another").has_value() ? 0 : EIO; }), 0);
    EXPECT_EQ(contentOf(file), "another");
    EXPECT_EQ(std::distance(fs::directory_iterator(path("elsewhere")), {}), 2) << "with the hidden folder";
}

TEST_F(HeldWindow, replacesNoFileThatWasNotConfirmed) {
    const std::string file = path("elsewhere/text.md");
    std::ofstream(file) << "mine";
    EXPECT_EQ(inWindow([&] {
                  const Status saved = save(file, "a text", io::Existing::Kept);
                  return !saved && saved.error().message.find("is there already") != std::string::npos ? 0
                                                                                                       : EIO;
              }),
              0);
    EXPECT_EQ(contentOf(file), "mine");
}

TEST_F(HeldWindow, leavesNothingOfWhatWasCancelledOrFoundNoRoom) {
    const std::string file = path("elsewhere/text.md");
    EXPECT_EQ(inWindow([&] {
                  auto started = io::AtomicFile::create(file);
                  return started && (*started)->write(std::as_bytes(std::span("half", 4))) ? 0 : EIO;
              }),
              0);
    EXPECT_FALSE(fs::exists(file));
    EXPECT_EQ(inWindow([&] {
                  const FullDisk full;
                  const Status saved = save(file, "more than there is room for");
                  return !saved && saved.error().message.find("writing failed") != std::string::npos ? 0
                                                                                                     : EIO;
              }),
              0);
    EXPECT_FALSE(fs::exists(file));
    EXPECT_EQ(std::distance(fs::directory_iterator(path("elsewhere")), {}), 1);
}

TEST_F(HeldWindow, savesNothingThatIsHidden) {
    const auto refusal = [&](const std::string& file) {
        return inWindow([&] {
            const Status saved = save(file, "evil");
            return !saved && saved.error().message.find("hidden") != std::string::npos ? 0 : EIO;
        });
    };
    EXPECT_EQ(refusal(path("elsewhere/.bashrc")), 0);
    EXPECT_EQ(refusal(path("elsewhere/.hidden/autostart.desktop")), 0);
    fs::create_directory_symlink(path("elsewhere/.hidden"), path("elsewhere/plain"));
    EXPECT_EQ(refusal(path("elsewhere/plain/autostart.desktop")), 0);
    EXPECT_EQ(refusal(path("run/service")), 0);
    // Settings may lie in a visible folder that hidden links lead to.
    fs::create_directories(path("elsewhere/dotfiles/config/autostart"));
    fs::create_directories(path("home"));
    fs::create_directory_symlink(path("elsewhere/dotfiles/config"), path("home/.config"));
    std::ofstream(path("elsewhere/dotfiles/bashrc")) << "mine";
    fs::create_symlink(path("elsewhere/dotfiles/bashrc"), path("home/.bashrc"));
    EXPECT_EQ(refusal(path("home/.config/autostart/x.desktop")), 0);
    EXPECT_EQ(refusal(path("elsewhere/dotfiles/config/autostart/x.desktop")), 0);
    EXPECT_EQ(refusal(path("elsewhere/dotfiles/bashrc")), 0);
    EXPECT_TRUE(fs::is_empty(path("elsewhere/.hidden")));
}

/// What a program writes to its standard output.
std::string outputOf(const std::string& command) {
    std::string text;
    FILE* pipe = ::popen(command.c_str(), "r");
    char buffer[256];
    while (pipe && std::fgets(buffer, sizeof buffer, pipe)) text += buffer;
    if (pipe) ::pclose(pipe);
    return text;
}

TEST_F(HeldWindow, aServiceOfOnesOwnIsNotStartedThroughTheProxy) {
    if (findBusProxy().empty() || ::access("/usr/bin/dbus-daemon", X_OK) != 0)
        GTEST_SKIP() << "xdg-dbus-proxy or dbus-daemon is not installed";
    fs::create_directory(path("services"));
    std::ofstream(path("services/evil.service"))
        << "[D-BUS Service]\nName=org.example.Evil\nExec=/usr/bin/touch " << path("gained") << "\n";
    std::ofstream(path("bus.conf"))
        << "<busconfig><type>session</type><listen>unix:path=" << path("bus") << "</listen><servicedir>"
        << path("services")
        << "</servicedir><policy context=\"default\"><allow send_destination=\"*\"/>"
           "<allow receive_sender=\"*\"/><allow own=\"*\"/></policy>"
           "</busconfig>";
    const std::string daemon = outputOf("dbus-daemon --fork --print-pid --config-file=" + path("bus.conf"));
    ASSERT_NE(daemon, "");
    ::setenv("DBUS_SESSION_BUS_ADDRESS", ("unix:path=" + path("bus")).c_str(), 1);
    fs::create_directories(path("run/inglenook"));
    {
        Connections connections(
            {.programs = {}, .sockets = {}, .runtimeFolder = path("run/inglenook"), .writable = {}},
            FileDescriptor());
        const auto through = connections.placeFor(path("bus"));
        ASSERT_TRUE(through);
        EXPECT_NE(*through, path("bus"));
        const auto ask = [&](const std::string& bus, const std::string& what) {
            return outputOf("dbus-send --bus=unix:path=" + bus +
                            " --print-reply --reply-timeout=3000 --dest=org.freedesktop.DBus / " +
                            "org.freedesktop.DBus." + what + " 2>&1");
        };
        EXPECT_NE(ask(path("bus"), "ListActivatableNames").find("org.example.Evil"), std::string::npos);
        const std::string names = ask(*through, "ListActivatableNames");
        EXPECT_NE(names.find("org.freedesktop.DBus"), std::string::npos) << names;
        EXPECT_EQ(names.find("org.example.Evil"), std::string::npos) << names;
        ask(*through, "StartServiceByName string:org.example.Evil uint32:0");
        EXPECT_FALSE(fs::exists(path("gained")));
        ask(path("bus"), "StartServiceByName string:org.example.Evil uint32:0");
        EXPECT_TRUE(fs::exists(path("gained"))) << "without the proxy it is started";
    }
    ::kill(std::atoi(daemon.c_str()), SIGTERM);
}

TEST(HeldServer, startsItsEngineAndReadsWhatItWasGiven) {
    if (sandbox::enforceable().landlock == 0) GTEST_SKIP() << "this kernel has no Landlock";
    const test::TemporaryFolder folder;
    fs::create_directory(folder.file("data"));
    std::ofstream(folder.file("data/library.json")) << "{}";
    std::ofstream(folder.file("other")) << "text";
    const auto inServer = [&](const std::function<int()>& body) {
        const pid_t copy = ::fork();
        if (copy == 0) {
            ::alarm(20);
            const Status held = confineServer({"/bin/echo", {"a", "word"}},
                                              {.readable = {folder.file("data")}, .writable = {}});
            ::_exit(held ? body() : kNotHeld);
        }
        int status = 0;
        ::waitpid(copy, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    };
    const auto started = [](const Start& start) {
        pid_t pid = 0;
        const int error = spawn(start, pid);
        int status = 0;
        if (error == 0) ::waitpid(pid, &status, 0);
        return error != 0 ? error : status;
    };
    EXPECT_EQ(
        inServer([&] {
            return started({.program = "/bin/echo", .arguments = {"a", "word"}, .output = Start::kNothing});
        }),
        0);
    EXPECT_EQ(inServer([&] { return started({.program = "/bin/true", .arguments = {}}); }), EACCES);
    EXPECT_EQ(inServer([&] { return errorOfOpening(folder.file("data/library.json"), O_RDONLY); }), 0);
    EXPECT_EQ(inServer([&] { return errorOfOpening(folder.file("data/library.json"), O_WRONLY); }), EACCES);
    EXPECT_EQ(inServer([&] { return errorOfOpening(folder.file("other"), O_RDONLY); }), EACCES);
}

TEST(HeldServer, isAloneWithItsListeningSocket) {
    const test::TemporaryFolder folder;
    FileDescriptor listening = listenAt(folder.file("socket"));
    const pid_t copy = ::fork();
    if (copy == 0) {
        ::alarm(20);
        if (!confineServer({"/bin/echo", {}}, {})) ::_exit(kNotHeld);
        listening = {};
        ::pause();
    }
    listening = {};
    FileDescriptor socket;
    int error = 0;
    for (int tries = 0; tries < 200 && error != ECONNREFUSED; ++tries) {
        ::usleep(10'000);
        error = connectTo(folder.file("socket"), socket);
    }
    EXPECT_EQ(error, ECONNREFUSED) << "a copy listens";
    ::kill(copy, SIGKILL);
    ::waitpid(copy, nullptr, 0);
}

TEST(Lacking, isToldInASentence) {
    EXPECT_EQ(lacking(Means{true, true, true, true}), "");
    EXPECT_EQ(lacking(Means{true, true, false, false}), "") << "nothing is to be filtered";
    EXPECT_NE(lacking(Means{false, true, true, true}).find("Landlock"), std::string::npos);
    EXPECT_NE(lacking(Means{true, false, true, true}).find("connections"), std::string::npos);
    EXPECT_NE(lacking(Means{true, true, true, false}).find("xdg-dbus-proxy is not installed"),
              std::string::npos);
}

TEST(BusAddress, pathsAndAbstractNamesAreTaken) {
    EXPECT_EQ(socketsOf("unix:path=/run/user/1000/bus,guid=1"),
              std::vector<std::string>{"/run/user/1000/bus"});
    EXPECT_EQ(socketsOf("tcp:host=a,port=1;unix:abstract=/tmp/x%2dy,guid=2"),
              std::vector<std::string>{std::string("\0/tmp/x-y", 9)});
    EXPECT_TRUE(socketsOf("").empty());
}

}  // namespace
}  // namespace ingle::brokers
