/// Backups that a person makes, looks at and takes back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingle/result.h"

namespace ingle::history {

/// A copy beside the history.
struct Backup {
    std::string path;
    int64_t madeMs = 0;  ///< Unix time
    uint64_t bytes = 0;
};
constexpr size_t kKeptBackups = 5;

/// Newest first. Errors: Io.
Result<std::vector<Backup>> backupsBeside(const std::string& path);
/// Opens a copy and reads it through. Errors: Io; Corrupt; Unsupported when a newer version wrote it.
Status checkBackup(const std::string& backup);
/// Writes a copy, checks it, and only then gives it its name; of the older ones kKeptBackups - 1 stay. Any
/// thread, also while the history is being written. Errors: Io; Corrupt.
Result<Backup> makeBackup(const std::string& path);
/// A fresh copy of the file, read through, takes the place of all older backups; where it cannot be made,
/// these stay. Takes seconds. Any thread. Errors: Io; Corrupt.
Status replaceBackups(const std::string& path);
/// Checks a backup and copies it for putInPlace(): what takes time, and may be done while the history is
/// open. Returns the copy. Errors: those of checkBackup(); Io.
Result<std::string> prepareRestore(const std::string& path, const std::string& backup);
/// Puts what prepareRestore() returned in the place of the history, which nobody may have open; what was
/// there stays beside it, under the name that is returned (empty: there was none). Where the process ends
/// before this does, openHistory() goes on with it. Errors: Io: the history is then as it was.
Result<std::string> putInPlace(const std::string& path, const std::string& copy);
/// Both, for whoever has nothing else to do meanwhile.
Result<std::string> restoreBackup(const std::string& path, const std::string& backup);

}  // namespace ingle::history
