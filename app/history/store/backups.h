/// Copies of the history beside it. Private to app/history and its tests; what others may ask is in copies.h.
#pragma once

#include <cstdint>
#include <string>

#include "app/history/store/database.h"
#include "ingle/result.h"

namespace ingle::history {

/// Errors: Io when there are fewer than `bytes` where the file is kept.
Status askForRoom(const std::string& path, uint64_t bytes);

/// Bytes of the file and of what is still to be written into it.
uint64_t sizeOnDisk(const std::string& path);

/// A consistent copy, readable by this user only, which holds no deleted text; on disk when this returns.
/// Errors: Io; there is no copy then.
Status copyTo(Database& database, const std::string& target);

/// Where the copy of a file of that version is kept: beside the file, with the version in its name.
std::string backupPath(const std::string& path, int version);

/// Goes on with a putInPlace() that was killed, or removes what was left of one that had not begun.
void finishRestore(const std::string& path);

Result<bool> hasBackups(const std::string& path);
/// Deletes every backup beside the file. Errors: Io.
Status removeBackups(const std::string& path, const std::string& but = {});

}  // namespace ingle::history
