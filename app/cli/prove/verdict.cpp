#include "app/cli/prove/verdict.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "ingle/shown_text.h"

namespace ingle::cli::prove {
namespace {

namespace fs = std::filesystem;

/// What holds nothing of a person: programs, their settings, devices, and what the kernel tells.
constexpr std::string_view kSystem[] = {"/usr",
                                        "/lib",
                                        "/lib32",
                                        "/lib64",
                                        "/bin",
                                        "/sbin",
                                        "/etc",
                                        "/proc",
                                        "/sys",
                                        "/dev",
                                        "/nix/store",
                                        "/gnu/store",
                                        "/app",
                                        "/opt",
                                        "/run/opengl-driver",
                                        "/run/udev",
                                        "/var/cache/fontconfig"};
/// Devices that keep nothing, and those of graphics cards; files that only have a descriptor.
constexpr std::string_view kPassing[] = {"/dev/null", "/dev/zero",   "/dev/full", "/dev/dri",
                                         "/dev/kfd",  "/dev/nvidia", "/dev/dxg",  "/memfd:"};

bool isWithin(std::string_view path, std::string_view folder) {
    return !folder.empty() && path.starts_with(folder) &&
           (path.size() == folder.size() || folder.back() == '/' || path[folder.size()] == '/');
}
template <typename Folders>
bool isWithinAny(std::string_view path, const Folders& folders) {
    return std::ranges::any_of(folders, [&](std::string_view folder) { return isWithin(path, folder); });
}

/// What the kernel tells of a process that is none of these, or lets one do to it.
bool isOfAnotherProcess(std::string_view path, const std::set<int>& own) {
    constexpr std::string_view kProcesses = "/proc/";
    int id = 0;
    if (!path.starts_with(kProcesses)) return false;
    const char* const begin = path.data() + kProcesses.size();
    return std::from_chars(begin, path.data() + path.size(), id).ec == std::errc{} && !own.contains(id);
}
/// Whether writing there changes nothing that lasts.
bool isPassing(std::string_view path, const std::set<int>& own) {
    return std::ranges::any_of(kPassing, [&](std::string_view each) { return path.starts_with(each); }) ||
           (path.starts_with("/proc/") && !isOfAnotherProcess(path, own) && !path.ends_with("/mem") &&
            !path.starts_with("/proc/sys"));
}

std::string counted(const std::string& what, const Tries& tries) {
    return fmt::format("{}: {} done, {} refused", shown(what), tries.done, tries.refused);
}

}  // namespace

Verdict judge(const Record& record, const Own& own) {
    const fs::path bin = fs::path(own.program).parent_path();
    const std::vector<std::string> ownFolders{own.folder, bin.string(),
                                              (bin.parent_path() / "share").string(),
                                              (bin.parent_path() / "lib").string()};
    Verdict verdict;
    for (const auto& [what, tries] : record.sockets) {
        verdict.sockets.push_back(counted(what, tries));
        // Pairs for their own talk, and what graphics drivers ask the kernel. Nobody connects to anything.
        if (what != "local programs" && what != "the kernel (netlink)")
            verdict.problems.push_back(
                "A program reached for the network or another program: " + counted(what, tries) + ".");
    }
    for (const auto& [path, tries] : record.read) {
        const bool isForeign = isOfAnotherProcess(path, record.processIds);
        // What lies beside the model is looked at by its names.
        const bool isFolderOfModel = std::ranges::any_of(
            own.model, [&](const std::string& file) { return fs::path(file).parent_path() == path; });
        if (isWithinAny(path, ownFolders) || isWithinAny(path, own.model) || isFolderOfModel)
            ++verdict.ownFiles;
        else if (isWithinAny(path, kSystem) && !isForeign)
            ++verdict.systemFiles;
        else
            verdict.foreignRead.push_back(counted(path, tries));
    }
    for (const auto& [path, tries] : record.opened) {
        if (!isWithin(path, own.folder) && !isPassing(path, record.processIds))
            verdict.foreignWritten.push_back(counted(path, tries));
    }
    for (const auto& [path, bytes] : record.written) {
        if (isWithin(path, own.folder))
            verdict.ownBytes += bytes;
        else if (!isPassing(path, record.processIds))
            verdict.foreignBytes += bytes;
    }
    const auto isEngine = [](const Process& process) { return process.role == "host"; };
    const auto isRestricted = [&](const Process& process) {
        return isEngine(process) && process.filesAreRestricted;
    };
    if (own.areFilesRestricted && std::ranges::none_of(record.processes, isRestricted))
        verdict.problems.emplace_back("This kernel can restrict files, and does not for the engine.");
    if (!std::ranges::all_of(record.processes, &Process::callsAreFiltered))
        verdict.problems.emplace_back("A process ran without a filter of system calls.");
    for (const Process& process : record.processes) {
        const fs::path program = process.program;
        if (program.filename().string().starts_with("ingle") &&
            isWithin(process.program, bin.parent_path().string()))
            continue;
        if (std::ranges::find(verdict.foreignPrograms, shown(process.program)) ==
            verdict.foreignPrograms.end())
            verdict.foreignPrograms.push_back(shown(process.program));
    }
    for (const std::string& file : verdict.foreignRead)
        verdict.problems.push_back("A file was read that is not Inglenook's: " + file + ".");
    for (const std::string& file : verdict.foreignWritten)
        verdict.problems.push_back("A file was opened for writing outside Inglenook's folders: " + file +
                                   ".");
    for (const std::string& program : verdict.foreignPrograms)
        verdict.problems.push_back("Another program was started: " + program + ".");
    for (const auto& [call, tries] : record.intrusions)
        verdict.problems.push_back("A program reached into another one: " + counted(call, tries) + ".");
    if (record.unnamed > 0)
        verdict.problems.push_back(
            fmt::format("The names of {} files or addresses could not be read.", record.unnamed));
    return verdict;
}

}  // namespace ingle::cli::prove
