#include "app/history/message_rows.h"

#include "app/history/stored_json.h"
#include "app/history/stored_values.h"
#include "ingle/error_ids.h"

namespace ingle::history {
namespace {

Result<PartKind> partKind(const std::string& name) {
    if (const auto kind = fromStoredName(kPartKindNames, name)) return *kind;
    return withId<ErrorId::HistoryDamaged>(
        fail(ErrorCode::Corrupt, "The history holds a part of the kind \"{}\".", shown(name)));
}

void appendTokensOf(const SQLite::Column& column, std::vector<TokenId>& ids) {
    const void* bytes = column.getBlob();
    appendTokens(ids, bytes, static_cast<size_t>(column.getBytes()));
}

Status readParts(SQLite::Statement& row, Message& message) {
    while (row.executeStep()) {
        INGLE_TRY_ASSIGN(const PartKind kind, partKind(row.getColumn(0).getString()));
        message.parts.push_back({kind, row.getColumn(1).getString(), row.getColumn(2).getString()});
    }
    return {};
}

/// Adds the journal of a streaming answer to what its row holds.
Status readJournal(Database& database, Message& message) {
    auto row = database.prepare(
        "SELECT kind, begins, text, data, token_ids, withheld FROM answer_chunks WHERE message_id = ?1 "
        "ORDER BY id",
        message.id);
    while (row.executeStep()) {
        INGLE_TRY_ASSIGN(const PartKind kind, partKind(row.getColumn(0).getString()));
        const PartPiece piece{kind, row.getColumn(2).getString(), row.getColumn(3).getString(),
                              row.getColumn(1).getInt() != 0};
        // A step without text only brings ids.
        if (piece.begins || !piece.text.empty() || !piece.data.empty()) append(message.parts, piece);
        appendTokensOf(row.getColumn(4), message.tokenIds);
        message.withheld = row.getColumn(5).getString();
    }
    return {};
}

Result<Message> readRow(SQLite::Statement& row) {
    Message message;
    int column = 0;
    const auto next = [&] { return row.getColumn(column++); };
    message.id = next().getInt64();
    message.conversation = next().getInt64();
    message.parent = next().getInt64();
    const std::string role = next().getString();
    appendTokensOf(next(), message.tokenIds);
    message.withheld = next().getString();
    message.promptHash = static_cast<uint64_t>(next().getInt64());
    message.firstKept = next().getInt64();
    const std::string status = next().getString();
    message.stopReason = fromStoredName(kStopReasonNames, next().getString());
    message.error = next().getString();
    message.errorId = next().getString();
    message.errorArguments = textsFromJson(next().getString());
    message.pinned = next().getInt() != 0;
    message.modelId = next().getString();
    message.modelName = next().getString();
    message.sampler = samplerFromJson(next().getString());
    message.sampler.seed = static_cast<uint64_t>(next().getInt64());
    message.receipt = receiptFromJson(next().getString());
    message.stats.promptTokens = next().getUInt();
    message.stats.cachedTokens = next().getUInt();
    message.stats.newTokens = next().getUInt();
    message.stats.prefillMs = next().getDouble();
    message.stats.decodeMs = next().getDouble();
    message.stats.guessedTokens = next().getUInt();
    message.stats.takenTokens = next().getUInt();
    message.createdMs = next().getInt64();
    message.siblingIndex = next().getInt();
    message.siblingCount = next().getInt();

    const auto knownRole = fromStoredName(kRoleNames, role);
    const auto knownStatus = fromStoredName(kStatusNames, status);
    if (!knownRole || !knownStatus) {
        return withId<ErrorId::HistoryDamaged>(
            fail(ErrorCode::Corrupt, "The history holds a message with role \"{}\" and status \"{}\".",
                 shown(role), shown(status)));
    }
    message.role = *knownRole;
    message.status = *knownStatus;
    return message;
}

}  // namespace

Result<std::vector<Message>> readMessages(Database& database, HistoryReader::Access access,
                                          SQLite::Statement& rows) {
    auto parts =
        database.prepare("SELECT kind, text, data FROM parts WHERE message_id = ?1 ORDER BY position");
    std::vector<Message> messages;
    while (rows.executeStep()) {
        INGLE_TRY_ASSIGN(Message message, readRow(rows));
        parts.reset();
        Database::bindAll(parts, message.id);
        INGLE_TRY(readParts(parts, message));
        if (message.status == MessageStatus::Streaming) {
            INGLE_TRY(readJournal(database, message));
            // Nobody writes to a file that is read-only: what looks like streaming was interrupted.
            if (access == HistoryReader::Access::ReadOnly) message.status = MessageStatus::Interrupted;
        }
        messages.push_back(std::move(message));
    }
    return messages;
}

Result<Message> readMessage(Database& database, HistoryReader::Access access, RowId id) {
    auto row = database.prepare(fmt::format("{}FROM messages m WHERE m.id = ?1", kSelectMessage), id);
    INGLE_TRY_ASSIGN(auto messages, readMessages(database, access, row));
    if (messages.empty()) return fail(ErrorCode::InvalidArgument, "The history has no message {}.", id);
    return std::move(messages.front());
}

size_t countStoredParts(Database& database, RowId message) {
    auto row = database.prepare("SELECT count(*) FROM parts WHERE message_id = ?1", message);
    row.executeStep();
    return static_cast<size_t>(row.getColumn(0).getInt64());
}

void storeParts(Database& database, RowId message, std::span<const Part> parts, size_t first) {
    for (size_t position = first; position < parts.size(); ++position) {
        const Part& part = parts[position];
        database.execute(
            "INSERT INTO parts (message_id, position, kind, text, data) VALUES (?1, ?2, ?3, ?4, ?5) "
            "ON CONFLICT DO UPDATE SET text = ?4",
            message, position, storedName(kPartKindNames, part.kind), part.text, part.data);
    }
}

}  // namespace ingle::history
