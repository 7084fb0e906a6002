/// Rows of messages as values and back. Private to app/history; everything throws as SQLiteCpp does.
#pragma once

#include <span>
#include <vector>

#include "app/history/database.h"
#include "app/history/history.h"

namespace ingle::history {

/// The columns that readMessages() reads; to be followed by FROM with `m` as the table of messages.
inline constexpr const char* kSelectMessage =
    "SELECT m.id, m.conversation_id, m.parent_id, m.role, m.token_ids, m.withheld, m.prompt_hash, "
    "m.first_kept, m.status, m.stop_reason, m.error, m.error_id, m.error_arguments, m.pinned, m.model_id, "
    "m.model_name, m.sampler, m.seed, m.receipt, m.prompt_tokens, m.cached_tokens, m.new_tokens, "
    "m.prefill_ms, "
    "m.decode_ms, m.guessed_tokens, m.taken_tokens, m.created_ms, "
    "(SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id "
    " AND s.parent_id IS m.parent_id AND s.trashed_ms IS NULL AND s.id < m.id), "
    "(SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id "
    " AND s.parent_id IS m.parent_id AND s.trashed_ms IS NULL) ";

/// Every message of a statement over kSelectMessage, with its parts and its journal. Errors: Corrupt.
Result<std::vector<Message>> readMessages(Database& database, HistoryReader::Access access,
                                          SQLite::Statement& rows);
/// Errors: InvalidArgument when there is none; Corrupt.
Result<Message> readMessage(Database& database, HistoryReader::Access access, RowId id);

/// Stores the parts of a message from number `first` on; those before it are there already.
void storeParts(Database& database, RowId message, std::span<const Part> parts, size_t first);

/// How many parts of a message are stored; what its journal adds is not among them.
size_t countStoredParts(Database& database, RowId message);

}  // namespace ingle::history
