#include "engine/base/system_memory.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

namespace ingle::base {
namespace {

namespace fs = std::filesystem;

/// The number after `key` at the beginning of a line, e.g. "MemTotal:" or "inactive_file".
std::optional<uint64_t> numberAfter(const fs::path& file, std::string_view key) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string name;
        uint64_t number = 0;
        if (words >> name >> number && name == key) return number;
    }
    return std::nullopt;
}

/// The only number in `file`; nothing where that says "max", is not there, or is no number.
std::optional<uint64_t> onlyNumber(const fs::path& file) {
    std::ifstream stream(file);
    uint64_t number = 0;
    if (!(stream >> number)) return std::nullopt;
    return number;
}

/// The file names of one version of control groups.
struct GroupFiles {
    std::vector<std::string_view> limits;
    std::string_view usage;
    /// Lines of memory.stat: cached files, which make room at a limit. Those that were used twice count,
    /// too: the weights of a model that was just in use are such.
    std::vector<std::string_view> reclaimable;
};

const GroupFiles kVersion1{
    {"memory.limit_in_bytes"}, "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
/// Beyond memory.high a process is slowed down until it hardly moves.
const GroupFiles kVersion2{{"memory.max", "memory.high"}, "memory.current", {"inactive_file", "active_file"}};

void applyLimit(const fs::path& group, const GroupFiles& files, SystemMemory& memory) {
    for (const std::string_view name : files.limits) {
        const auto limit = onlyNumber(group / name);
        // Version 1 writes a number near 2^63 where there is no limit.
        if (!limit || *limit >= memory.installedBytes) continue;
        memory.usableBytes = std::min(memory.usableBytes, *limit);
        uint64_t used = onlyNumber(group / files.usage).value_or(0);
        for (const std::string_view line : files.reclaimable)
            used -= std::min(used, numberAfter(group / "memory.stat", line).value_or(0));
        memory.availableBytes = std::min(memory.availableBytes, *limit - std::min(used, *limit));
    }
}

/// Whether `word` is one of those in `list`, which commas separate.
bool lists(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const size_t comma = std::min(list.find(','), list.size());
        if (list.substr(0, comma) == word) return true;
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return false;
}

/// A folder in which control groups lie: which of them are seen there, and where.
struct GroupMount {
    std::string firstGroup;  ///< the group that is the folder itself
    fs::path folder;
};

/// Without the octal escapes of mountinfo, e.g. "\040" for a space.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
        int character = 0;
        const char* digits = text.data() + i + 1;
        if (text[i] == '\\' && i + 3 < text.size() &&
            std::from_chars(digits, digits + 3, character, 8).ptr == digits + 3) {
            plain += static_cast<char>(character);
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

/// `controller`: of version 1; empty for version 2, whose mount holds all of them.
std::vector<GroupMount> findMounts(const std::string& root, std::string_view controller) {
    std::vector<GroupMount> mounts;
    std::ifstream stream(root + "/proc/self/mountinfo");
    for (std::string line; std::getline(stream, line);) {
        // ID PARENT MAJOR:MINOR ROOT FOLDER OPTIONS [FIELD…] - TYPE SOURCE OPTIONS
        const size_t dash = line.find(" - ");
        if (dash == std::string::npos) continue;
        std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
        std::string skipped, group, folder, type, options;
        before >> skipped >> skipped >> skipped >> group >> folder;
        after >> type >> skipped >> options;
        const bool holds =
            controller.empty() ? type == "cgroup2" : type == "cgroup" && lists(options, controller);
        if (holds) mounts.push_back({unescaped(group), root + unescaped(folder)});
    }
    return mounts;
}

/// Applies the limits of `group` and of all above it.
void applyLimits(const std::string& root, std::string_view controller, const std::string& group,
                 const GroupFiles& files, SystemMemory& memory) {
    for (const GroupMount& mount : findMounts(root, controller)) {
        // A container sees its own group as the folder itself, perhaps under a name from outside.
        fs::path below = fs::path(group).lexically_relative(mount.firstGroup);
        if (below.empty() || *below.begin() == "..") below = ".";
        fs::path at = (mount.folder / below).lexically_normal();
        if (!at.has_filename()) at = at.parent_path();
        const fs::path top = mount.folder.lexically_normal();
        for (; at != top && at.has_relative_path(); at = at.parent_path()) applyLimit(at, files, memory);
        applyLimit(top, files, memory);
    }
}

}  // namespace

Result<SystemMemory> readSystemMemory(const std::string& root) {
    const std::string meminfo = root + "/proc/meminfo";
    if (!std::ifstream(meminfo)) return fail(ErrorCode::Io, "cannot read {}", meminfo);
    const auto total = numberAfter(meminfo, "MemTotal:");
    const auto available = numberAfter(meminfo, "MemAvailable:");
    if (!total || !available)
        return fail(ErrorCode::Corrupt, "{} does not tell how much memory there is and is free", meminfo);
    SystemMemory memory{*total * 1024, *total * 1024, *available * 1024};

    std::ifstream groups(root + "/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        // ID:CONTROLLERS:GROUP
        const size_t first = line.find(':');
        const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        if (controllers.empty()) applyLimits(root, "", group, kVersion2, memory);
        if (lists(controllers, "memory")) applyLimits(root, "memory", group, kVersion1, memory);
    }
    return memory;
}

}  // namespace ingle::base
