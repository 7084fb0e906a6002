#include "engine/backend/vulkan/probe_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "engine/io/atomic_file.h"
#include "engine/io/file_descriptor.h"
#include "engine/io/mapped_file.h"

namespace ingle::backend::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxOutputBytes = 1 << 20;
constexpr int kCacheVersion = 2;

struct Child {
    pid_t pid = -1;
    io::FileDescriptor output;
};

Result<Child> start(const std::vector<std::string>& command) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(ErrorCode::Io, "cannot make a pipe: {}", std::strerror(errno));
    Child child{.output = io::FileDescriptor(ends[0])};
    const io::FileDescriptor writeEnd(ends[1]);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, writeEnd.get(), STDOUT_FILENO);
    const int failure =
        ::posix_spawn(&child.pid, command.front().c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0)
        return fail(ErrorCode::Io, "{} cannot be started: {}", command.front(), std::strerror(failure));
    return child;
}

ProbeVerdict crashed(std::string refusal) {
    return {.refusal = std::move(refusal), .crashed = true};
}

/// What the child says until it closes its output or time is up.
std::string readOutput(const Child& child, Clock::time_point deadline) {
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) break;
        pollfd poll{child.output.get(), POLLIN, 0};
        const int ready = ::poll(&poll, 1, static_cast<int>(left));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) break;
        const ssize_t count = ::read(child.output.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        // More than that is nonsense anyway; it is read on, so that the child does not block.
        if (text.size() < kMaxOutputBytes) text.append(buffer.data(), static_cast<size_t>(count));
    }
    return text;
}

/// The child's wait status; nothing when it had to be killed because time was up.
std::optional<int> awaitEnd(const Child& child, Clock::time_point deadline) {
    int status = 0;
    while (::waitpid(child.pid, &status, WNOHANG) == 0) {
        if (Clock::now() >= deadline) {
            ::kill(child.pid, SIGKILL);
            ::waitpid(child.pid, &status, 0);
            return std::nullopt;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return status;
}

Result<ProbeVerdict> askChild(const ProbeRequest& request) {
    INGLE_TRY_ASSIGN(const Child child, start(request.command));
    const auto deadline = Clock::now() + request.limit;
    const std::string output = readOutput(child, deadline);
    const std::optional<int> status = awaitEnd(child, deadline);
    if (!status)
        return crashed(fmt::format("the graphics driver did not answer within {} s",
                                   std::chrono::duration<double>(request.limit).count()));
    if (WIFSIGNALED(*status))
        return crashed(fmt::format("the graphics driver crashed when it was tried out ({})",
                                   ::strsignal(WTERMSIG(*status))));
    const auto verdict = decodeVerdict(output);
    if (WEXITSTATUS(*status) != 0 || !verdict)
        return crashed(fmt::format("the graphics driver failed when it was tried out (exit status {})",
                                   WEXITSTATUS(*status)));
    return *verdict;
}

std::optional<ProbeVerdict> remembered(const std::string& path, const std::string& drivers) {
    const auto file = io::MappedFile::open(path);
    if (!file) return std::nullopt;
    const auto bytes = (*file)->bytes();
    const auto json = nlohmann::json::parse(reinterpret_cast<const char*>(bytes.data()),
                                            reinterpret_cast<const char*>(bytes.data()) + bytes.size(),
                                            nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || json.value("version", nlohmann::json()) != kCacheVersion ||
        json.value("drivers", nlohmann::json()) != drivers || !json.contains("verdict"))
        return std::nullopt;
    const auto verdict = decodeVerdict(json["verdict"].dump());
    return verdict ? std::optional(*verdict) : std::nullopt;
}

Status remember(const std::string& path, const std::string& drivers, const ProbeVerdict& verdict) {
    const nlohmann::json json{{"version", kCacheVersion},
                              {"drivers", drivers},
                              {"verdict", nlohmann::json::parse(encodeVerdict(verdict))}};
    const std::string text = json.dump();
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path));
    INGLE_TRY(file->write(std::as_bytes(std::span(text))));
    return file->commit();
}

}  // namespace

Result<ProbeVerdict> probeInChild(const ProbeRequest& request) {
    if (request.command.empty()) return fail(ErrorCode::InvalidArgument, "no program to try drivers with");
    const bool caches = !request.cacheFile.empty();
    const std::string drivers = caches ? installedDriversKey() : std::string();
    if (caches && request.cache == ProbeCache::Use) {
        if (const auto verdict = remembered(request.cacheFile, drivers)) return *verdict;
    }
    INGLE_TRY_ASSIGN(ProbeVerdict verdict, askChild(request));
    // What cannot be remembered is asked again at the next start.
    if (caches) static_cast<void>(remember(request.cacheFile, drivers, verdict));
    return verdict;
}

}  // namespace ingle::backend::vulkan
