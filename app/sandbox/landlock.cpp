// Source of the numbers: Documentation/userspace-api/landlock.rst of the Linux kernel.
#include "app/sandbox/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>

namespace ingle::sandbox {
namespace {

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint32_t kAskVersion = 1;
constexpr int kPathBeneath = 1, kNetPort = 2;

struct Ruleset {
    uint64_t files = 0;
    uint64_t network = 0;  ///< since version 4
    uint64_t scoped = 0;   ///< since version 6
};
struct [[gnu::packed]] PathRule {
    uint64_t allowed = 0;
    int32_t parent = -1;
};

struct PortRule {
    uint64_t allowed = 0;
    uint64_t port = 0;
};

// Rights to files.
constexpr uint64_t bit(int number) {
    return uint64_t{1} << number;
}
constexpr uint64_t kExecute = bit(0), kWriteFile = bit(1), kReadFile = bit(2), kReadFolder = bit(3);
constexpr uint64_t kRemoveFolder = bit(4), kRemoveFile = bit(5), kMakeFolder = bit(7), kMakeFile = bit(8),
                   kMakeSocket = bit(9);
constexpr uint64_t kMoveBetweenFolders = bit(13);
constexpr uint64_t kTruncate = bit(14);
constexpr uint64_t kDeviceCalls = bit(15);
/// How many of them each version knows, from the first.
constexpr std::array kRightsOfVersion = {0, 13, 14, 15, 15, 16, 16, 16};

constexpr uint64_t kBindTcp = bit(0), kConnectTcp = bit(1);
constexpr int kVersionOfNetwork = 4;
constexpr uint64_t kAbstractSockets = bit(0), kSignals = bit(1);
constexpr int kVersionOfScopes = 6;

/// Those that a rule about a file, and not about a folder, may have.
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceCalls;

constexpr uint64_t rightsOf(FileAccess access) {
    constexpr uint64_t kRead = kReadFile | kReadFolder;
    switch (access) {
        case FileAccess::Read:
            return kRead;
        case FileAccess::Write:
            return kRead | kWriteFile | kRemoveFolder | kRemoveFile | kMakeFolder | kMakeFile | kMakeSocket |
                   kMoveBetweenFolders | kTruncate;
        case FileAccess::Device:
            return kRead | kWriteFile | kDeviceCalls;
        case FileAccess::Execute:
            return kRead | kExecute;
    }
    return 0;
}

}  // namespace

int Landlock::version() {
    static const int version = [] {
        const long answer = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
        return answer < 0 ? 0 : static_cast<int>(answer);
    }();
    return version;
}

Landlock::Landlock(bool isCut) {
    if (version() == 0) return;
    // A later version does what the last one that is known here does.
    const auto known = std::min<size_t>(static_cast<size_t>(version()), kRightsOfVersion.size() - 1);
    m_handled = bit(kRightsOfVersion[known]) - 1;
    Ruleset wanted{.files = m_handled};
    if (version() >= kVersionOfNetwork) wanted.network = kConnectTcp;
    if (version() >= kVersionOfScopes && isCut) wanted.scoped = kAbstractSockets | kSignals;
    if (version() >= kVersionOfNetwork && isCut) wanted.network |= kBindTcp;
    m_rules = FileDescriptor(static_cast<int>(::syscall(kCreateRuleset, &wanted, sizeof wanted, 0)));
}

void Landlock::allow(const std::string& path, FileAccess access) const {
    if (!m_rules.isOpen() || path.empty()) return;
    const FileDescriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat info {};
    if (!place.isOpen() || ::fstat(place.get(), &info) != 0) return;
    PathRule rule{.allowed = rightsOf(access) & m_handled, .parent = place.get()};
    if (!S_ISDIR(info.st_mode)) rule.allowed &= kOfFiles;
    ::syscall(kAddRule, m_rules.get(), kPathBeneath, &rule, 0);
}

void Landlock::allowConnecting(uint16_t port) const {
    if (!m_rules.isOpen() || version() < kVersionOfNetwork) return;
    const PortRule rule{.allowed = kConnectTcp, .port = port};
    ::syscall(kAddRule, m_rules.get(), kNetPort, &rule, 0);
}

bool Landlock::enforce() const {
    if (!m_rules.isOpen()) return false;
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(kRestrictSelf, m_rules.get(), 0) == 0;
}

}  // namespace ingle::sandbox
