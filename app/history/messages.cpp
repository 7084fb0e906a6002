/// Reading the tree of messages.
#include "app/history/sqlite_history.h"
#include "app/history/stored_values.h"

namespace ingle::history {
namespace {

// `m` is the message. A parent's id is smaller than its children's, which keeps a walk through a damaged file
// from going in circles.
const std::string kSelectMessage =
    "SELECT m.id, m.conversation_id, m.parent_id, m.role, m.text, m.token_ids, m.withheld, m.prompt_hash, "
    "m.status, m.error, m.model_id, m.model_name, m.temperature, m.top_k, m.top_p, m.seed, m.prompt_tokens, "
    "m.cached_tokens, m.new_tokens, m.prefill_ms, m.decode_ms, m.created_ms, "
    "(SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id "
    " AND s.parent_id IS m.parent_id AND s.id < m.id), "
    "(SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id "
    " AND s.parent_id IS m.parent_id) ";

const std::string kSelectBranch =
    "WITH RECURSIVE branch (id) AS ("
    " SELECT ?2 UNION ALL"
    " SELECT m.parent_id FROM branch JOIN messages m ON m.id = branch.id WHERE m.parent_id < m.id) " +
    kSelectMessage +
    "FROM branch JOIN messages m ON m.id = branch.id WHERE m.conversation_id = ?1 ORDER BY m.id";

}  // namespace

Result<std::vector<Message>> SqliteHistory::readMessages(SQLite::Statement& rows) {
    std::vector<Message> messages;
    while (rows.executeStep()) {
        Message message;
        int column = 0;
        const auto next = [&] { return rows.getColumn(column++); };
        message.id = next().getInt64();
        message.conversation = next().getInt64();
        message.parent = next().getInt64();
        const std::string role = next().getString();
        message.text = next().getString();
        const SQLite::Column ids = next();
        const void* idBytes = ids.getBlob();
        appendTokens(message.tokenIds, idBytes, static_cast<size_t>(ids.getBytes()));
        message.withheld = next().getString();
        message.promptHash = static_cast<uint64_t>(next().getInt64());
        const std::string status = next().getString();
        message.error = next().getString();
        message.modelId = next().getString();
        message.modelName = next().getString();
        message.sampler.temperature = static_cast<float>(next().getDouble());
        message.sampler.topK = next().getInt();
        message.sampler.topP = static_cast<float>(next().getDouble());
        message.sampler.seed = static_cast<uint64_t>(next().getInt64());
        message.stats.promptTokens = next().getUInt();
        message.stats.cachedTokens = next().getUInt();
        message.stats.newTokens = next().getUInt();
        message.stats.prefillMs = next().getDouble();
        message.stats.decodeMs = next().getDouble();
        message.createdMs = next().getInt64();
        message.siblingIndex = next().getInt();
        message.siblingCount = next().getInt();

        const auto knownRole = fromStoredName(kRoleNames, role);
        const auto knownStatus = fromStoredName(kStatusNames, status);
        if (!knownRole || !knownStatus) {
            return fail(ErrorCode::Corrupt, "The history holds a message with role \"{}\" and status \"{}\".",
                        role, status);
        }
        message.role = *knownRole;
        message.status = *knownStatus;
        if (message.status == MessageStatus::Streaming) {
            readJournal(message);
            // Nobody writes to a file that is read-only: what looks like streaming was interrupted.
            if (m_access == Access::ReadOnly) message.status = MessageStatus::Interrupted;
        }
        messages.push_back(std::move(message));
    }
    return messages;
}

void SqliteHistory::readJournal(Message& message) {
    auto chunk = m_database->prepare(
        "SELECT text, token_ids, withheld FROM answer_chunks WHERE message_id = ?1 ORDER BY id", message.id);
    while (chunk.executeStep()) {
        message.text += chunk.getColumn(0).getString();
        const SQLite::Column ids = chunk.getColumn(1);
        const void* idBytes = ids.getBlob();
        appendTokens(message.tokenIds, idBytes, static_cast<size_t>(ids.getBytes()));
        message.withheld = chunk.getColumn(2).getString();
    }
}

Result<Message> SqliteHistory::readMessage(RowId id) {
    auto row = m_database->prepare(kSelectMessage + "FROM messages m WHERE m.id = ?1", id);
    INGLE_TRY_ASSIGN(auto messages, readMessages(row));
    if (messages.empty()) return fail(ErrorCode::InvalidArgument, "The history has no message {}.", id);
    return std::move(messages.front());
}

Result<Message> SqliteHistory::message(RowId id) {
    return m_database->run([&] { return readMessage(id); });
}

Result<std::vector<Message>> SqliteHistory::branch(RowId conversation, RowId leaf) {
    return m_database->run([&]() -> Result<std::vector<Message>> {
        RowId last = leaf;
        if (last == 0) {
            auto row =
                m_database->prepare("SELECT active_leaf FROM conversations WHERE id = ?1", conversation);
            if (row.executeStep()) last = row.getColumn(0).getInt64();
        }
        auto rows = m_database->prepare(kSelectBranch, conversation, last);
        INGLE_TRY_ASSIGN(auto messages, readMessages(rows));
        if (messages.empty() && leaf != 0) {
            return fail(ErrorCode::InvalidArgument, "Conversation {} has no message {}.", conversation, leaf);
        }
        return messages;
    });
}

Result<std::vector<RowId>> SqliteHistory::siblings(RowId message) {
    return m_database->run([&]() -> Result<std::vector<RowId>> {
        auto row = m_database->prepare(
            "SELECT s.id FROM messages m JOIN messages s ON s.conversation_id = m.conversation_id "
            "AND s.parent_id IS m.parent_id WHERE m.id = ?1 ORDER BY s.id",
            message);
        std::vector<RowId> ids;
        while (row.executeStep()) ids.push_back(row.getColumn(0).getInt64());
        if (ids.empty()) return fail(ErrorCode::InvalidArgument, "The history has no message {}.", message);
        return ids;
    });
}

Result<RowId> SqliteHistory::newestLeafBelow(RowId message) {
    return m_database->run([&]() -> Result<RowId> {
        INGLE_TRY(readMessage(message));
        auto child =
            m_database->prepare("SELECT max(id) FROM messages WHERE parent_id = ?1 AND id > ?1", message);
        RowId leaf = message;
        while (child.executeStep() && !child.getColumn(0).isNull()) {
            leaf = child.getColumn(0).getInt64();
            child.reset();
            child.bind(1, int64_t{leaf});
        }
        return leaf;
    });
}

}  // namespace ingle::history
