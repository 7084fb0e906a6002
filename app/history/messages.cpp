/// Reading the tree of messages.
#include "app/history/message_rows.h"

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

Result<Message> HistoryReader::message(RowId id) {
    return m_database->run([&] { return readMessage(*m_database, access(), id); });
}

Result<std::vector<Message>> HistoryReader::branch(RowId conversation, RowId leaf, int limit) {
    return m_database->run([&]() -> Result<std::vector<Message>> {
        RowId last = leaf;
        if (last == 0) {
            auto row =
                m_database->prepare("SELECT active_leaf FROM conversations WHERE id = ?1", conversation);
            if (row.executeStep()) last = row.getColumn(0).getInt64();
        }
        auto rows = m_database->prepare(kSelectBranch, conversation, last, limit);
        INGLE_TRY_ASSIGN(auto messages, readMessages(*m_database, access(), rows));
        if (messages.empty() && leaf != 0) {
            return fail(ErrorCode::InvalidArgument, "Conversation {} has no message {}.", conversation, leaf);
        }
        return messages;
    });
}

Result<std::vector<RowId>> HistoryReader::siblings(RowId message) {
    return m_database->run([&]() -> Result<std::vector<RowId>> {
        auto row = m_database->prepare(
            "SELECT s.id FROM messages m JOIN messages s ON s.conversation_id = m.conversation_id "
            "AND s.parent_id IS m.parent_id AND s.trashed_ms IS NULL WHERE m.id = ?1 ORDER BY s.id",
            message);
        std::vector<RowId> ids;
        while (row.executeStep()) ids.push_back(row.getColumn(0).getInt64());
        if (ids.empty()) return fail(ErrorCode::InvalidArgument, "The history has no message {}.", message);
        return ids;
    });
}

Result<RowId> HistoryReader::newestLeafBelow(RowId message, int steps) {
    return m_database->run([&]() -> Result<RowId> {
        INGLE_TRY(readMessage(*m_database, access(), message));
        auto child = m_database->prepare(
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

}  // namespace ingle::history
