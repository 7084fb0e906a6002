/// A history whose file is taken away while it is open. An open file outlives its name, so nothing is lost:
/// all of it is written anew, and work goes on there.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "app/history/store/backups.h"
#include "app/history/store/database.h"
#include "app/history/store/history.h"

namespace ingle::history {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRescued = ".rescue";                      // whole, but without its name
constexpr std::string_view kUnfinishedRescue = ".rescue-unfinished";  // not even that

/// Puts a file under a name that nobody has.
Status rename(const std::string& from, const std::string& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
    // File systems that do not know this way have no other that cannot lose a race.
    if (errno == EINVAL && ::access(to.c_str(), F_OK) != 0 && ::rename(from.c_str(), to.c_str()) == 0)
        return {};
    return fail(ErrorCode::Io, "Cannot rename {} to {}: {}.", from, to, std::strerror(errno));
}

/// Errors: Corrupt when anything does not fit together.
Status readThrough(const std::string& path) {
    INGLE_TRY_ASSIGN(const auto file, Database::open(path, FileMode::ReadOnly));
    return file->run([&]() -> Status {
        const std::string found = file->sqlite().execAndGet("PRAGMA integrity_check").getString();
        if (found == "ok") return {};
        return fail(ErrorCode::Corrupt, "{} is damaged: {}.", path, found);
    });
}

}  // namespace

Whereabouts History::whereabouts() {
    const FileId now = fileId(m_database->path());
    // Where the folder cannot be read, or a network is away, nothing is known.
    if (now == FileId{} && errno != ENOENT && errno != ENOTDIR) return Whereabouts::InPlace;
    if (now != m_database->id()) return now == FileId{} ? Whereabouts::Removed : Whereabouts::Replaced;
    if (m_database->isForeign())
        return m_database->hasChanged() ? Whereabouts::BeingOverwritten : Whereabouts::Overwritten;
    m_database->noteFilesBeside();
    return Whereabouts::InPlace;
}

Status History::moveTo(const std::string& target) {
    if (refusal()) return {};
    INGLE_TRY(createFolderOf(target));
    // First: whoever is killed now must not leave our log to a file that it does not belong to. SQLite goes
    // on with the one that it has open.
    m_database->removeFilesBeside();
    const std::string copy = target + std::string(kRescued);
    const std::string unfinished = target + std::string(kUnfinishedRescue);
    INGLE_TRY(copyTo(*m_database, unfinished));
    // Of a file that was overwritten only what the log and SQLite's memory hold is ours.
    if (m_database->isForeign()) {
        if (const Status whole = readThrough(unfinished); !whole) {
            ::unlink(unfinished.c_str());
            return whole;
        }
    }
    if (const Status renamed = rename(unfinished, copy); !renamed) {
        ::unlink(unfinished.c_str());
        return renamed;
    }
    if (const Status renamed = rename(copy, target); !renamed) {
        ::unlink(copy.c_str());
        return renamed;
    }
    INGLE_TRY_ASSIGN(auto moved, Database::open(target, FileMode::ReadWrite));
    m_database = std::move(moved);
    return {};
}

void History::leave(std::unique_ptr<History> history) {
    history->m_database->removeFilesBeside();
}

Result<std::vector<std::string>> takeUpRescued(const std::string& folder) {
    std::vector<std::string> others;
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        found.push_back(entry->path());
    if (error == std::errc::no_such_file_or_directory) return others;
    if (error) return fail(ErrorCode::Io, "Cannot look into {}: {}.", folder, error.message());
    for (const fs::path& each : found) {
        const std::string rescued = each.string();
        if (rescued.ends_with(kUnfinishedRescue)) ::unlink(rescued.c_str());
        if (!rescued.ends_with(kRescued)) continue;
        const std::string wanted = rescued.substr(0, rescued.size() - kRescued.size());
        std::string target = wanted;
        for (int number = 2; fs::exists(target, error); ++number)
            target = fmt::format("{}-{}.sqlite", fs::path(wanted).replace_extension().string(), number);
        // A log without its file.
        for (const char* suffix : {"-wal", "-shm"}) ::unlink((target + suffix).c_str());
        INGLE_TRY(rename(rescued, target));
        if (target != wanted) others.push_back(target);
    }
    return others;
}

}  // namespace ingle::history
