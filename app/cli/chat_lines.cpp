#include "app/cli/chat_lines.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string_view>
#include <utility>

#include "app/documents/limits.h"
#include "app/documents/read_picture.h"
#include "app/sandbox/cage.h"
#include "app/sandbox/roles.h"
#include "ingle/file_descriptor.h"

namespace ingle::cli {
namespace {

constexpr std::string_view kImage = "/image ";

/// In front of what belongs to a line: its text, and either pixels or the sentence of an error.
struct LineHead {
    uint64_t textBytes = 0;
    uint32_t width = 0, height = 0;  ///< 0: no picture
    uint64_t problemBytes = 0;       ///< 0: none
};

/// Without white space and quotation marks around it, which terminals put around a file that is dropped.
std::string fileNamed(std::string_view words) {
    const auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
    while (!words.empty() && isBlank(words.front())) words.remove_prefix(1);
    while (!words.empty() && isBlank(words.back())) words.remove_suffix(1);
    const bool isQuoted =
        words.size() > 1 && (words.front() == '\'' || words.front() == '"') && words.back() == words.front();
    return std::string(isQuoted ? words.substr(1, words.size() - 2) : words);
}

bool send(int socket, const void* bytes, size_t count) {
    const auto* rest = static_cast<const char*>(bytes);
    while (count > 0) {
        const ssize_t sent = ::send(socket, rest, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        rest += sent;
        count -= static_cast<size_t>(sent);
    }
    return true;
}

/// The process beside the engine: reads, and passes on, until there is nothing more.
[[noreturn]] void readLines(int socket) {
    for (std::string line; std::getline(std::cin, line);) {
        if (line.empty()) continue;
        LineHead head;
        Picture picture;
        std::string problem;
        if (line.starts_with(kImage)) {
            line = fileNamed(std::string_view(line).substr(kImage.size()));
            auto read = documents::readPicture(line);
            if (read) {
                picture = *std::move(read);
                head.width = picture.width;
                head.height = picture.height;
            } else {
                problem = fmt::format("{}: {}", line, read.error().message);
            }
        }
        head.textBytes = line.size();
        head.problemBytes = problem.size();
        if (!send(socket, &head, sizeof head) || !send(socket, line.data(), line.size()) ||
            !send(socket, problem.data(), problem.size()) ||
            !send(socket, picture.rgb.data(), picture.rgb.size()))
            break;
    }
    ::_exit(0);
}

}  // namespace

Result<ChatLines> ChatLines::start() {
    std::array<int, 2> ends{};
    const auto failed = [] {
        return fail(ErrorCode::Io, "Cannot make a process beside the engine: {}.", std::strerror(errno));
    };
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return failed();
    FileDescriptor ours(ends[0]), theirs(ends[1]);
    std::fflush(nullptr);
    const pid_t engine = ::getpid();
    const pid_t copy = ::fork();
    if (copy < 0) return failed();
    if (copy == 0) {
        ours = {};
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != engine) ::_exit(1);
        // Ctrl+C is the engine's.
        for (const int ignored : {SIGINT, SIGQUIT}) ::signal(ignored, SIG_IGN);
        if (!sandbox::enter(sandbox::cageFor(sandbox::Role::Broker, {}))) ::_exit(1);
        readLines(theirs.get());
    }
    ChatLines lines;
    lines.m_input.reset(::fdopen(::fcntl(ours.get(), F_DUPFD_CLOEXEC, 0), "rb"));
    if (!lines.m_input) return failed();
    return lines;
}

std::optional<ChatLine> ChatLines::next() {
    const auto read = [this](void* bytes, size_t count) {
        return count == 0 || std::fread(bytes, count, 1, m_input.get()) == 1;
    };
    LineHead head;
    if (!read(&head, sizeof head)) return std::nullopt;
    ChatLine line;
    line.text.resize(head.textBytes);
    std::string problem(head.problemBytes, '\0');
    if (!read(line.text.data(), line.text.size()) || !read(problem.data(), problem.size()))
        return std::nullopt;
    if (!problem.empty()) line.problem = Error{ErrorCode::InvalidArgument, std::move(problem)};
    if (head.width == 0) return line;
    line.picture = Picture{head.width, head.height, {}};
    line.picture->rgb.resize(size_t{3} * head.width * head.height);
    if (!read(line.picture->rgb.data(), line.picture->rgb.size())) return std::nullopt;
    return line;
}

}  // namespace ingle::cli
