/// Conversations and their drafts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/history/store/history.h"
#include "ingle/result.h"

namespace ingle::history {

struct Conversation {
    RowId id = 0;
    std::string title;
    int64_t createdMs = 0;  ///< Unix time, milliseconds
    int64_t updatedMs = 0;
    bool pinned = false;
    RowId activeLeaf = 0;    ///< last message of the branch shown; 0: empty
    std::string modelId;     ///< library id of the model last used here
    std::string draft;       ///< unsent text of the composer
    RowId folder = 0;        ///< 0: in none
    int64_t archivedMs = 0;  ///< 0: it is not
};

/// Pinned first, then by updatedMs descending.
Result<std::vector<Conversation>> conversations(HistoryReader& history);
/// Errors: InvalidArgument when there is none, or it is deleted.
Result<Conversation> conversation(HistoryReader& history, RowId id);

Result<RowId> createConversation(History& history, const std::string& title, const std::string& modelId);
Status renameConversation(History& history, RowId id, const std::string& title);
Status setPinned(History& history, RowId id, bool pinned);
Status setDraft(History& history, RowId id, const std::string& draft);
Status setActiveLeaf(History& history, RowId conversation, RowId leaf);
Status setModel(History& history, RowId conversation, const std::string& modelId);

/// Another conversation that begins with the branch down to that message, in the same folder. Errors:
/// InvalidArgument while the message is being written.
Result<RowId> copyBranch(History& history, RowId last);

}  // namespace ingle::history
