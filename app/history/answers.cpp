/// Writing messages. A streamed answer grows in the journal table answer_chunks, one small row per call, and
/// is moved into its message row when it ends: rewriting a growing text for every token would cost quadratic
/// time.
#include "app/history/clock.h"
#include "app/history/sqlite_history.h"
#include "app/history/stored_values.h"

namespace ingle::history {

Result<RowId> SqliteHistory::insertMessage(const Message& message) {
    const int64_t now = nowMs();
    // The SELECT inserts nothing unless the conversation exists and the parent belongs to it.
    const int inserted = m_database->execute(
        "INSERT INTO messages (conversation_id, parent_id, role, text, status, model_id, model_name, "
        "temperature, top_k, top_p, seed, created_ms) "
        "SELECT id, nullif(?2, 0), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM conversations "
        "WHERE id = ?1 AND (?2 = 0 OR EXISTS "
        "(SELECT 1 FROM messages WHERE id = ?2 AND conversation_id = ?1))",
        message.conversation, message.parent, storedName(kRoleNames, message.role), message.text,
        storedName(kStatusNames, message.status), message.modelId, message.modelName,
        double{message.sampler.temperature}, message.sampler.topK, double{message.sampler.topP},
        message.sampler.seed, now);
    if (inserted != 1) {
        return fail(ErrorCode::InvalidArgument, "Conversation {} has no message {} to answer.",
                    message.conversation, message.parent);
    }
    const RowId id = m_database->sqlite().getLastInsertRowid();
    m_database->execute("UPDATE conversations SET active_leaf = ?2, updated_ms = ?3 WHERE id = ?1",
                        message.conversation, id, now);
    return id;
}

Result<RowId> SqliteHistory::addUserMessage(RowId conversation, RowId parent, const std::string& text) {
    return write(Durability::Power, [&]() -> Result<RowId> {
        Message message;
        message.conversation = conversation;
        message.parent = parent;
        message.text = text;
        INGLE_TRY_ASSIGN(const RowId id, insertMessage(message));
        indexMessage(id, text);
        return id;
    });
}

Result<RowId> SqliteHistory::beginAnswer(RowId conversation, RowId parent, const std::string& modelId,
                                         const std::string& modelName, const SamplerParams& sampler) {
    return write(Durability::Power, [&] {
        Message message;
        message.conversation = conversation;
        message.parent = parent;
        message.role = Role::Assistant;
        message.status = MessageStatus::Streaming;
        message.modelId = modelId;
        message.modelName = modelName;
        message.sampler = sampler;
        return insertMessage(message);
    });
}

Status SqliteHistory::appendAnswer(RowId message, std::string_view text, const std::vector<TokenId>& ids,
                                   const std::string& withheld) {
    return write(Durability::Process, [&] { return insertChunk(message, text, ids, withheld); });
}

Status SqliteHistory::insertChunk(RowId message, std::string_view text, const std::vector<TokenId>& ids,
                                  const std::string& withheld) {
    if (!m_appendChunk) {
        m_appendChunk.emplace(m_database->prepare(
            "INSERT INTO answer_chunks (message_id, text, token_ids, withheld) "
            "SELECT id, ?2, ?3, ?4 FROM messages WHERE id = ?1 AND status = 'streaming'"));
    }
    m_appendChunk->tryReset();  // the last run may have failed on a full disk
    Database::bindAll(*m_appendChunk, message, text, tokenBytes(ids), std::as_bytes(std::span(withheld)));
    if (m_appendChunk->exec() != 1) {
        return fail(ErrorCode::InvalidArgument, "Message {} is not an answer being written.", message);
    }
    return {};
}

Status SqliteHistory::setPromptHash(RowId message, uint64_t promptHash) {
    return updateRow(Durability::Process, "UPDATE messages SET prompt_hash = ?2 WHERE id = ?1", message,
                     promptHash);
}

Status SqliteHistory::settleAnswer(RowId id, MessageStatus status, const std::string& error) {
    INGLE_TRY_ASSIGN(const Message answer, readMessage(id));
    if (answer.status != MessageStatus::Streaming) {
        return fail(ErrorCode::InvalidArgument, "Message {} is not an answer being written.", id);
    }
    const int64_t now = nowMs();
    m_database->execute(
        "UPDATE messages SET text = ?2, token_ids = ?3, withheld = ?4, status = ?5, error = ?6, "
        "finished_ms = ?7 WHERE id = ?1",
        id, answer.text, tokenBytes(answer.tokenIds), std::as_bytes(std::span(answer.withheld)),
        storedName(kStatusNames, status), error, now);
    m_database->execute("DELETE FROM answer_chunks WHERE message_id = ?1", id);
    m_database->execute("UPDATE conversations SET updated_ms = ?2 WHERE id = ?1", answer.conversation, now);
    indexMessage(id, answer.text);
    return {};
}

Status SqliteHistory::finishAnswer(RowId message, const AnswerEnd& end) {
    if (end.status == MessageStatus::Streaming) {
        return fail(ErrorCode::InvalidArgument, "An answer cannot end as streaming: message {}.", message);
    }
    return write(Durability::Power, [&]() -> Status {
        INGLE_TRY(insertChunk(message, end.text, end.ids, end.withheld));
        INGLE_TRY(settleAnswer(message, end.status, end.error));
        const GenerateStats& stats = end.stats;
        m_database->execute(
            "UPDATE messages SET prompt_tokens = ?2, cached_tokens = ?3, new_tokens = ?4, prefill_ms = ?5, "
            "decode_ms = ?6 WHERE id = ?1",
            message, stats.promptTokens, stats.cachedTokens, stats.newTokens, stats.prefillMs,
            stats.decodeMs);
        return {};
    });
}

Status SqliteHistory::resumeAnswer(RowId message) {
    return write(Durability::Power, [&]() -> Status {
        const int changed = m_database->execute(
            "UPDATE messages SET status = 'streaming', error = '', finished_ms = NULL "
            "WHERE id = ?1 AND role = 'assistant' AND status <> 'streaming'",
            message);
        if (changed != 1) {
            return fail(ErrorCode::InvalidArgument, "Message {} is not an answer that has ended.", message);
        }
        m_database->execute("DELETE FROM search_index WHERE rowid = ?1", message);
        return {};
    });
}

Status SqliteHistory::recoverInterrupted() {
    return write(Durability::Power, [&]() -> Status {
        auto row = m_database->prepare("SELECT id FROM messages WHERE status = 'streaming'");
        std::vector<RowId> ids;
        while (row.executeStep()) ids.push_back(row.getColumn(0).getInt64());
        for (const RowId id : ids) INGLE_TRY(settleAnswer(id, MessageStatus::Interrupted, ""));
        return {};
    });
}

}  // namespace ingle::history
