/// Folders of conversations, the archive, and the layers of values that folders and conversations have.
#include "app/history/folder_settings.h"
#include "app/history/history.h"
#include "app/history/store/database.h"

namespace ingle::history {
namespace {

constexpr const char* kNewProfileKey = "newConversationProfile";

/// The layer of a folder is a setting of this name: the table of folders has no column for it.
std::string profileKey(RowId folder) {
    return fmt::format("folderProfile.{}", folder);
}

}  // namespace

Result<std::string> folderSettings(HistoryReader& history, RowId folder) {
    INGLE_TRY_ASSIGN(const auto stored, history.setting(profileKey(folder)));
    return stored.value_or(std::string());
}

Status setFolderSettings(History& history, RowId folder, const std::string& settings) {
    return history.setSetting(profileKey(folder), settings);
}

Result<std::vector<Folder>> HistoryReader::folders() {
    return m_database->run([&]() -> Result<std::vector<Folder>> {
        auto row = m_database->prepare("SELECT id, name FROM folders ORDER BY position, id");
        std::vector<Folder> folders;
        while (row.executeStep()) {
            Folder folder{row.getColumn(0).getInt64(), row.getColumn(1).getString(), {}};
            INGLE_TRY_ASSIGN(folder.profile, folderProfile(folder.id));
            folders.push_back(std::move(folder));
        }
        return folders;
    });
}

Result<Profile> HistoryReader::folderProfile(RowId folder) {
    INGLE_TRY_ASSIGN(const auto stored, setting(profileKey(folder)));
    return stored ? profileFromJson(*stored) : Profile{};
}

Result<Profile> HistoryReader::conversationProfile(RowId conversation) {
    if (conversation == 0) {
        INGLE_TRY_ASSIGN(const auto stored, setting(kNewProfileKey));
        return stored ? profileFromJson(*stored) : Profile{};
    }
    return m_database->run([&]() -> Result<Profile> {
        auto row = m_database->prepare(
            "SELECT p.settings FROM conversations c JOIN profiles p ON p.id = c.profile_id WHERE c.id = ?1",
            conversation);
        return row.executeStep() ? profileFromJson(row.getColumn(0).getString()) : Profile{};
    });
}

Status History::setConversationProfile(RowId conversation, const Profile& profile) {
    if (conversation == 0)
        return setSetting(kNewProfileKey, profile == Profile{} ? "" : profileJson(profile));
    return m_database->transact(Durability::Power, [&]() -> Status {
        INGLE_TRY(m_database->updateRow(
            Durability::Power, "UPDATE conversations SET profile_id = NULL WHERE id = ?1", conversation));
        if (profile != Profile{}) {
            m_database->execute("INSERT INTO profiles (name, settings) VALUES ('', ?1)",
                                profileJson(profile));
            m_database->execute("UPDATE conversations SET profile_id = ?2 WHERE id = ?1", conversation,
                                m_database->sqlite().getLastInsertRowid());
        }
        // Those that were imported may be shared.
        m_database->execute(
            "DELETE FROM profiles WHERE id NOT IN (SELECT profile_id FROM conversations "
            "WHERE profile_id IS NOT NULL)");
        return {};
    });
}

Result<RowId> History::createFolder(const std::string& name) {
    return m_database->transact(Durability::Power, [&]() -> Result<RowId> {
        m_database->execute(
            "INSERT INTO folders (name, position) VALUES (?1, (SELECT count(*) FROM folders))", name);
        return RowId{m_database->sqlite().getLastInsertRowid()};
    });
}

Status History::renameFolder(RowId folder, const std::string& name) {
    return m_database->updateRow(Durability::Power, "UPDATE folders SET name = ?2 WHERE id = ?1", folder,
                                 name);
}

Status History::setFolderProfile(RowId folder, const Profile& profile) {
    return m_database->transact(Durability::Power, [&]() -> Status {
        if (profile != Profile{}) return setSetting(profileKey(folder), profileJson(profile));
        m_database->execute("DELETE FROM settings WHERE key = ?1", profileKey(folder));
        return {};
    });
}

Result<RemovedFolder> History::removeFolder(RowId folder) {
    return m_database->transact(Durability::Power, [&]() -> Result<RemovedFolder> {
        RemovedFolder removed;
        INGLE_TRY_ASSIGN(const auto all, folders());
        for (const Folder& each : all) {
            if (each.id == folder) removed.folder = each;
        }
        if (removed.folder.id == 0)
            return fail(ErrorCode::InvalidArgument, "The history has no folder {}.", folder);
        auto row = m_database->prepare("SELECT id FROM conversations WHERE folder_id = ?1", folder);
        while (row.executeStep()) removed.conversations.push_back(row.getColumn(0).getInt64());
        m_database->execute("UPDATE conversations SET folder_id = NULL WHERE folder_id = ?1", folder);
        m_database->execute("DELETE FROM folders WHERE id = ?1", folder);
        INGLE_TRY(setFolderProfile(folder, {}));
        return removed;
    });
}

Status History::restoreFolder(const RemovedFolder& removed) {
    return m_database->transact(Durability::Power, [&]() -> Status {
        m_database->execute(
            "INSERT INTO folders (id, name, position) VALUES (?1, ?2, (SELECT count(*) FROM folders))",
            removed.folder.id, removed.folder.name);
        INGLE_TRY(setFolderProfile(removed.folder.id, removed.folder.profile));
        return moveToFolder(removed.conversations, removed.folder.id);
    });
}

Status History::moveToFolder(std::span<const RowId> conversations, RowId folder) {
    return m_database->transact(Durability::Power, [&]() -> Status {
        for (const RowId conversation : conversations) {
            INGLE_TRY(m_database->updateRow(Durability::Power,
                                            "UPDATE conversations SET folder_id = nullif(?2, 0), "
                                            "archived_ms = NULL WHERE id = ?1",
                                            conversation, folder));
        }
        return {};
    });
}

Status History::setArchived(std::span<const RowId> conversations, int64_t archivedMs) {
    return m_database->transact(Durability::Power, [&]() -> Status {
        for (const RowId conversation : conversations) {
            INGLE_TRY(m_database->updateRow(
                Durability::Power, "UPDATE conversations SET archived_ms = nullif(?2, 0) WHERE id = ?1",
                conversation, archivedMs));
        }
        return {};
    });
}

}  // namespace ingle::history
