#include "app/brokers/programs.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>

#include "app/brokers/packet.h"

namespace ingle::brokers {
namespace {

const std::string kStart = "start", kEnd = "end", kAlone = "alone", kBeside = "beside";
constexpr size_t kStandardFiles = 3;

/// Words for what takes the place of a standard descriptor.
const std::string kInherited = "inherited", kNothing = "nothing", kGiven = "given";

/// In the new process.
[[noreturn]] void become(const std::array<int, kStandardFiles>& files, char* const* arguments, bool isAlone,
                         int failure) {
    // Above those that are overwritten.
    failure = ::fcntl(failure, F_DUPFD_CLOEXEC, static_cast<int>(kStandardFiles));
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
    for (int signal = 1; isAlone && signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    for (int target = 0; target < static_cast<int>(kStandardFiles); ++target) {
        const int file = files[static_cast<size_t>(target)];
        if (file >= 0) ::dup2(file, target);
    }
    char* nothing = nullptr;
    ::execve(arguments[0], arguments, isAlone ? &nothing : environ);
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(failure, &error, sizeof error);
    ::_exit(127);
}

/// Returns 0, or an errno.
int startBeside(const Start& start, pid_t& pid) {
    std::vector<char*> arguments{const_cast<char*>(start.program.c_str())};
    for (const std::string& each : start.arguments) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    const FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    std::array<int, kStandardFiles> files{start.input, start.output, start.errors};
    for (int& file : files)
        if (file == Start::kNothing) file = null.get();
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
    const FileDescriptor told(ends[0]);
    FileDescriptor telling(ends[1]);
    pid = static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
    if (pid == 0) become(files, arguments.data(), start.isAlone, telling.get());
    if (pid < 0) return errno;
    telling = {};
    int error = 0;
    return ::read(told.get(), &error, sizeof error) == sizeof error ? error : 0;
}

class StarterClient : public Starter {
  public:
    explicit StarterClient(FileDescriptor socket) : m_socket(std::move(socket)) {}

    int start(const Start& start, pid_t& pid) override {
        std::vector<std::string> words{kStart, start.isAlone ? kAlone : kBeside};
        std::vector<int> files;
        for (const int file : {start.input, start.output, start.errors}) {
            words.push_back(file == Start::kOurs ? kInherited : file == Start::kNothing ? kNothing : kGiven);
            if (file >= 0) files.push_back(file);
        }
        words.push_back(start.program);
        words.insert(words.end(), start.arguments.begin(), start.arguments.end());
        const std::lock_guard lock(m_mutex);
        if (!send(m_socket.get(), joined(words), files)) return EPIPE;
        const auto answer = receive(m_socket.get());
        const auto said = answer ? split(answer->text) : std::vector<std::string>();
        if (said.size() != 2) return EPIPE;
        pid = std::atoi(said[1].c_str());
        const int error = std::atoi(said[0].c_str());
        // It has a child that never became the program.
        if (error != 0 && pid > 0) ::waitpid(pid, nullptr, 0);
        return error;
    }
    void end(pid_t pid) override {
        const std::lock_guard lock(m_mutex);
        send(m_socket.get(), joined({kEnd, std::to_string(pid)}));
    }

  private:
    FileDescriptor m_socket;
    std::mutex m_mutex;
};

}  // namespace

bool Programs::isAllowed(const Start& start) const {
    return std::ranges::any_of(m_allowed, [&](const Startable& each) {
        const size_t fixed = each.arguments.size();
        return each.program == start.program && start.arguments.size() == fixed + (each.takesName ? 1 : 0) &&
               std::equal(each.arguments.begin(), each.arguments.end(), start.arguments.begin());
    });
}

void Programs::start(const std::vector<std::string>& words, std::vector<FileDescriptor> files) {
    const auto answer = [this](int error, pid_t pid) {
        send(m_socket, joined({std::to_string(error), std::to_string(pid)}));
    };
    constexpr size_t kProgram = 2 + kStandardFiles;
    if (words.size() <= kProgram) return answer(EINVAL, 0);
    Start start{.program = words[kProgram],
                .arguments = {words.begin() + kProgram + 1, words.end()},
                .isAlone = words[1] == kAlone};
    size_t given = 0;
    std::array<int*, kStandardFiles> places{&start.input, &start.output, &start.errors};
    for (size_t i = 0; i < kStandardFiles; ++i) {
        const std::string& what = words[2 + i];
        if (what == kNothing) *places[i] = Start::kNothing;
        if (what == kGiven && given == files.size()) return answer(EINVAL, 0);
        if (what == kGiven) *places[i] = files[given++].get();
    }
    if (!isAllowed(start)) return answer(EACCES, 0);
    pid_t pid = 0;
    const int error = startBeside(start, pid);
    if (error == 0) {
        std::erase_if(m_children, [](const auto& child) {
            pollfd ended{child.second.get(), POLLIN, 0};
            return ::poll(&ended, 1, 0) == 1;
        });
        m_children[pid] = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    }
    answer(error, pid);
}

bool Programs::answer() {
    auto question = receive(m_socket);
    if (!question) return false;
    const auto words = split(question->text);
    if (words.empty()) return true;
    if (words[0] == kStart) start(words, std::move(question->files));
    if (words[0] == kEnd && words.size() == 2) {
        const auto child = m_children.find(std::atoi(words[1].c_str()));
        if (child != m_children.end())
            ::syscall(SYS_pidfd_send_signal, child->second.get(), SIGKILL, nullptr, 0);
    }
    return true;
}

Starter* starterAt(FileDescriptor socket) {
    return new StarterClient(std::move(socket));
}

}  // namespace ingle::brokers
