#include "engine/backend/vulkan/trial/probe_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "engine/io/atomic_file.h"
#include "engine/io/mapped_file.h"
#include "ingle/file_descriptor.h"
#include "ingle/outside.h"
#include "ingle/spawn.h"

namespace ingle::backend::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxOutputBytes = 1 << 20;
/// Of a child that has closed its output, or is to be ended.
constexpr std::chrono::milliseconds kEndLimit{1000};
constexpr int kCacheVersion = 5;

struct Child {
    pid_t pid = -1;  ///< of one that this process started
    FileDescriptor output;
    FileDescriptor end;  ///< as in StartedOutside, of one that this process did not start
};

/// `command` with more arguments.
Result<Child> start(std::vector<std::string> command, const std::vector<std::string>& more) {
    if (outside()) {
        INGLE_TRY_ASSIGN(StartedOutside started, outside()->tryDrivers(more));
        return Child{.output = std::move(started.output), .end = std::move(started.end)};
    }
    command.insert(command.end(), more.begin(), more.end());
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(ErrorCode::Io, "cannot make a pipe: {}", std::strerror(errno));
    Child child{.output = FileDescriptor(ends[0])};
    const FileDescriptor writeEnd(ends[1]);
    const int failure = spawn({.program = command.front(),
                               .arguments = {command.begin() + 1, command.end()},
                               .input = Start::kNothing,
                               .output = writeEnd.get()},
                              child.pid);
    if (failure != 0)
        return fail(ErrorCode::Io, "{} cannot be started: {}", command.front(), std::strerror(failure));
    return child;
}

/// What the child says until it closes its output, or says nothing for `limit`.
std::string readOutput(const Child& child, std::chrono::milliseconds limit) {
    std::string text;
    std::array<char, 4096> buffer{};
    auto deadline = Clock::now() + limit;
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
        if (text.size() >= kMaxOutputBytes) continue;
        text.append(buffer.data(), static_cast<size_t>(count));
        deadline = Clock::now() + limit;
    }
    return text;
}

/// The child's wait status; nothing when it has to be killed because time is up.
std::optional<int> awaitEnd(const Child& child, Clock::time_point deadline) {
    int status = 0;
    if (child.end.isOpen()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd ended{child.end.get(), POLLIN, 0};
        const bool told = ::poll(&ended, 1, std::max(static_cast<int>(left), 0)) == 1 &&
                          ::read(child.end.get(), &status, sizeof status) == sizeof status;
        return told ? std::optional(status) : std::nullopt;
    }
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

/// What a child told, and what is to be said about a device that it did not tell about.
struct Account {
    std::optional<ProbeVerdict> listed;
    std::vector<ProbedDevice> tried;
    Trial trial = Trial::Crashed;
    std::string failure;  ///< goes on after "the driver "
};

/// Up to the first line that is nonsense.
void parse(std::string_view output, Account& account) {
    for (size_t end = 0; (end = output.find('\n')) != output.npos; output.remove_prefix(end + 1)) {
        const std::string_view line = output.substr(0, end);
        if (account.listed) {
            auto device = decodeDevice(line);
            if (!device || device->trial == Trial::Untried) return;
            account.tried.push_back(std::move(*device));
        } else {
            auto verdict = decodeVerdict(line);
            if (!verdict) return;
            account.listed = std::move(*verdict);
        }
    }
}

/// `known`: what other children told.
Result<Account> askChild(const ProbeRequest& request, const ProbeVerdict& known) {
    std::vector<std::string> leftOut;
    for (const ProbedDevice& device : known.devices) {
        const bool isDone = device.trial != Trial::Untried && !missingTrial(device);
        if (isDone) leftOut.insert(leftOut.end(), {"--left-out", leftOutName(device)});
        for (const DeviceFeature feature : kDeviceFeatures)
            if (!isDone && !device.of(feature).what.empty() && device.of(feature).trial != Trial::Untried)
                leftOut.insert(leftOut.end(), {"--left-out", leftOutName(device, feature)});
    }
    INGLE_TRY_ASSIGN(const Child child, start(request.command, leftOut));
    Account account;
    parse(readOutput(child, request.limit), account);
    const std::optional<int> status = awaitEnd(child, Clock::now() + kEndLimit);
    if (!status) {
        account.trial = Trial::TimedOut;
        account.failure =
            fmt::format("did not answer within {} s", std::chrono::duration<double>(request.limit).count());
    } else if (WIFSIGNALED(*status)) {
        account.failure = fmt::format("crashed when it was tried out ({})", ::strsignal(WTERMSIG(*status)));
    } else {
        account.failure = fmt::format("failed when it was tried out (exit status {})", WEXITSTATUS(*status));
    }
    return account;
}

/// The first device whose trial, or else that of a feature, is still to come: children try in this order.
ProbedDevice* findUntried(ProbeVerdict& verdict) {
    auto found = std::ranges::find(verdict.devices, Trial::Untried, &ProbedDevice::trial);
    if (found == verdict.devices.end())
        found = std::ranges::find_if(
            verdict.devices, [](const ProbedDevice& device) { return missingTrial(device).has_value(); });
    return found == verdict.devices.end() ? nullptr : &*found;
}

/// What `told` says more about the device than what is known of it.
void learn(ProbedDevice& known, ProbedDevice told) {
    if (known.trial == Trial::Untried) {
        for (const DeviceFeature feature : kDeviceFeatures)
            if (known.of(feature).trial != Trial::Untried) told.of(feature) = known.of(feature);
        known = std::move(told);
        return;
    }
    for (const DeviceFeature feature : kDeviceFeatures)
        if (known.of(feature).trial == Trial::Untried) known.of(feature) = std::move(told.of(feature));
}

/// Somebody is to blame for what a child did not tell.
void blame(ProbedDevice& device, const Account& account) {
    if (device.trial == Trial::Untried) {
        device.trial = account.trial;
        device.refusal = fmt::format("the driver of {} {}", device.name, account.failure);
    } else {
        const DeviceFeature feature = *missingTrial(device);
        device.of(feature).trial = account.trial;
        device.of(feature).refusal = fmt::format("the driver of {} {} with its {}", device.name,
                                                 account.failure, featureName(feature));
    }
}

/// Children are asked until there is nothing left to try: each ends at least one trial.
Result<ProbeVerdict> askChildren(const ProbeRequest& request, std::optional<ProbeVerdict> verdict) {
    do {
        INGLE_TRY_ASSIGN(Account account, askChild(request, verdict.value_or(ProbeVerdict())));
        if (!verdict && !account.listed)
            return ProbeVerdict{.refusal = fmt::format("the graphics driver {}", account.failure),
                                .listing = account.trial};
        if (!verdict) verdict = std::move(account.listed);
        for (ProbedDevice& tried : account.tried) {
            const auto device = std::ranges::find(verdict->devices, tried.identity, &ProbedDevice::identity);
            if (device != verdict->devices.end()) learn(*device, std::move(tried));
        }
        if (ProbedDevice* blamed = findUntried(*verdict)) blame(*blamed, account);
    } while (findUntried(*verdict));
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
    auto verdict = decodeVerdict(json["verdict"].dump());
    if (!verdict) return std::nullopt;
    if (json.value("asker", nlohmann::json()) == ::getpid()) return *verdict;
    // Whether it is the computer or the driver that was slow, another start may tell.
    if (verdict->listing == Trial::TimedOut) return std::nullopt;
    for (ProbedDevice& device : verdict->devices) {
        if (device.trial == Trial::TimedOut) device.trial = Trial::Untried;
        for (FeatureTrial& feature : device.features) {
            if (feature.trial != Trial::TimedOut) continue;
            feature.trial = Trial::Untried;
            feature.refusal.clear();
        }
    }
    return *verdict;
}

Status remember(const std::string& path, const std::string& drivers, const ProbeVerdict& verdict) {
    const nlohmann::json json{{"version", kCacheVersion},
                              {"drivers", drivers},
                              {"asker", ::getpid()},
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
    std::optional<ProbeVerdict> known;
    if (caches && request.cache == ProbeCache::Use) known = remembered(request.cacheFile, drivers);
    if (known && !findUntried(*known)) return *known;
    INGLE_TRY_ASSIGN(ProbeVerdict verdict, askChildren(request, std::move(known)));
    // What cannot be remembered is asked again at the next start; so is whether there is Vulkan at all.
    const bool isFinal = verdict.refusal.empty() || verdict.listing != Trial::Done;
    if (caches && isFinal) static_cast<void>(remember(request.cacheFile, drivers, verdict));
    return verdict;
}

}  // namespace ingle::backend::vulkan
