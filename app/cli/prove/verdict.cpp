#include "app/cli/prove/verdict.h"

#include <algorithm>
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
/// Where writing changes nothing that lasts.
constexpr std::string_view kPassing[] = {"/proc", "/dev", "/memfd:"};
constexpr std::string_view kInternet = "internet";
constexpr std::string_view kAnySocket = "io_uring";

bool isWithin(std::string_view path, std::string_view folder) {
    return !folder.empty() && path.starts_with(folder) &&
           (path.size() == folder.size() || folder.back() == '/' || path[folder.size()] == '/');
}
template <typename Folders>
bool isWithinAny(std::string_view path, const Folders& folders) {
    return std::ranges::any_of(folders, [&](std::string_view folder) { return isWithin(path, folder); });
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
        const bool isLocal =
            what.find("local programs") != std::string::npos || what.find("(netlink)") != std::string::npos;
        if (!isLocal)
            verdict.problems.push_back("A program reached for the network: " + counted(what, tries) + ".");
    }
    for (const auto& [path, tries] : record.read) {
        if (isWithinAny(path, ownFolders))
            ++verdict.ownFiles;
        else if (isWithinAny(path, kSystem))
            ++verdict.systemFiles;
        else
            verdict.foreignRead.push_back(counted(path, tries));
    }
    for (const auto& [path, tries] : record.opened) {
        if (!isWithin(path, own.folder) && !isWithinAny(path, kPassing))
            verdict.foreignWritten.push_back(counted(path, tries));
    }
    for (const auto& [path, bytes] : record.written) {
        if (isWithin(path, own.folder))
            verdict.ownBytes += bytes;
        else if (!isWithinAny(path, kPassing))
            verdict.foreignBytes += bytes;
    }
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
