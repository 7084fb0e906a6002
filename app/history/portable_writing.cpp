/// Bringing conversations in.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/history/chats/folder_settings.h"
#include "app/history/chats/message_rows.h"
#include "app/history/chats/picture_rows.h"
#include "app/history/documents/document_rows.h"
#include "app/history/portable.h"
#include "app/history/search/search_index.h"
#include "app/history/trash/chores.h"

namespace ingle::history {
namespace {

/// What a number was given. 0 stays 0. Errors: Corrupt.
Result<RowId> rowOf(const std::map<Number, RowId>& rows, Number number, const char* what) {
    if (number == 0) return 0;
    if (const auto found = rows.find(number); found != rows.end()) return found->second;
    return fail(ErrorCode::Corrupt, "It refers to {} {}, which did not come before it.", what, number);
}

bool isObject(const std::string& text) {
    return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false).is_object();
}

/// Errors: Corrupt.
Status mustBeKnown(const std::set<Number>& known, Number number, const char* what) {
    if (number == 0 || known.contains(number)) return {};
    return fail(ErrorCode::Corrupt, "It refers to {} {}, which did not come before it.", what, number);
}

Result<RowId> folderRow(History& history, const PortableFolder& folder, RowId parent) {
    Database& database = history.database();
    auto same =
        database.prepare("SELECT id FROM folders WHERE parent_id IS nullif(?1, 0) AND name = ?2 ORDER BY id",
                         parent, folder.name);
    if (same.executeStep()) return same.getColumn(0).getInt64();
    database.execute("INSERT INTO folders (parent_id, name, position) VALUES (nullif(?1, 0), ?2, ?3)", parent,
                     folder.name, folder.position);
    const RowId id = database.sqlite().getLastInsertRowid();
    if (!folder.settings.empty()) INGLE_TRY(setFolderSettings(history, id, folder.settings));
    return id;
}

RowId profileRow(Database& database, const PortableProfile& profile) {
    auto same = database.prepare("SELECT id FROM profiles WHERE name = ?1 AND settings = ?2 ORDER BY id",
                                 profile.name, profile.settings);
    if (same.executeStep()) return same.getColumn(0).getInt64();
    database.execute("INSERT INTO profiles (name, settings) VALUES (?1, ?2)", profile.name, profile.settings);
    return database.sqlite().getLastInsertRowid();
}

/// Nothing is being written in a history that it has just come into.
MessageStatus settled(MessageStatus status) {
    return status == MessageStatus::Streaming ? MessageStatus::Interrupted : status;
}

}  // namespace

Status PortableWriting::addFolder(const PortableFolder& folder) {
    INGLE_TRY(mustBeKnown(m_knownFolders, folder.parent, "folder"));
    if (!folder.settings.empty() && !isObject(folder.settings)) {
        return fail(ErrorCode::Corrupt, "The settings of the folder \"{}\" are no JSON object.",
                    shown(folder.name));
    }
    m_knownFolders.insert(folder.id);
    m_folders.push_back(folder);
    return {};
}

Status PortableWriting::addProfile(const PortableProfile& profile) {
    if (!isObject(profile.settings)) {
        return fail(ErrorCode::Corrupt, "The settings of the profile \"{}\" are no JSON object.",
                    shown(profile.name));
    }
    m_knownProfiles.insert(profile.id);
    m_profiles.push_back(profile);
    return {};
}

Result<RowId> PortableWriting::addMessage(Database& database, RowId conversation,
                                          const PortableMessage& portable,
                                          const std::map<Number, RowId>& before) {
    Message message = portable.message;
    message.conversation = conversation;
    INGLE_TRY_ASSIGN(message.parent, rowOf(before, message.parent, "message"));
    INGLE_TRY_ASSIGN(message.firstKept, rowOf(before, message.firstKept, "message"));
    message.status = settled(message.status);
    for (size_t position = 0; position < std::min(portable.files.size(), message.parts.size()); ++position) {
        Part& part = message.parts[position];
        if (part.kind != PartKind::Image) continue;
        INGLE_TRY_ASSIGN(const RowId file, rowOf(m_files, portable.files[position], "file"));
        if (file != 0) part.data = hashOfRow(database, file);
    }
    INGLE_TRY_ASSIGN(const RowId id, insertMessage(database, message));
    for (size_t position = 0; position < std::min(portable.files.size(), message.parts.size()); ++position) {
        INGLE_TRY_ASSIGN(const RowId file, rowOf(m_files, portable.files[position], "file"));
        if (file == 0) continue;
        database.execute("UPDATE parts SET file_id = ?3 WHERE message_id = ?1 AND position = ?2", id,
                         position, file);
    }
    indexMessage(database, id, message.parts);
    return id;
}

Status PortableWriting::addDocument(History& history, const PortableDocument& document) {
    const NewDocument& content = document.content;
    for (const Passage& passage : content.passages) {
        if (passage.begin <= passage.end && passage.end <= content.text.size()) continue;
        return fail(ErrorCode::Corrupt, "A passage of the document \"{}\" lies outside of it.",
                    shown(content.title));
    }
    Database& database = history.database();
    return database.transact(Durability::Process, [&]() -> Status {
        RowId id = documentOfText(database, content.text);
        if (id == 0)
            id = insertDocument(database, content, OnShelf::Arriving, document.addedMs, document.usedMs);
        else
            putOnShelf(database, id, content, OnShelf::Arriving);
        m_documents[document.id] = id;
        if (document.onShelf) m_shelf.push_back(id);
        return {};
    });
}

Status PortableWriting::addConversation(Database& database, const PortableConversation& conversation) {
    INGLE_TRY(mustBeKnown(m_knownFolders, conversation.folder, "folder"));
    INGLE_TRY(mustBeKnown(m_knownProfiles, conversation.profile, "profile"));
    database.execute(
        "INSERT INTO conversations (title, created_ms, updated_ms, pinned, archived_ms, model_id, origin, "
        "trashed_ms) VALUES (?1, ?2, ?3, ?4, iif(?5, ?6, NULL), ?7, ?8, ?9)",
        conversation.title, conversation.createdMs, conversation.updatedMs, conversation.pinned,
        conversation.archivedMs.has_value(), conversation.archivedMs.value_or(0), conversation.modelId,
        conversation.origin, kArriving);
    const RowId id = database.sqlite().getLastInsertRowid();
    indexTitle(database, id, conversation.title);
    if (!conversation.draft.empty()) {
        database.execute("INSERT INTO drafts (conversation_id, text, updated_ms) VALUES (?1, ?2, ?3)", id,
                         conversation.draft, conversation.updatedMs);
    }
    for (size_t position = 0; position < conversation.documents.size(); ++position) {
        INGLE_TRY_ASSIGN(const RowId document,
                         rowOf(m_documents, conversation.documents[position], "document"));
        database.execute(
            "INSERT OR IGNORE INTO conversation_documents (conversation_id, position, document_id) "
            "VALUES (?1, ?2, ?3)",
            id, position, document);
    }
    // What it says of the hash is not believed.
    for (const PortableFile& file : conversation.files)
        m_files[file.id] = fileRow(database, {file.mediaType, file.content});
    std::map<Number, RowId> messages;
    for (const PortableMessage& message : conversation.messages) {
        if (message.message.id <= 0 || messages.contains(message.message.id)) {
            return fail(ErrorCode::Corrupt, "The conversation \"{}\" has two messages with the number {}.",
                        shown(conversation.title), message.message.id);
        }
        INGLE_TRY_ASSIGN(messages[message.message.id], addMessage(database, id, message, messages));
    }
    INGLE_TRY_ASSIGN(const RowId leaf, rowOf(messages, conversation.activeLeaf, "message"));
    database.execute("UPDATE conversations SET active_leaf = nullif(?2, 0) WHERE id = ?1", id, leaf);
    m_places.push_back({id, conversation.folder, conversation.profile});
    return {};
}

Status PortableWriting::addConversations(History& history,
                                         std::span<const PortableConversation> conversations) {
    Database& database = history.database();
    // As for shredding: others wait no longer than for the slice itself.
    database.setLogPages(kSliceLogPages);
    const Status added = database.transact(Durability::Process, [&]() -> Status {
        for (const PortableConversation& each : conversations) INGLE_TRY(addConversation(database, each));
        return {};
    });
    database.setLogPages(Database::kLogPages);
    return added;
}

Result<std::vector<RowId>> PortableWriting::finish(History& history) {
    Database& database = history.database();
    std::vector<RowId> conversations;
    INGLE_TRY(history.atOnce([&]() -> Status {
        std::map<Number, RowId> folders, profiles;
        for (const PortableFolder& folder : m_folders) {
            const RowId parent = folder.parent == 0 ? 0 : folders.at(folder.parent);
            INGLE_TRY_ASSIGN(folders[folder.id], folderRow(history, folder, parent));
        }
        for (const PortableProfile& profile : m_profiles)
            profiles[profile.id] = profileRow(database, profile);
        for (const Place& place : m_places) {
            conversations.push_back(place.conversation);
            if (place.folder == 0 && place.profile == 0) continue;
            database.execute(
                "UPDATE conversations SET folder_id = nullif(?2, 0), profile_id = nullif(?3, 0) "
                "WHERE id = ?1",
                place.conversation, place.folder == 0 ? 0 : folders.at(place.folder),
                place.profile == 0 ? 0 : profiles.at(place.profile));
        }
        for (const RowId document : m_shelf) {
            if (database.execute("UPDATE documents SET on_shelf = 1 WHERE id = ?1", document) != 1)
                return fail(ErrorCode::Io, "A document that came is gone again.");
        }
        database.execute("UPDATE documents SET on_shelf = 0 WHERE on_shelf = 2");
        const int arrived =
            database.execute("UPDATE conversations SET trashed_ms = NULL WHERE trashed_ms = ?1", kArriving);
        if (static_cast<size_t>(arrived) == m_places.size()) return {};
        return fail(ErrorCode::Io, "Another history was put in the place of {} meanwhile.", history.path());
    }));
    return conversations;
}

}  // namespace ingle::history
