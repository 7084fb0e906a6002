/// The schema of the history file and the steps from one version to the next. docs/history-schema.md explains
/// the tables. Private to app/history and its tests.
#pragma once

#include <span>
#include <string>

#include "app/history/store/database.h"
#include "ingle/result.h"

namespace ingle::history {

/// What turns a file of version N into one of version N + 1, N being its place in the list.
struct Migration {
    const char* before = "";              ///< SQL
    Status (*move)(Database&) = nullptr;  ///< what SQL cannot say; throws as SQLiteCpp does
    const char* after = "";               ///< SQL
};

/// Every migration this program knows, one file for each; the first one creates the schema.
std::span<const Migration> allMigrations();

/// The file's PRAGMA user_version; 0 for an empty file. Errors: Corrupt when it is another program's file.
Result<int> schemaVersion(Database& database);

/// Brings the file from `version` to migrations.size() in one immediate transaction, after a copy of a
/// non-empty file to backupPath(); asks for the room that takes first. Errors: Io, Corrupt; the file is then
/// as it was.
Status migrate(Database& database, int version, std::span<const Migration> migrations);

}  // namespace ingle::history
