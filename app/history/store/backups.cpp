#include "app/history/store/backups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <vector>

#include "app/history/store/clock.h"
#include "app/history/store/copies.h"
#include "app/history/store/schema.h"
#include "ingle/error_ids.h"
#include "ingle/file_descriptor.h"

namespace ingle::history {
namespace {

namespace fs = std::filesystem;

const char* const kUnfinished = ".new-backup";
const char* const kBeingRestored = ".being-restored";

Result<std::vector<fs::path>> backupsOf(const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    std::vector<fs::path> backups;
    std::error_code error;
    for (fs::directory_iterator entry(fs::path(path).parent_path(), error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string found = entry->path().filename().string();
        // Also one that a killed program had not given its name yet.
        if (found.starts_with(name + ".backup-v") || found == name + kUnfinished)
            backups.push_back(entry->path());
    }
    if (error) return fail(ErrorCode::Io, "Cannot look for backups of {}: {}.", path, error.message());
    return backups;
}

/// Writes the copy and reads it through.
Status writeCopy(const std::string& path, const std::string& copy) {
    INGLE_TRY(askForRoom(path, sizeOnDisk(path)));
    {
        INGLE_TRY_ASSIGN(const auto database, Database::open(path, FileMode::ReadOnly));
        INGLE_TRY(copyTo(*database, copy));
    }
    INGLE_TRY_ASSIGN(const auto written, Database::open(copy, FileMode::ReadOnly));
    return written->run([&]() -> Status {
        const std::string found = written->sqlite().execAndGet("PRAGMA quick_check").getString();
        if (found == "ok") return {};
        return fail(ErrorCode::Corrupt, "The new backup {} is damaged: {}.", copy, found);
    });
}

}  // namespace

Status askForRoom(const std::string& path, uint64_t bytes) {
    struct statvfs disk {};
    const std::string folder = fs::path(path).parent_path().string();
    if (::statvfs(folder.c_str(), &disk) != 0) return {};  // then writing will tell
    const uint64_t free = uint64_t{disk.f_bavail} * disk.f_frsize;
    if (free >= bytes) return {};
    constexpr uint64_t kMegabyte = 1'000'000;
    return withId<ErrorId::HistoryNeedsRoom>(
        fail(ErrorCode::Io, "The history needs {} MB of room in {}, where {} MB are free.",
             bytes / kMegabyte + 1, folder, free / kMegabyte),
        folder, bytes, free);
}

uint64_t sizeOnDisk(const std::string& path) {
    uint64_t bytes = 0;
    for (const char* suffix : {"", "-wal"}) {
        std::error_code error;
        const uintmax_t size = fs::file_size(path + suffix, error);
        if (!error) bytes += size;
    }
    return bytes;
}

Status copyTo(Database& database, const std::string& target) {
    ::unlink(target.c_str());
    const FileDescriptor file(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.get() < 0) {
        return fail(ErrorCode::Io, "Cannot create the copy {}: {}.", target, std::strerror(errno));
    }
    Status copied = database.run([&]() -> Status {
        database.execute("VACUUM INTO ?1", target);
        return {};
    });
    if (copied && ::fsync(file.get()) != 0) {
        copied = fail(ErrorCode::Io, "Cannot write the copy {}: {}.", target, std::strerror(errno));
    }
    if (!copied) ::unlink(target.c_str());
    return copied;
}

std::string backupPath(const std::string& path, int version) {
    return fmt::format("{}.backup-v{}", path, version);
}

Result<bool> hasBackups(const std::string& path) {
    INGLE_TRY_ASSIGN(const auto backups, backupsOf(path));
    return !backups.empty();
}

Status removeBackups(const std::string& path, const std::string& but) {
    INGLE_TRY_ASSIGN(const auto backups, backupsOf(path));
    for (const fs::path& backup : backups) {
        if (backup == but) continue;
        std::error_code error;
        fs::remove(backup, error);
        if (error) {
            return fail(ErrorCode::Io, "Cannot delete the backup {}: {}.", backup.string(), error.message());
        }
    }
    return {};
}

Result<std::vector<Backup>> backupsBeside(const std::string& path) {
    std::error_code missing;
    if (!fs::exists(fs::path(path).parent_path(), missing)) return std::vector<Backup>();
    INGLE_TRY_ASSIGN(const auto files, backupsOf(path));
    std::vector<Backup> backups;
    for (const fs::path& file : files) {
        struct stat facts {};
        // One that has no name of its own yet is none.
        if (file.string().ends_with(kUnfinished) || ::stat(file.c_str(), &facts) != 0) continue;
        backups.push_back({file.string(),
                           facts.st_mtim.tv_sec * int64_t{1000} + facts.st_mtim.tv_nsec / 1'000'000,
                           static_cast<uint64_t>(facts.st_size)});
    }
    std::ranges::sort(backups, [](const Backup& a, const Backup& b) {
        return std::tie(a.madeMs, a.path) > std::tie(b.madeMs, b.path);
    });
    return backups;
}

Status checkBackup(const std::string& backup) {
    INGLE_TRY_ASSIGN(const auto database, Database::open(backup, FileMode::ReadOnly));
    INGLE_TRY_ASSIGN(const int version, schemaVersion(*database));
    if (version == 0) return fail(ErrorCode::Corrupt, "The backup {} is empty.", backup);
    if (version > static_cast<int>(allMigrations().size())) {
        return fail(ErrorCode::Unsupported, "A newer version of Inglenook wrote the backup {}.", backup);
    }
    return database->run([&]() -> Status {
        const std::string found = database->sqlite().execAndGet("PRAGMA integrity_check").getString();
        if (found == "ok") return {};
        return fail(ErrorCode::Corrupt, "The backup {} is damaged: {}.", backup, found);
    });
}

Result<Backup> makeBackup(const std::string& path) {
    const std::string copy = path + kUnfinished;
    Status written = writeCopy(path, copy);
    if (written) written = checkBackup(copy);
    // What is removed for good is removed from everything with this beginning (removeBackups).
    const std::string base =
        fmt::format("{}-{}", backupPath(path, static_cast<int>(allMigrations().size())), nowMs());
    if (written && ::rename(copy.c_str(), base.c_str()) != 0)
        written = fail(ErrorCode::Io, "Cannot rename {} to {}: {}.", copy, base, std::strerror(errno));
    if (!written) {
        ::unlink(copy.c_str());
        return tl::unexpected<Error>(std::move(written).error());
    }
    INGLE_TRY_ASSIGN(const auto backups, backupsBeside(path));
    for (size_t i = kKeptBackups; i < backups.size(); ++i) {
        std::error_code error;
        fs::remove(backups[i].path, error);
        if (error)
            return fail(ErrorCode::Io, "Cannot delete the backup {}: {}.", backups[i].path, error.message());
    }
    for (const Backup& backup : backups)
        if (backup.path == base) return backup;
    return fail(ErrorCode::Io, "The backup {} is gone again.", base);
}

Result<std::string> prepareRestore(const std::string& path, const std::string& backup) {
    INGLE_TRY(checkBackup(backup));
    const std::string copy = path + kBeingRestored;
    INGLE_TRY_ASSIGN(const auto database, Database::open(backup, FileMode::ReadOnly));
    INGLE_TRY(askForRoom(path, sizeOnDisk(backup)));
    INGLE_TRY(copyTo(*database, copy));
    return copy;
}

Result<std::string> putInPlace(const std::string& path, const std::string& copy) {
    std::string aside;
    std::error_code error;
    if (fs::exists(path, error)) {
        // What its log holds goes into it first; of a damaged one the log goes along.
        if (const auto database = Database::open(path, FileMode::ReadWrite); database)
            (void)(*database)->truncateLog();
        aside = fmt::format("{}.before-restore-{}", path, nowMs());
        for (const char* suffix : {"-wal", "-shm", ""}) {
            fs::rename(path + suffix, aside + suffix, error);
            if (error == std::errc::no_such_file_or_directory) error.clear();
            if (error) break;
        }
    }
    if (!error) fs::rename(copy, path, error);
    if (!error) return aside;
    ::unlink(copy.c_str());
    std::error_code ignored;
    if (!aside.empty() && !fs::exists(path, ignored)) fs::rename(aside, path, ignored);
    return fail(ErrorCode::Io, "The backup cannot be put in the place of {}: {}.", path, error.message());
}

Result<std::string> restoreBackup(const std::string& path, const std::string& backup) {
    INGLE_TRY_ASSIGN(const std::string copy, prepareRestore(path, backup));
    return putInPlace(path, copy);
}

void finishRestore(const std::string& path) {
    const std::string copy = path + kBeingRestored;
    std::error_code error;
    if (!fs::exists(copy, error)) return;
    // Whole only if the history had made room for it already.
    if (!fs::exists(path, error) && checkBackup(copy))
        fs::rename(copy, path, error);
    else
        fs::remove(copy, error);
}

Status replaceBackups(const std::string& path) {
    // It has the name of none until it is whole. What deleted text is in the old ones stays until then: they
    // may be all there is of a history that cannot be read any more.
    const std::string copy = path + kUnfinished;
    if (const Status written = writeCopy(path, copy); !written) {
        ::unlink(copy.c_str());
        return written;
    }
    // There is one at every moment.
    const std::string target = backupPath(path, static_cast<int>(allMigrations().size()));
    if (::rename(copy.c_str(), target.c_str()) != 0) {
        return fail(ErrorCode::Io, "Cannot rename {} to {}: {}.", copy, target, std::strerror(errno));
    }
    return removeBackups(path, target);
}

}  // namespace ingle::history
