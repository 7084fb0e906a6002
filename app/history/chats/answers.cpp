/// A streamed answer grows in the journal table answer_chunks, one small row per piece, and is moved into its
/// parts when it ends: rewriting a growing text for every token would cost quadratic time.
#include "app/history/chats/answers.h"

#include "app/codec/codec.h"
#include "app/codec/stored_error.h"
#include "app/history/chats/message_rows.h"
#include "app/history/chats/stored_json.h"
#include "app/history/chats/stored_values.h"
#include "app/history/search/search_index.h"
#include "app/history/store/clock.h"
#include "app/history/store/token_bytes.h"

namespace ingle::history {

namespace {

// What follows throws as SQLiteCpp does and is called inside run() or transact().

/// Adds to the journal: a row for each piece, the last one with the ids.
Status insertPieces(Database& database, RowId message, std::span<const PartPiece> pieces,
                    const std::vector<TokenId>& ids, const std::string& withheld) {
    SQLite::Statement& insert = database.prepareOnce(
        "INSERT INTO answer_chunks (message_id, kind, begins, text, data, token_ids, withheld) "
        "SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM messages WHERE id = ?1 AND status = 'streaming'");
    static const PartPiece kNoText;
    if (pieces.empty()) pieces = {&kNoText, 1};
    for (const PartPiece& piece : pieces) {
        const bool last = &piece == &pieces.back();
        insert.tryReset();  // the last run may have failed on a full disk
        Database::bindAll(insert, message, snakeNameOf(piece.kind), piece.begins, piece.text, piece.data,
                          last ? tokenBytes(ids) : std::span<const std::byte>(),
                          std::as_bytes(std::span(withheld)));
        if (insert.exec() != 1) {
            return fail(ErrorCode::InvalidArgument, "Message {} is not an answer being written.", message);
        }
    }
    return {};
}

/// Moves the journal of a streaming answer into its row and parts, with how it ended, and makes it
/// searchable.
Status settleAnswer(Database& database, RowId id, const AnswerEnd& end) {
    INGLE_TRY_ASSIGN(const Message answer, readMessage(database, id));
    if (answer.status != MessageStatus::Streaming) {
        return fail(ErrorCode::InvalidArgument, "Message {} is not an answer being written.", id);
    }
    const int64_t now = nowMs();
    // Only the last part that is stored already may have grown.
    const size_t stored = countStoredParts(database, id);
    storeParts(database, id, answer.parts, stored > 0 ? stored - 1 : 0);
    const Error error = codec::storedError(end.error);
    database.execute(
        "UPDATE messages SET token_ids = ?2, withheld = ?3, status = ?4, stop_reason = ?5, error = ?6, "
        "error_id = ?7, error_arguments = ?8, finished_ms = ?9 WHERE id = ?1",
        id, tokenBytes(answer.tokenIds), std::as_bytes(std::span(answer.withheld)), snakeNameOf(end.status),
        end.reason ? snakeNameOf(*end.reason) : "", error.message, error.id, textsJson(error.arguments), now);
    database.execute("DELETE FROM answer_chunks WHERE message_id = ?1", id);
    database.execute("UPDATE conversations SET updated_ms = ?2 WHERE id = ?1", answer.conversation, now);
    indexMessage(database, id, answer.parts);
    return {};
}

}  // namespace

Result<RowId> beginAnswer(History& history, RowId conversation, RowId parent, const std::string& modelId,
                          const std::string& modelName, const SamplerParams& sampler,
                          const std::optional<AnswerTerms>& terms) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&] {
        Message message;
        message.conversation = conversation;
        message.parent = parent;
        message.role = Role::Assistant;
        message.status = MessageStatus::Streaming;
        message.modelId = modelId;
        message.modelName = modelName;
        message.sampler = sampler;
        message.receipt.terms = terms;
        return appendMessage(database, message);
    });
}

Status appendAnswer(History& history, RowId message, std::span<const PartPiece> pieces,
                    const std::vector<TokenId>& ids, const std::string& withheld) {
    Database& database = history.database();
    return database.transact(Durability::Process,
                             [&] { return insertPieces(database, message, pieces, ids, withheld); });
}

Status setPrompt(History& history, RowId answer, uint64_t promptHash, RowId firstKept) {
    return history.database().updateRow(Durability::Process,
                                        "UPDATE messages SET prompt_hash = ?2, first_kept = ?3 WHERE id = ?1",
                                        answer, promptHash, firstKept);
}

Status finishAnswer(History& history, RowId message, const AnswerEnd& end) {
    Database& database = history.database();
    if (end.status == MessageStatus::Streaming) {
        return fail(ErrorCode::InvalidArgument, "An answer cannot end as streaming: message {}.", message);
    }
    return database.transact(Durability::Power, [&]() -> Status {
        INGLE_TRY(insertPieces(database, message, end.pieces, end.ids, end.withheld));
        INGLE_TRY(settleAnswer(database, message, end));
        const GenerateStats& stats = end.stats;
        database.execute(
            "UPDATE messages SET prompt_tokens = ?2, cached_tokens = ?3, new_tokens = ?4, prefill_ms = ?5, "
            "decode_ms = ?6, guessed_tokens = ?7, taken_tokens = ?8 WHERE id = ?1",
            message, stats.promptTokens, stats.cachedTokens, stats.newTokens, stats.prefillMs, stats.decodeMs,
            stats.guessedTokens, stats.takenTokens);
        if (!end.receipt.program.empty()) {
            INGLE_TRY_ASSIGN(Message answer, readMessage(database, message));
            answer.receipt.engine = end.receipt;
            database.execute("UPDATE messages SET receipt = ?2 WHERE id = ?1", message,
                             codec::textOf(ReceiptJson::write(answer.receipt)));
        }
        return {};
    });
}

Status resumeAnswer(History& history, RowId message) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        const int changed = database.execute(
            "UPDATE messages SET status = 'streaming', stop_reason = '', error = '', error_id = '', "
            "error_arguments = '[]', finished_ms = NULL "
            "WHERE id = ?1 AND role = 'assistant' AND status <> 'streaming'",
            message);
        if (changed != 1) {
            return fail(ErrorCode::InvalidArgument, "Message {} is not an answer that has ended.", message);
        }
        database.execute("DELETE FROM search_index WHERE rowid = ?1", message);
        return {};
    });
}

Status recoverInterrupted(History& history) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        auto row = database.prepare("SELECT id FROM messages WHERE status = 'streaming'");
        std::vector<RowId> ids;
        while (row.executeStep()) ids.push_back(row.getColumn(0).getInt64());
        AnswerEnd interrupted;
        interrupted.status = MessageStatus::Interrupted;
        for (const RowId id : ids) INGLE_TRY(settleAnswer(database, id, interrupted));
        return {};
    });
}

}  // namespace ingle::history
