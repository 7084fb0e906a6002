/// Bringing conversations in.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/history/message_rows.h"
#include "app/history/portable.h"
#include "app/history/search_index.h"
#include "app/history/stored_json.h"
#include "app/history/stored_values.h"

namespace ingle::history {
namespace {

/// What a number was given. 0 stays 0. Errors: Corrupt.
Result<RowId> rowOf(const std::map<Number, RowId>& rows, Number number, const char* what) {
    if (number == 0) return 0;
    if (const auto found = rows.find(number); found != rows.end()) return found->second;
    return fail(ErrorCode::Corrupt, "It refers to {} {}, which did not come before it.", what, number);
}

/// Nothing is being written in a history that it has just come into.
MessageStatus settled(MessageStatus status) {
    return status == MessageStatus::Streaming ? MessageStatus::Interrupted : status;
}

}  // namespace

Status PortableWriting::addFolder(const PortableFolder& folder) {
    return m_history.atOnce([&]() -> Status {
        INGLE_TRY_ASSIGN(const RowId parent, rowOf(m_folders, folder.parent, "folder"));
        Database& database = m_history.database();
        auto same = database.prepare(
            "SELECT id FROM folders WHERE parent_id IS nullif(?1, 0) AND name = ?2 ORDER BY id", parent,
            folder.name);
        if (same.executeStep()) {
            m_folders[folder.id] = same.getColumn(0).getInt64();
            return {};
        }
        database.execute("INSERT INTO folders (parent_id, name, position) VALUES (nullif(?1, 0), ?2, ?3)",
                         parent, folder.name, folder.position);
        m_folders[folder.id] = database.sqlite().getLastInsertRowid();
        return {};
    });
}

Status PortableWriting::addProfile(const PortableProfile& profile) {
    if (!nlohmann::json::parse(profile.settings, nullptr, /*allow_exceptions=*/false).is_object()) {
        return fail(ErrorCode::Corrupt, "The settings of the profile \"{}\" are no JSON object.",
                    shown(profile.name));
    }
    return m_history.atOnce([&]() -> Status {
        Database& database = m_history.database();
        auto same = database.prepare("SELECT id FROM profiles WHERE name = ?1 AND settings = ?2 ORDER BY id",
                                     profile.name, profile.settings);
        if (same.executeStep()) {
            m_profiles[profile.id] = same.getColumn(0).getInt64();
            return {};
        }
        database.execute("INSERT INTO profiles (name, settings) VALUES (?1, ?2)", profile.name,
                         profile.settings);
        m_profiles[profile.id] = database.sqlite().getLastInsertRowid();
        return {};
    });
}

/// A file that is here already is used; a hash that another content has here is not believed.
Status PortableWriting::addFile(const PortableFile& file) {
    Database& database = m_history.database();
    const auto hash = std::as_bytes(std::span(file.hash));
    bool taken = false;
    if (!file.hash.empty()) {
        auto same = database.prepare("SELECT id, content = ?2 FROM files WHERE hash = ?1", hash,
                                     std::as_bytes(std::span(file.content)));
        if (same.executeStep()) {
            taken = true;
            if (same.getColumn(1).getInt() != 0) {
                m_files[file.id] = same.getColumn(0).getInt64();
                return {};
            }
        }
    }
    auto insert = database.prepare("INSERT INTO files (hash, media_type, content) VALUES (?1, ?2, ?3)",
                                   nullptr, file.mediaType, std::as_bytes(std::span(file.content)));
    if (!file.hash.empty() && !taken) insert.bind(1, file.hash.data(), static_cast<int>(file.hash.size()));
    insert.exec();
    m_files[file.id] = database.sqlite().getLastInsertRowid();
    return {};
}

Result<RowId> PortableWriting::addMessage(RowId conversation, const PortableMessage& portable,
                                          const std::map<Number, RowId>& before) {
    Database& database = m_history.database();
    const Message& message = portable.message;
    INGLE_TRY_ASSIGN(const RowId parent, rowOf(before, message.parent, "message"));
    INGLE_TRY_ASSIGN(const RowId firstKept, rowOf(before, message.firstKept, "message"));
    const MessageStatus status = settled(message.status);
    database.execute(
        "INSERT INTO messages (conversation_id, parent_id, role, status, stop_reason, error, error_id, "
        "error_arguments, pinned, first_kept, prompt_hash, model_id, model_name, sampler, seed, receipt, "
        "prompt_tokens, cached_tokens, new_tokens, prefill_ms, decode_ms, created_ms, finished_ms, withheld, "
        "token_ids) VALUES (?1, nullif(?2, 0), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
        "?16, ?17, ?18, ?19, ?20, ?21, ?22, iif(?23, ?24, NULL), ?25, ?26)",
        conversation, parent, storedName(kRoleNames, message.role), storedName(kStatusNames, status),
        message.stopReason ? storedName(kStopReasonNames, *message.stopReason) : std::string_view(),
        message.error, message.errorId, textsJson(message.errorArguments), message.pinned, firstKept,
        message.promptHash, message.modelId, message.modelName, samplerJson(message.sampler),
        message.sampler.seed, receiptJson(message.receipt), message.stats.promptTokens,
        message.stats.cachedTokens, message.stats.newTokens, message.stats.prefillMs, message.stats.decodeMs,
        message.createdMs, portable.finishedMs.has_value(), portable.finishedMs.value_or(0),
        std::as_bytes(std::span(message.withheld)), tokenBytes(message.tokenIds));
    const RowId id = database.sqlite().getLastInsertRowid();
    storeParts(database, id, message.parts, 0);
    for (size_t position = 0; position < std::min(portable.files.size(), message.parts.size()); ++position) {
        INGLE_TRY_ASSIGN(const RowId file, rowOf(m_files, portable.files[position], "file"));
        if (file == 0) continue;
        database.execute("UPDATE parts SET file_id = ?3 WHERE message_id = ?1 AND position = ?2", id,
                         position, file);
    }
    indexMessage(database, id, message.parts);
    return id;
}

Result<RowId> PortableWriting::addConversation(const PortableConversation& conversation) {
    RowId id = 0;
    INGLE_TRY(m_history.atOnce([&]() -> Status {
        Database& database = m_history.database();
        INGLE_TRY_ASSIGN(const RowId folder, rowOf(m_folders, conversation.folder, "folder"));
        INGLE_TRY_ASSIGN(const RowId profile, rowOf(m_profiles, conversation.profile, "profile"));
        database.execute(
            "INSERT INTO conversations (title, created_ms, updated_ms, pinned, archived_ms, folder_id, "
            "profile_id, model_id, origin) VALUES (?1, ?2, ?3, ?4, iif(?5, ?6, NULL), nullif(?7, 0), "
            "nullif(?8, 0), ?9, ?10)",
            conversation.title, conversation.createdMs, conversation.updatedMs, conversation.pinned,
            conversation.archivedMs.has_value(), conversation.archivedMs.value_or(0), folder, profile,
            conversation.modelId, conversation.origin);
        id = database.sqlite().getLastInsertRowid();
        indexTitle(database, id, conversation.title);
        if (!conversation.draft.empty()) {
            database.execute("INSERT INTO drafts (conversation_id, text, updated_ms) VALUES (?1, ?2, ?3)", id,
                             conversation.draft, conversation.updatedMs);
        }
        for (const PortableFile& file : conversation.files) INGLE_TRY(addFile(file));
        std::map<Number, RowId> messages;
        for (const PortableMessage& message : conversation.messages) {
            if (message.message.id <= 0 || messages.contains(message.message.id)) {
                return fail(ErrorCode::Corrupt,
                            "The conversation \"{}\" has two messages with the number {}.",
                            shown(conversation.title), message.message.id);
            }
            INGLE_TRY_ASSIGN(messages[message.message.id], addMessage(id, message, messages));
        }
        INGLE_TRY_ASSIGN(const RowId leaf, rowOf(messages, conversation.activeLeaf, "message"));
        database.execute("UPDATE conversations SET active_leaf = nullif(?2, 0) WHERE id = ?1", id, leaf);
        return {};
    }));
    return id;
}

}  // namespace ingle::history
