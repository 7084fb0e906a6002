// Everything of tries.cpp, in a process of each role: it succeeds without the cage, and fails in it.
#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <vector>

#include "app/sandbox/landlock.h"
#include "app/sandbox/roles.h"
#include "app/sandbox/sandbox.h"
#include "ingle/file_descriptor.h"
#include "tests/app/sandbox/tries.h"

namespace ingle::sandbox::test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;
constexpr int kKilled = 252, kNotCaged = 253, kSilent = 254;

/// Runs `body` in a copy of this process and returns its exit status.
int inCopy(const std::function<int()>& body) {
    const pid_t copy = ::fork();
    if (copy == 0) {
        ::alarm(10);
        ::_exit(body());
    }
    int status = 0;
    ::waitpid(copy, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) return kKilled;
    return WIFEXITED(status) ? WEXITSTATUS(status) : kSilent;
}

/// A person's files and programs, made and left again by this process, which must be that person's.
class Person {
  public:
    Person() {
        std::string pattern = (fs::temp_directory_path() / "person-XXXXXX").string();
        m_world.home = ::mkdtemp(pattern.data());
        m_world.own = m_world.home + "/own";
        m_world.model = m_world.home + "/models/given.gguf";
        for (const char* folder : {".ssh", "own", "models", "autostart", "services", "run", "empty"})
            fs::create_directories(m_world.home + "/" + folder);
        for (const char* file :
             {".ssh/id_rsa", ".bashrc", "history.sqlite", "other.gguf", "victim.txt", "models/given.gguf"})
            std::ofstream(m_world.home + "/" + file) << "what belongs to somebody";
        startVictim();
        listen();
    }
    ~Person() {
        ::kill(m_world.victim, SIGKILL);
        ::waitpid(m_world.victim, nullptr, 0);
        std::error_code ignored;
        fs::remove_all(m_world.home, ignored);
    }
    Person(const Person&) = delete;
    Person& operator=(const Person&) = delete;

    const World& world() const { return m_world; }
    /// As it was before a try that may have removed something.
    void mend() const {
        fs::create_directory(m_world.home + "/empty");
        std::ofstream(m_world.home + "/victim.txt") << "again";
        fs::permissions(m_world.home + "/.ssh/id_rsa", fs::perms::owner_read | fs::perms::owner_write);
    }

  private:
    void startVictim() {
        m_world.secret = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        std::memcpy(m_world.secret, "secret", 6);
        m_world.victim = ::fork();
        if (m_world.victim != 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) ::pause();
    }

    void listen() {
        sockaddr_un bus{};
        bus.sun_family = AF_UNIX;
        std::snprintf(bus.sun_path, sizeof bus.sun_path, "%s/run/bus", m_world.home.c_str());
        m_bus = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM, 0));
        ::bind(m_bus.get(), reinterpret_cast<sockaddr*>(&bus), sizeof bus);
        ::listen(m_bus.get(), 128);
        m_world.abstract = std::string(1, '\0') + m_world.home;
        sockaddr_un hidden{};
        hidden.sun_family = AF_UNIX;
        std::memcpy(hidden.sun_path, m_world.abstract.data(), m_world.abstract.size());
        m_hidden = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM, 0));
        ::bind(m_hidden.get(), reinterpret_cast<sockaddr*>(&hidden),
               static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + m_world.abstract.size()));
        ::listen(m_hidden.get(), 128);
        sockaddr_in server{};
        server.sin_family = AF_INET;
        server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof server;
        m_server = FileDescriptor(::socket(AF_INET, SOCK_STREAM, 0));
        ::bind(m_server.get(), reinterpret_cast<sockaddr*>(&server), size);
        ::listen(m_server.get(), 128);
        ::getsockname(m_server.get(), reinterpret_cast<sockaddr*>(&server), &size);
        m_world.port = ntohs(server.sin_port);
    }

    World m_world;
    FileDescriptor m_bus, m_hidden, m_server;
};

/// A kind of process, and how it gives up what it does not need.
struct Caged {
    const char* name;
    const Rule* rule;  ///< null: nothing but computing is left
    bool (*enter)(const Rule* rule, const World& world);
};

bool enterRole(const Rule* rule, const World& world) {
    const auto entered = enter(cageFor(rule->role, {.readable = {world.model}, .writable = {world.own}}));
    // Nobody connects for it here: see app/brokers.
    if (entered) FileDescriptor(entered->connectRequests);
    return entered.has_value();
}

bool enterComputing(const Rule* /*rule*/, const World& /*world*/) {
    return allowOnlyComputing().has_value();
}

/// Whether the table lets such a process do such things.
bool allows(const Caged& caged, Kind kind) {
    if (!caged.rule) return false;
    const Rule& rule = *caged.rule;
    switch (kind) {
        case Kind::Reading:
            return rule.files != Files::Given;
        case Kind::Files:
            return rule.files == Files::All;
        case Kind::Programs:
            return rule.programs == Programs::Any;
        case Kind::Pairs:
            return rule.sockets != Sockets::None;
        case Kind::Local:
            return rule.sockets == Sockets::Local || rule.sockets == Sockets::Asked ||
                   rule.sockets == Sockets::Connecting;  // netlink
        case Kind::Internet:
            return rule.sockets == Sockets::Connecting;
        case Kind::MemoryFiles:
            return rule.calls != Calls::Few;
        case Kind::Shared:
            return rule.calls != Calls::Few && rule.calls != Calls::Drivers;
        case Kind::Kernel:
            return false;
        case Kind::Memory:
            return true;  // drivers and regular expressions compile code
    }
    return false;
}

struct Counts {
    int gainedWithout = 0;
    int gainedWithin = 0;
    std::string wrong;  ///< a line for each try that did not end as the table says
};

/// Where a computer refuses a try anyway, nothing is learned from it.
bool isRefusedAnyway(int error) {
    return error == EPERM || error == EACCES || error == ENOSYS || error == EAFNOSUPPORT || error == kSilent;
}

Counts tryAll(const Caged& caged) {
    Counts counts;
    const Person person;
    const World& world = person.world();
    for (const Try& each : allTries()) {
        const int without = inCopy([&] { return each.run(world); });
        person.mend();
        const int within =
            inCopy([&] { return caged.enter(caged.rule, world) ? each.run(world) : kNotCaged; });
        person.mend();
        // A call that reached the kernel, whatever that said of its arguments, was not held.
        const bool isHeld =
            within == EACCES || within == EPERM || within == ENOSYS || within == EXDEV || within == kKilled;
        counts.gainedWithout += isRefusedAnyway(without) ? 0 : 1;
        counts.gainedWithin += isHeld || isRefusedAnyway(within) ? 0 : 1;
        const bool isWrong =
            within == kNotCaged || (!isHeld && !isRefusedAnyway(without) && !allows(caged, each.kind));
        if (isWrong)
            counts.wrong +=
                std::string(each.name) + ": " + (within == 0 ? "gained" : std::strerror(within)) + "\n";
    }
    return counts;
}

/// Becomes an ordinary user: what root is refused says nothing.
void becomeNobody() {
    if (::getuid() != 0) return;
    if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(kNotCaged);
    ::prctl(PR_SET_DUMPABLE, 1);
}

class Battery : public testing::TestWithParam<Caged> {};

TEST_P(Battery, isHeldAsTheTableSays) {
    if (Landlock::version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const FileDescriptor told(ends[0]);
    FileDescriptor telling(ends[1]);
    const pid_t copy = ::fork();
    if (copy == 0) {
        becomeNobody();
        const Counts counts = tryAll(GetParam());
        const std::string text = std::to_string(counts.gainedWithout) + " " +
                                 std::to_string(counts.gainedWithin) + "\n" + counts.wrong;
        [[maybe_unused]] const auto written = ::write(telling.get(), text.data(), text.size());
        ::_exit(0);
    }
    telling = {};
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(told.get(), buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(count));
    int status = 0;
    ::waitpid(copy, &status, 0);
    ASSERT_EQ(status, 0) << text;
    const size_t line = text.find('\n');
    RecordProperty("gained_without_and_within", text.substr(0, line));
    std::printf("of %zu tries gained without the cage, and in it: %s\n", allTries().size(),
                text.substr(0, line).c_str());
    EXPECT_EQ(text.substr(line + 1), "") << "what the table forbids";
    EXPECT_GE(std::stoi(text), 60) << "without the cage too little was possible for this to say anything";
}

constexpr const char* kNames[] = {"engine", "broker", "trial",  "import",     "typesetter",
                                  "server", "bridge", "window", "open_window"};
static_assert(std::size(kNames) == std::size(kRules));

std::vector<Caged> allProcesses() {
    std::vector<Caged> all;
    for (const Rule& rule : kRules) all.push_back({kNames[static_cast<size_t>(rule.role)], &rule, enterRole});
    all.push_back({"documents", nullptr, enterComputing});
    return all;
}

INSTANTIATE_TEST_SUITE_P(Roles, Battery, testing::ValuesIn(allProcesses()),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace ingle::sandbox::test
