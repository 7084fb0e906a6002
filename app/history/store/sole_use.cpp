#include "app/history/store/sole_use.h"

#include <sqlite3.h>

#include <filesystem>

#include "app/history/store/database.h"

namespace ingle::history {

Status checkSoleUse(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return {};
    try {
        // Whoever has a file with a write-ahead log open holds a shared lock on it, which an exclusive one
        // waits for (https://www.sqlite.org/wal.html, "Use of WAL Without Shared-Memory").
        SQLite::Database database(path, SQLite::OPEN_READWRITE);
        database.exec("PRAGMA locking_mode = EXCLUSIVE");
        database.exec("BEGIN EXCLUSIVE; ROLLBACK");
    } catch (const SQLite::Exception& exception) {
        if (exception.getErrorCode() == SQLITE_BUSY || exception.getErrorCode() == SQLITE_LOCKED) {
            return fail(ErrorCode::InvalidArgument,
                        "Inglenook has the history open. Close its window first.");
        }
        return fail(ErrorCode::Io, "The history {} cannot be opened: {}.", path,
                    std::string(exception.what()));
    }
    return {};
}

}  // namespace ingle::history
