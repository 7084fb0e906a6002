#include "app/history/chats/messages.h"

#include "app/history/chats/message_rows.h"
#include "app/history/chats/picture_rows.h"
#include "app/history/search/search_index.h"

namespace ingle::history {
namespace {

// A parent's id is smaller than its children's, which keeps a walk through a damaged file from going in
// circles.
const std::string kSelectBranch =
    "WITH RECURSIVE branch (id) AS ("
    " SELECT ?2 UNION ALL"
    " SELECT m.parent_id FROM branch JOIN messages m ON m.id = branch.id WHERE m.parent_id < m.id LIMIT "
    "?3) " +
    selectMessage() +
    "FROM branch JOIN messages m ON m.id = branch.id WHERE m.conversation_id = ?1 ORDER BY m.id";

}  // namespace

Result<Message> message(HistoryReader& history, RowId id) {
    Database& database = history.database();
    return database.run([&] { return readMessage(database, id); });
}

Result<std::vector<Message>> branch(HistoryReader& history, RowId conversation, RowId leaf, int limit) {
    Database& database = history.database();
    return database.run([&]() -> Result<std::vector<Message>> {
        RowId last = leaf;
        if (last == 0) {
            auto row = database.prepare("SELECT active_leaf FROM conversations WHERE id = ?1", conversation);
            if (row.executeStep()) last = row.getColumn(0).getInt64();
        }
        auto rows = database.prepare(kSelectBranch, conversation, last, limit);
        INGLE_TRY_ASSIGN(auto messages, readMessages(database, rows));
        if (messages.empty() && leaf != 0) {
            return fail(ErrorCode::InvalidArgument, "Conversation {} has no message {}.", conversation, leaf);
        }
        return messages;
    });
}

Result<std::vector<RowId>> siblings(HistoryReader& history, RowId message) {
    Database& database = history.database();
    return database.run([&]() -> Result<std::vector<RowId>> {
        auto row = database.prepare(
            "SELECT s.id FROM messages m JOIN messages s ON s.conversation_id = m.conversation_id "
            "AND s.parent_id IS m.parent_id AND s.trashed_ms IS NULL WHERE m.id = ?1 ORDER BY s.id",
            message);
        std::vector<RowId> ids;
        while (row.executeStep()) ids.push_back(row.getColumn(0).getInt64());
        if (ids.empty()) return fail(ErrorCode::InvalidArgument, "The history has no message {}.", message);
        return ids;
    });
}

Result<RowId> newestLeafBelow(HistoryReader& history, RowId message, int steps) {
    Database& database = history.database();
    return database.run([&]() -> Result<RowId> {
        INGLE_TRY(readMessage(database, message));
        auto child = database.prepare(
            "SELECT max(id) FROM messages WHERE parent_id = ?1 AND id > ?1 AND trashed_ms IS NULL", message);
        RowId leaf = message;
        while (steps-- != 0 && child.executeStep() && !child.getColumn(0).isNull()) {
            leaf = child.getColumn(0).getInt64();
            child.reset();
            child.bind(1, int64_t{leaf});
        }
        return leaf;
    });
}

Result<RowId> addUserMessage(History& history, RowId conversation, RowId parent,
                             const std::vector<Part>& parts) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Result<RowId> {
        Message message;
        message.conversation = conversation;
        message.parent = parent;
        message.parts = parts;
        for (const Part& part : parts) {
            if (part.kind == PartKind::Image && pictureRow(database, part.data) == 0)
                return fail(ErrorCode::InvalidArgument, "A picture of this message is not stored any more.");
        }
        INGLE_TRY_ASSIGN(const RowId id, appendMessage(database, message));
        indexMessage(database, id, parts);
        return id;
    });
}

Status replaceParts(History& history, RowId message, const std::vector<Part>& parts) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        database.execute("DELETE FROM parts WHERE message_id = ?1", message);
        storeParts(database, message, parts, 0);
        indexMessage(database, message, parts);
        return {};
    });
}

Status setMessagePinned(History& history, RowId message, bool pinned) {
    return history.database().updateRow(Durability::Power, "UPDATE messages SET pinned = ?2 WHERE id = ?1",
                                        message, pinned);
}

}  // namespace ingle::history
