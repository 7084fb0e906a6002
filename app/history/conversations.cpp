/// Conversations, drafts, settings, and their deletion.
#include "app/history/clock.h"
#include "app/history/schema.h"
#include "app/history/sqlite_history.h"

namespace ingle::history {

namespace {

/// Conversations that are not deleted; to be followed by more conditions or an order.
const std::string kSelect =
    "SELECT c.id, c.title, c.created_ms, c.updated_ms, c.pinned, c.active_leaf, c.model_id, d.text "
    "FROM conversations c LEFT JOIN drafts d ON d.conversation_id = c.id WHERE c.deleted_ms IS NULL ";

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
    return conversation;
}

}  // namespace

Result<std::vector<Conversation>> SqliteHistory::conversations() {
    return m_database->run([&]() -> Result<std::vector<Conversation>> {
        auto row = m_database->prepare(kSelect + "ORDER BY c.pinned DESC, c.updated_ms DESC, c.id DESC");
        std::vector<Conversation> list;
        while (row.executeStep()) list.push_back(readConversation(row));
        return list;
    });
}

Result<Conversation> SqliteHistory::conversation(RowId id) {
    return m_database->run([&]() -> Result<Conversation> {
        auto row = m_database->prepare(kSelect + "AND c.id = ?1", id);
        if (!row.executeStep()) {
            return fail(ErrorCode::InvalidArgument, "Conversation {} no longer exists.", id);
        }
        return readConversation(row);
    });
}

Result<RowId> SqliteHistory::createConversation(const std::string& title, const std::string& modelId) {
    return write(Durability::Power, [&]() -> Result<RowId> {
        m_database->execute(
            "INSERT INTO conversations (title, created_ms, updated_ms, model_id) VALUES (?1, ?2, ?2, ?3)",
            title, nowMs(), modelId);
        const RowId id = m_database->sqlite().getLastInsertRowid();
        indexTitle(id, title);
        return id;
    });
}

Status SqliteHistory::renameConversation(RowId id, const std::string& title) {
    return write(Durability::Power, [&]() -> Status {
        if (m_database->execute("UPDATE conversations SET title = ?2 WHERE id = ?1", id, title) != 1) {
            return fail(ErrorCode::InvalidArgument, "The history has no conversation {}.", id);
        }
        indexTitle(id, title);
        return {};
    });
}

Status SqliteHistory::setPinned(RowId id, bool pinned) {
    return updateRow(Durability::Power, "UPDATE conversations SET pinned = ?2 WHERE id = ?1", id, pinned);
}

Status SqliteHistory::setDraft(RowId id, const std::string& draft) {
    return write(Durability::Process, [&]() -> Status {
        if (draft.empty()) {
            m_database->execute("DELETE FROM drafts WHERE conversation_id = ?1", id);
        } else {
            m_database->execute(
                "INSERT INTO drafts (conversation_id, text, updated_ms) VALUES (?1, ?2, ?3) "
                "ON CONFLICT DO UPDATE SET text = ?2, updated_ms = ?3",
                id, draft, nowMs());
        }
        return {};
    });
}

Status SqliteHistory::setActiveLeaf(RowId conversation, RowId leaf) {
    return updateRow(Durability::Power,
                     "UPDATE conversations SET active_leaf = nullif(?2, 0) WHERE id = ?1 AND "
                     "(?2 = 0 OR EXISTS (SELECT 1 FROM messages WHERE id = ?2 AND conversation_id = ?1))",
                     conversation, leaf);
}

Status SqliteHistory::setModel(RowId conversation, const std::string& modelId) {
    return updateRow(Durability::Power, "UPDATE conversations SET model_id = ?2 WHERE id = ?1", conversation,
                     modelId);
}

Status SqliteHistory::deleteConversation(RowId id) {
    return updateRow(Durability::Power, "UPDATE conversations SET deleted_ms = ?2 WHERE id = ?1", id,
                     nowMs());
}

Status SqliteHistory::undeleteConversation(RowId id) {
    return updateRow(Durability::Power, "UPDATE conversations SET deleted_ms = NULL WHERE id = ?1", id);
}

Status SqliteHistory::purgeDeleted() {
    const Status purged = write(Durability::Power, [&]() -> Status {
        const std::string gone = "(SELECT id FROM conversations WHERE deleted_ms IS NOT NULL)";
        if (m_database->sqlite().execAndGet("SELECT count(*) FROM " + gone).getInt() == 0) return {};
        // First, so that a backup that cannot be deleted is tried again next time.
        INGLE_TRY(removeBackups(m_database->path()));
        const std::string goneMessages = "(SELECT id FROM messages WHERE conversation_id IN " + gone + ")";
        m_database->execute("DELETE FROM search_index WHERE rowid IN " + goneMessages);
        m_database->execute("DELETE FROM search_index WHERE -rowid IN " + gone);
        m_database->execute("DELETE FROM messages WHERE conversation_id IN " + gone);
        m_database->execute("DELETE FROM conversations WHERE deleted_ms IS NOT NULL");
        // Deleting from an FTS5 table only adds marks; writing the index anew takes the words out of it.
        m_database->execute("INSERT INTO search_index (search_index) VALUES ('rebuild')");
        return {};
    });
    if (!purged) return purged;
    return m_database->run([&]() -> Status {
        auto checkpoint = m_database->prepare("PRAGMA wal_checkpoint(TRUNCATE)");
        checkpoint.executeStep();
        if (checkpoint.getColumn(0).getInt() != 0) {
            return fail(ErrorCode::Io, "Deleted text stays in {}-wal until another program stops reading it.",
                        m_database->path());
        }
        return {};
    });
}

Result<std::optional<std::string>> SqliteHistory::setting(const std::string& key) {
    return m_database->run([&]() -> Result<std::optional<std::string>> {
        auto row = m_database->prepare("SELECT value FROM settings WHERE key = ?1", key);
        if (!row.executeStep()) return std::nullopt;
        return row.getColumn(0).getString();
    });
}

Status SqliteHistory::setSetting(const std::string& key, const std::string& value) {
    return write(Durability::Power, [&]() -> Status {
        m_database->execute(
            "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2", key,
            value);
        return {};
    });
}

}  // namespace ingle::history
