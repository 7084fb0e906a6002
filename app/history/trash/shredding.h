/// Removing for good what nobody can bring back any more.
#pragma once

#include <chrono>

#include "app/history/store/history.h"
#include "ingle/result.h"

namespace ingle::history {

/// How far removing for good has come.
enum class ShredState {
    Done,
    Working,      ///< more slices
    Waiting,      ///< somebody reads what the log holds: once more, later
    BackupsLeft,  ///< only older backups hold it: replaceBackups(), then backupsReplaced()
};

/// A piece of removing for good, about as long as `budget`: rows, words of the search index, free pages, the
/// log. When it is Done no file holds a deleted text. Survives a restart. Errors: Io.
Result<ShredState> shredSlice(History& history, std::chrono::milliseconds budget);
/// Rows were marked that nobody needs any more.
Status deleteRowsSoon(History& history);
/// Lets go what an import brought that did not come to its end: shredSlice() removes it.
Status dropArrivals(History& history);
/// Lets go pictures that neither a message nor a draft names.
Status dropLooseFiles(History& history);
Status backupsReplaced(History& history);

}  // namespace ingle::history
