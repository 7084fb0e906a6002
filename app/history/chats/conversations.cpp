#include "app/history/chats/conversations.h"

#include "app/history/search/search_index.h"
#include "app/history/store/clock.h"
#include "app/history/store/database.h"

namespace ingle::history {

namespace {

/// Conversations that are not deleted; to be followed by more conditions or an order.
const std::string kSelect =
    "SELECT c.id, c.title, c.created_ms, c.updated_ms, c.pinned, c.active_leaf, c.model_id, d.text, "
    "c.folder_id, c.archived_ms "
    "FROM conversations c LEFT JOIN drafts d ON d.conversation_id = c.id WHERE c.trashed_ms IS NULL ";

Conversation readConversation(SQLite::Statement& row) {
    Conversation conversation;
    conversation.id = row.getColumn(0).getInt64();
    conversation.title = row.getColumn(1).getString();
    conversation.createdMs = row.getColumn(2).getInt64();
    conversation.updatedMs = row.getColumn(3).getInt64();
    conversation.pinned = row.getColumn(4).getInt() != 0;
    conversation.activeLeaf = row.getColumn(5).getInt64();
    conversation.modelId = row.getColumn(6).getString();
    conversation.draft = row.getColumn(7).getString();
    conversation.folder = row.getColumn(8).getInt64();
    conversation.archivedMs = row.getColumn(9).getInt64();
    return conversation;
}

}  // namespace

Result<std::vector<Conversation>> conversations(HistoryReader& history) {
    Database& database = history.database();
    return database.run([&]() -> Result<std::vector<Conversation>> {
        auto row = database.prepare(kSelect + "ORDER BY c.pinned DESC, c.updated_ms DESC, c.id DESC");
        std::vector<Conversation> list;
        while (row.executeStep()) list.push_back(readConversation(row));
        return list;
    });
}

Result<Conversation> conversation(HistoryReader& history, RowId id) {
    Database& database = history.database();
    return database.run([&]() -> Result<Conversation> {
        auto row = database.prepare(kSelect + "AND c.id = ?1", id);
        if (!row.executeStep()) {
            return fail(ErrorCode::InvalidArgument, "Conversation {} no longer exists.", id);
        }
        return readConversation(row);
    });
}

Result<RowId> createConversation(History& history, const std::string& title, const std::string& modelId) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Result<RowId> {
        database.execute(
            "INSERT INTO conversations (title, created_ms, updated_ms, model_id) VALUES (?1, ?2, ?2, ?3)",
            title, nowMs(), modelId);
        const RowId id = database.sqlite().getLastInsertRowid();
        indexTitle(database, id, title);
        return id;
    });
}

Status renameConversation(History& history, RowId id, const std::string& title) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        if (database.execute("UPDATE conversations SET title = ?2 WHERE id = ?1", id, title) != 1) {
            return fail(ErrorCode::InvalidArgument, "The history has no conversation {}.", id);
        }
        indexTitle(database, id, title);
        return {};
    });
}

Status setPinned(History& history, RowId id, bool pinned) {
    return history.database().updateRow(Durability::Power,
                                        "UPDATE conversations SET pinned = ?2 WHERE id = ?1", id, pinned);
}

Status setDraft(History& history, RowId id, const std::string& draft) {
    Database& database = history.database();
    return database.transact(Durability::Process, [&]() -> Status {
        if (draft.empty()) {
            database.execute("DELETE FROM drafts WHERE conversation_id = ?1", id);
        } else {
            database.execute(
                "INSERT INTO drafts (conversation_id, text, updated_ms) VALUES (?1, ?2, ?3) "
                "ON CONFLICT DO UPDATE SET text = ?2, updated_ms = ?3",
                id, draft, nowMs());
        }
        return {};
    });
}

Status setActiveLeaf(History& history, RowId conversation, RowId leaf) {
    return history.database().updateRow(
        Durability::Power,
        "UPDATE conversations SET active_leaf = nullif(?2, 0) WHERE id = ?1 AND "
        "(?2 = 0 OR EXISTS (SELECT 1 FROM messages WHERE id = ?2 AND conversation_id = ?1 "
        "AND trashed_ms IS NULL))",
        conversation, leaf);
}

Status setModel(History& history, RowId conversation, const std::string& modelId) {
    return history.database().updateRow(
        Durability::Power, "UPDATE conversations SET model_id = ?2 WHERE id = ?1", conversation, modelId);
}

}  // namespace ingle::history
