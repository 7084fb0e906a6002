#include "app/cli/broker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "app/cli/model_files.h"
#include "app/protocol/framing.h"
#include "app/sandbox/roles.h"
#include "app/sandbox/secrecy.h"
#include "ingle/spawn.h"

namespace ingle::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kOpen = 'o', kTryDrivers = 't', kImport = 'i', kDecode = 'd', kVisionFiles = 'v';
constexpr size_t kMostQuestionBytes = 64 * 1024;
constexpr size_t kMostAnswerBytes = 32 * 1024;
constexpr size_t kMostImports = 64;
constexpr size_t kMostCopies = 8;  // at once

struct Pair {
    FileDescriptor ours, theirs;
};

Pair socketPair(int type) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return {};
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void sendAnswer(int socket, int error, std::initializer_list<int> files, std::string text = {}) {
    std::array<iovec, 2> bytes{{{&error, sizeof error}, {text.data(), text.size()}}};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = bytes.data();
    message.msg_iovlen = bytes.size();
    if (files.size() > 0) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
        std::memcpy(CMSG_DATA(header), files.begin(), files.size() * sizeof(int));
    }
    ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

bool writeAll(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

/// Ends with the process that made this copy.
void endWithParent(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
}

/// In a copy of the broker: starts this program once more, tells of its end, and kills it when nobody wants
/// to know.
[[noreturn]] void tend(const std::vector<std::string>& arguments, int output, int end) {
    ::signal(SIGCHLD, SIG_DFL);
    int status = 127 << 8;
    pid_t pid = 0;
    // Not the path: an upgrade may have replaced the file there.
    if (spawn(
            {.program = "/proc/self/exe", .arguments = arguments, .input = Start::kNothing, .output = output},
            pid) == 0) {
        ::close(output);
        const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
        std::array<pollfd, 2> waits{{{process.get(), POLLIN, 0}, {end, 0, 0}}};
        while (::poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) {
        }
        if (waits[0].revents == 0) ::kill(pid, SIGKILL);
        ::waitpid(pid, &status, 0);
    }
    [[maybe_unused]] const auto written = ::write(end, &status, sizeof status);
    ::_exit(0);
}

/// The broker's side.
class Clerk {
  public:
    Clerk(BrokerTask task, FileDescriptor engine, FileDescriptor passedOn)
        : m_task(std::move(task)), m_engine(std::move(engine)), m_passedOn(std::move(passedOn)) {
        for (const std::string& model : m_task.models) permit(model);
    }

    [[noreturn]] void run() {
        std::array<pollfd, 2> waits{{{m_engine.get(), POLLIN, 0}, {m_task.requests, POLLIN, 0}}};
        for (;;) {
            if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) ::_exit(1);
            if (waits[1].revents) passOn();
            if (waits[0].revents) answer();
        }
    }

  private:
    void permit(const std::string& path) {
        if (path.empty()) return;
        const fs::path named = fs::absolute(path).lexically_normal();
        m_named.insert({named.string(), named.parent_path().string()});
        for (std::string& file : filesOfModel(path)) m_permitted.insert(std::move(file));
    }

    // What requests name.
    void permitOf(const protocol::Inspect& request) {
        permit(request.path);
        permitOf(request.options);
    }
    void permitOf(const protocol::Load& request) {
        permit(request.path);
        permitOf(request.options);
    }
    void permitOf(const LoadOptions& options) {
        permit(options.draft);
        permit(options.visionFile);
    }
    void permitOf(const protocol::Recognise& request) {
        for (const std::string& path : request.paths) permit(path);
    }
    void permitOf(const protocol::Embed& request) { permit(request.model); }
    void permitOf(const protocol::Import& request) {
        permit(request.path);
        if (m_imports.size() < kMostImports) m_imports.push_back(request);
    }
    /// What it passes on is what the engine is to keep out of dumps.
    void permitOf(const protocol::Protect&) { sandbox::keepOutOfDumps(); }
    template <typename R>
    void permitOf(const R&) {}

    /// Whether a message may be one of those: the others may be long, and are not decoded. In a text the
    /// quotes would be escaped.
    static bool mayName(std::string_view message) {
        constexpr std::string_view kOps[] = {R"("inspect")", R"("load")",   R"("recognise")",
                                             R"("embed")",   R"("import")", R"("protect")"};
        return std::ranges::any_of(kOps,
                                   [&](std::string_view op) { return message.find(op) != message.npos; });
    }

    void passOn() {
        const ssize_t count = ::read(m_task.requests, m_buffer.data(), m_buffer.size());
        if (count < 0 && errno == EINTR) return;
        if (count <= 0) ::_exit(0);
        const std::string_view bytes(m_buffer.data(), static_cast<size_t>(count));
        m_messages.append(bytes);
        while (auto message = m_messages.next()) {
            if (!*message || !mayName(**message)) continue;
            if (const auto request = protocol::decodeRequest(**message))
                std::visit([this](const auto& body) { permitOf(body); }, request->body);
        }
        if (!writeAll(m_passedOn.get(), bytes)) ::_exit(0);
    }

    void answer() {
        const ssize_t count = ::recv(m_engine.get(), m_buffer.data(), kMostQuestionBytes, 0);
        if (count < 0 && errno == EINTR) return;
        if (count <= 0) ::_exit(0);
        const std::string text(m_buffer.data() + 1, static_cast<size_t>(count) - 1);
        switch (m_buffer[0]) {
            case kOpen:
                return open(text);
            case kTryDrivers:
                return tryDrivers(text);
            case kImport:
                return import(text);
            case kDecode:
                return decode();
            case kVisionFiles:
                return listVisionFiles(text);
            default:
                return sendAnswer(m_engine.get(), EINVAL, {});
        }
    }

    static bool isWithin(fs::path path, const std::set<std::string>& folders) {
        for (; path.has_relative_path(); path = path.parent_path())
            if (folders.contains(path.string())) return true;
        return false;
    }

    /// What is elsewhere is not even opened: that alone may do something, to pipes and where disks are
    /// mounted on demand. Then it is the file that was opened, and not its name, which is looked at: links
    /// may change.
    void open(const std::string& path) {
        const fs::path wanted = fs::absolute(path).lexically_normal();
        if (!isWithin(wanted, m_named) && !isWithin(wanted, m_permitted))
            return sendAnswer(m_engine.get(), EACCES, {});
        const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        if (!file.isOpen()) return sendAnswer(m_engine.get(), errno, {});
        std::error_code unknown;
        const fs::path real = fs::read_symlink(fmt::format("/proc/self/fd/{}", file.get()), unknown);
        if (!isWithin(real, m_permitted)) return sendAnswer(m_engine.get(), EACCES, {});
        sendAnswer(m_engine.get(), 0, {file.get()});
    }

    /// One argument a line: devices to leave out.
    void tryDrivers(const std::string& text) {
        std::vector<std::string> arguments{"host", "--probe-devices"};
        bool isName = false;
        for (size_t at = 0; at < text.size(); isName = !isName) {
            const size_t line = std::min(text.find('\n', at), text.size());
            const std::string word = text.substr(at, line - at);
            if (!isName && word != "--left-out") return sendAnswer(m_engine.get(), EINVAL, {});
            // In one word, so that whatever the engine writes is a value.
            if (isName) arguments.push_back("--left-out=" + word);
            at = line + 1;
        }
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return sendAnswer(m_engine.get(), errno, {});
        const FileDescriptor ours(ends[0]), theirs(ends[1]);
        startCopy(ours.get(), [&](int end) { tend(arguments, theirs.get(), end); });
    }

    void import(const std::string& text) {
        const auto request = protocol::decodeRequest(text);
        const auto isIt = [&](const protocol::Import& asked) {
            return protocol::encode(protocol::Request{1, asked}) == text;
        };
        const auto asked = std::ranges::find_if(m_imports, isIt);
        if (!m_task.import || asked == m_imports.end()) return sendAnswer(m_engine.get(), EINVAL, {});
        const protocol::Import import = *asked;
        m_imports.erase(asked);
        startCopy(-1, [&](int end) { m_task.import(import, end); });
    }

    /// Beside a model that was named. A line for each.
    void listVisionFiles(const std::string& model) {
        if (!isWithin(fs::absolute(model).lexically_normal(), m_named))
            return sendAnswer(m_engine.get(), EACCES, {});
        std::string lines;
        for (const std::string& path : visionFilesBeside(model)) {
            std::error_code unknown;
            const fs::path real = fs::canonical(path, unknown);
            if (unknown || path.find('\n') != path.npos || lines.size() + path.size() >= kMostAnswerBytes)
                continue;
            m_permitted.insert(real.string());
            lines += path + '\n';
        }
        sendAnswer(m_engine.get(), 0, {}, std::move(lines));
    }

    void decode() {
        if (!m_task.decode) return sendAnswer(m_engine.get(), EINVAL, {});
        startCopy(-1, [&](int end) { m_task.decode(end); });
    }

    /// Runs `work` in a copy of this process, with one end of a socket; the engine gets the other one, behind
    /// `file`.
    template <typename Work>
    void startCopy(int file, const Work& work) {
        std::erase_if(m_copies, [](const FileDescriptor& copy) {
            pollfd ended{copy.get(), POLLIN, 0};
            return ::poll(&ended, 1, 0) == 1;
        });
        if (m_copies.size() >= kMostCopies) return sendAnswer(m_engine.get(), EAGAIN, {});
        Pair ends = socketPair(SOCK_STREAM);
        const pid_t self = ::getpid();
        const pid_t copy = ends.ours.isOpen() ? ::fork() : -1;
        if (copy == 0) {
            endWithParent(self);
            m_engine = {};
            m_passedOn = {};
            ends.ours = {};
            work(ends.theirs.get());
            ::_exit(0);
        }
        if (copy < 0) return sendAnswer(m_engine.get(), errno, {});
        m_copies.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, copy, 0)));
        if (file >= 0)
            sendAnswer(m_engine.get(), 0, {file, ends.ours.get()});
        else
            sendAnswer(m_engine.get(), 0, {ends.ours.get()});
    }

    const BrokerTask m_task;
    FileDescriptor m_engine;
    FileDescriptor m_passedOn;
    protocol::MessageReader m_messages;
    std::vector<char> m_buffer = std::vector<char>(kMostQuestionBytes);
    std::set<std::string> m_named;      ///< as they were named, with their folders
    std::set<std::string> m_permitted;  ///< real paths
    std::vector<protocol::Import> m_imports;
    std::vector<FileDescriptor> m_copies;  ///< that run
};

}  // namespace

Result<std::unique_ptr<Broker>> Broker::start(BrokerTask task) {
    Pair talk = socketPair(SOCK_SEQPACKET), requests;
    if (task.requests >= 0) requests = socketPair(SOCK_STREAM);
    std::fflush(nullptr);
    const pid_t engine = ::getpid();
    const pid_t copy = talk.ours.isOpen() && (task.requests < 0 || requests.ours.isOpen()) ? ::fork() : -1;
    if (copy < 0)
        return fail(ErrorCode::Io, "Cannot make a process beside the engine: {}.", std::strerror(errno));
    if (copy == 0) {
        endWithParent(engine);
        talk.ours = {};
        requests.ours = {};
        // What ends is not waited for; signals of the terminal are the engine's.
        for (const int ignored : {SIGCHLD, SIGPIPE, SIGINT, SIGQUIT, SIGHUP}) ::signal(ignored, SIG_IGN);
        if (!sandbox::enter(sandbox::cageFor(sandbox::Role::Broker, {}))) ::_exit(1);
        Clerk(std::move(task), std::move(talk.theirs), std::move(requests.theirs)).run();
    }
    if (task.requests >= 0) ::close(task.requests);
    return std::unique_ptr<Broker>(new Broker(std::move(talk.ours), std::move(requests.ours)));
}

Broker::Answer Broker::ask(char kind, const std::string& text) {
    const std::scoped_lock lock(m_mutex);
    const std::string question = kind + text;
    if (question.size() > kMostQuestionBytes) return {.error = ENAMETOOLONG};
    if (::send(m_socket.get(), question.data(), question.size(), MSG_NOSIGNAL) < 0) return {.error = errno};
    Answer answer{.error = EIO, .files = {}, .text = std::string(kMostAnswerBytes, '\0')};
    std::array<iovec, 2> bytes{
        {{&answer.error, sizeof answer.error}, {answer.text.data(), answer.text.size()}}};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = bytes.data();
    message.msg_iovlen = bytes.size();
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t count = 0;
    while ((count = ::recvmsg(m_socket.get(), &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    if (count <= 0) return {.error = EIO};
    const auto numBytes = static_cast<size_t>(count);
    answer.text.resize(numBytes - std::min(numBytes, sizeof answer.error));
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS) {
        for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= header->cmsg_len; at += sizeof(int)) {
            int file = -1;
            std::memcpy(&file, CMSG_DATA(header) + at, sizeof file);
            answer.files.emplace_back(file);
        }
    }
    return answer;
}

int Broker::open(const std::string& path) {
    Answer answer = ask(kOpen, path);
    if (answer.files.size() == 1) return ::fcntl(answer.files.front().get(), F_DUPFD_CLOEXEC, 0);
    errno = answer.error;
    return -1;
}

Result<StartedOutside> Broker::tryDrivers(const std::vector<std::string>& moreArguments) {
    std::string text;
    for (const std::string& each : moreArguments) text += each + '\n';
    Answer answer = ask(kTryDrivers, text);
    if (answer.files.size() != 2)
        return fail(ErrorCode::Io, "the trial of graphics drivers cannot be started: {}",
                    std::strerror(answer.error));
    return StartedOutside{std::move(answer.files[0]), std::move(answer.files[1])};
}

Result<FileDescriptor> Broker::import(const protocol::Import& request) {
    Answer answer = ask(kImport, protocol::encode(protocol::Request{1, request}));
    if (answer.files.size() != 1)
        return fail(ErrorCode::Io, "the import cannot be started: {}", std::strerror(answer.error));
    return std::move(answer.files.front());
}

std::vector<std::string> Broker::visionFiles(const std::string& model) {
    const Answer answer = ask(kVisionFiles, model);
    std::vector<std::string> files;
    for (size_t at = 0; at < answer.text.size();) {
        const size_t end = std::min(answer.text.find('\n', at), answer.text.size());
        files.push_back(answer.text.substr(at, end - at));
        at = end + 1;
    }
    return files;
}

Result<FileDescriptor> Broker::decode() {
    Answer answer = ask(kDecode, "");
    if (answer.files.size() != 1)
        return fail(ErrorCode::Io, "the reader of pictures cannot be started: {}",
                    std::strerror(answer.error));
    return std::move(answer.files.front());
}

}  // namespace ingle::cli
