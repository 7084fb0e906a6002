/// What has to be done before no file holds a deleted text any more. Private to app/history and its tests.
#pragma once

#include "app/history/database.h"

namespace ingle::history {

/// In their order. Each is kept in the file until it is done, so that a restart goes on with it.
enum class Chore {
    DeleteRows,      ///< messages and conversations with trashed_ms = 0, and their rows of the index
    BeginMerge,      ///< the index only marks what was deleted: its segments have to be written anew
    Merge,           ///< … piece by piece
    TruncateLog,     ///< the write-ahead log holds old pages
    ReplaceBackups,  ///< older copies
};

/// Throws as SQLiteCpp does; to be called in a transaction.
void addChore(Database& database, Chore chore);

}  // namespace ingle::history
