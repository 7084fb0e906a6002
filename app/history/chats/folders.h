/// Folders of conversations, the archive, and the layers of values that folders and conversations have.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/history/chats/profile.h"
#include "app/history/store/history.h"
#include "ingle/result.h"

namespace ingle::history {

struct Folder {
    RowId id = 0;
    std::string name;
    Profile profile;  ///< of all conversations in it
};

/// What restoring it needs.
struct RemovedFolder {
    Folder folder;
    std::vector<RowId> conversations;
};

Result<std::vector<Folder>> folders(HistoryReader& history);  ///< in their order
Result<RowId> createFolder(History& history, const std::string& name);
Status renameFolder(History& history, RowId folder, const std::string& name);
/// Its conversations stay and are in no folder then.
Result<RemovedFolder> removeFolder(History& history, RowId folder);
Status restoreFolder(History& history, const RemovedFolder& removed);
/// All or none; 0: into no folder. What was archived is not any more.
Status moveToFolder(History& history, std::span<const RowId> conversations, RowId folder);
/// All or none. 0: back among the others.
Status setArchived(History& history, std::span<const RowId> conversations, int64_t archivedMs);

/// Of folder 0, or one that is gone: nothing is set.
Result<Profile> folderProfile(HistoryReader& history, RowId folder);
Status setFolderProfile(History& history, RowId folder, const Profile& profile);
/// 0: of the next new conversation.
Result<Profile> conversationProfile(HistoryReader& history, RowId conversation);
/// 0: of the next new conversation. Errors: InvalidArgument, when there is none of that number.
Status setConversationProfile(History& history, RowId conversation, const Profile& profile);

}  // namespace ingle::history
