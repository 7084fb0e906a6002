/// What has to be done before no file holds a deleted text any more. Private to app/history and its tests.
#pragma once

#include "app/history/store/database.h"

namespace ingle::history {

// Of conversations; NULL: it is there.
inline constexpr int kDeletedForGood = 0;
inline constexpr int kArriving = -1;       ///< an import has not come to its end
inline constexpr int kArrivedInVain = -2;  ///< nor will it
/// Of the write-ahead log, which goes into the file when it is so long: a thousand, as usual, would keep
/// whoever writes waiting for longer than a slice of work does.
inline constexpr int kSliceLogPages = 200;

/// In their order. Each is kept in the file until it is done, so that a restart goes on with it.
enum class Chore {
    DropArrivals,    ///< conversations of imports that did not come to their end; nobody has seen them
    DeleteRows,      ///< messages and conversations with trashed_ms = 0, and their rows of the index
    BeginMerge,      ///< the index only marks what was deleted: its segments have to be written anew
    Merge,           ///< … piece by piece
    TruncateLog,     ///< the write-ahead log holds old pages
    ReplaceBackups,  ///< older copies
};

/// Throws as SQLiteCpp does; to be called in a transaction.
void addChore(Database& database, Chore chore);

}  // namespace ingle::history
