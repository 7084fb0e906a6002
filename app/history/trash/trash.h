/// The trash: what was deleted can be brought back until it expires or the trash is emptied.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/history/store/history.h"
#include "ingle/result.h"

namespace ingle::history {

/// Something that was deleted and can be brought back.
struct TrashEntry {
    RowId conversation = 0;
    RowId message = 0;    ///< with all that stands below it; 0: the whole conversation
    std::string title;    ///< of the conversation
    std::string excerpt;  ///< the beginning of the message
    int64_t trashedMs = 0;
};

/// Newest first.
Result<std::vector<TrashEntry>> trash(HistoryReader& history);

Status trashConversation(History& history, RowId id);
Status restoreConversation(History& history, RowId id);
/// With all that stands below it. Returns the conversation's active leaf: another one where this was in the
/// trashed part, namely below the version beside it, else what it answered; 0: nothing is left.
Result<RowId> trashMessage(History& history, RowId message);
/// Also what it stands below, its conversation included. Returns the active leaf: below it, or where it was
/// while an answer is being written there.
Result<RowId> restoreMessage(History& history, RowId message);
/// What is in the trash (expireTrash: since before that Unix time in milliseconds) cannot be brought back any
/// more; shredSlice() removes it.
Status emptyTrash(History& history);
Status expireTrash(History& history, int64_t beforeMs);

}  // namespace ingle::history
