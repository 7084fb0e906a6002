#include "app/history/chats/folders.h"

#include "app/history/chats/folder_settings.h"
#include "app/history/store/database.h"
#include "app/history/store/settings.h"

namespace ingle::history {
namespace {

constexpr const char* kNewProfileKey = "newConversationProfile";

/// The layer of a folder is a setting of this name: the table of folders has no column for it.
std::string profileKey(RowId folder) {
    return fmt::format("folderProfile.{}", folder);
}

}  // namespace

Result<std::string> folderSettings(HistoryReader& history, RowId folder) {
    INGLE_TRY_ASSIGN(const auto stored, setting(history, profileKey(folder)));
    return stored.value_or(std::string());
}

Status setFolderSettings(History& history, RowId folder, const std::string& settings) {
    return setSetting(history, profileKey(folder), settings);
}

Result<std::vector<Folder>> folders(HistoryReader& history) {
    Database& database = history.database();
    return database.run([&]() -> Result<std::vector<Folder>> {
        auto row = database.prepare("SELECT id, name FROM folders ORDER BY position, id");
        std::vector<Folder> folders;
        while (row.executeStep()) {
            Folder folder{row.getColumn(0).getInt64(), row.getColumn(1).getString(), {}};
            INGLE_TRY_ASSIGN(folder.profile, folderProfile(history, folder.id));
            folders.push_back(std::move(folder));
        }
        return folders;
    });
}

Result<Profile> folderProfile(HistoryReader& history, RowId folder) {
    INGLE_TRY_ASSIGN(const auto stored, setting(history, profileKey(folder)));
    return stored ? profileFromJson(*stored) : Profile{};
}

Result<Profile> conversationProfile(HistoryReader& history, RowId conversation) {
    Database& database = history.database();
    if (conversation == 0) {
        INGLE_TRY_ASSIGN(const auto stored, setting(history, kNewProfileKey));
        return stored ? profileFromJson(*stored) : Profile{};
    }
    return database.run([&]() -> Result<Profile> {
        auto row = database.prepare(
            "SELECT p.settings FROM conversations c JOIN profiles p ON p.id = c.profile_id WHERE c.id = ?1",
            conversation);
        return row.executeStep() ? profileFromJson(row.getColumn(0).getString()) : Profile{};
    });
}

Status setConversationProfile(History& history, RowId conversation, const Profile& profile) {
    Database& database = history.database();
    if (conversation == 0)
        return setSetting(history, kNewProfileKey, profile == Profile{} ? "" : profileJson(profile));
    return database.transact(Durability::Power, [&]() -> Status {
        INGLE_TRY(database.updateRow(
            Durability::Power, "UPDATE conversations SET profile_id = NULL WHERE id = ?1", conversation));
        if (profile != Profile{}) {
            database.execute("INSERT INTO profiles (name, settings) VALUES ('', ?1)", profileJson(profile));
            database.execute("UPDATE conversations SET profile_id = ?2 WHERE id = ?1", conversation,
                             database.sqlite().getLastInsertRowid());
        }
        // Those that were imported may be shared.
        database.execute(
            "DELETE FROM profiles WHERE id NOT IN (SELECT profile_id FROM conversations "
            "WHERE profile_id IS NOT NULL)");
        return {};
    });
}

Result<RowId> createFolder(History& history, const std::string& name) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Result<RowId> {
        database.execute("INSERT INTO folders (name, position) VALUES (?1, (SELECT count(*) FROM folders))",
                         name);
        return RowId{database.sqlite().getLastInsertRowid()};
    });
}

Status renameFolder(History& history, RowId folder, const std::string& name) {
    return history.database().updateRow(Durability::Power, "UPDATE folders SET name = ?2 WHERE id = ?1",
                                        folder, name);
}

Status setFolderProfile(History& history, RowId folder, const Profile& profile) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        if (profile != Profile{}) return setSetting(history, profileKey(folder), profileJson(profile));
        database.execute("DELETE FROM settings WHERE key = ?1", profileKey(folder));
        return {};
    });
}

Result<RemovedFolder> removeFolder(History& history, RowId folder) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Result<RemovedFolder> {
        RemovedFolder removed;
        INGLE_TRY_ASSIGN(const auto all, folders(history));
        for (const Folder& each : all) {
            if (each.id == folder) removed.folder = each;
        }
        if (removed.folder.id == 0)
            return fail(ErrorCode::InvalidArgument, "The history has no folder {}.", folder);
        auto row = database.prepare("SELECT id FROM conversations WHERE folder_id = ?1", folder);
        while (row.executeStep()) removed.conversations.push_back(row.getColumn(0).getInt64());
        database.execute("UPDATE conversations SET folder_id = NULL WHERE folder_id = ?1", folder);
        database.execute("DELETE FROM folders WHERE id = ?1", folder);
        INGLE_TRY(setFolderProfile(history, folder, {}));
        return removed;
    });
}

Status restoreFolder(History& history, const RemovedFolder& removed) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        database.execute(
            "INSERT INTO folders (id, name, position) VALUES (?1, ?2, (SELECT count(*) FROM folders))",
            removed.folder.id, removed.folder.name);
        INGLE_TRY(setFolderProfile(history, removed.folder.id, removed.folder.profile));
        return moveToFolder(history, removed.conversations, removed.folder.id);
    });
}

Status moveToFolder(History& history, std::span<const RowId> conversations, RowId folder) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        for (const RowId conversation : conversations) {
            INGLE_TRY(database.updateRow(Durability::Power,
                                         "UPDATE conversations SET folder_id = nullif(?2, 0), "
                                         "archived_ms = NULL WHERE id = ?1",
                                         conversation, folder));
        }
        return {};
    });
}

Status setArchived(History& history, std::span<const RowId> conversations, int64_t archivedMs) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        for (const RowId conversation : conversations) {
            INGLE_TRY(database.updateRow(Durability::Power,
                                         "UPDATE conversations SET archived_ms = nullif(?2, 0) WHERE id = ?1",
                                         conversation, archivedMs));
        }
        return {};
    });
}

}  // namespace ingle::history
