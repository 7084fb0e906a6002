/// A branch copied into a conversation of its own.
#include <map>

#include "app/history/clock.h"
#include "app/history/database.h"
#include "app/history/history.h"
#include "app/history/search_index.h"

namespace ingle::history {

Result<RowId> History::copyBranch(RowId last) {
    return m_database->transact(Durability::Power, [&]() -> Result<RowId> {
        INGLE_TRY_ASSIGN(const Message end, message(last));
        INGLE_TRY_ASSIGN(const Conversation old, conversation(end.conversation));
        INGLE_TRY_ASSIGN(const auto messages, branch(old.id, last));
        if (end.status == MessageStatus::Streaming)
            return fail(ErrorCode::InvalidArgument, "Message {} is still being written.", last);
        INGLE_TRY_ASSIGN(const RowId copy, createConversation(old.title, old.modelId));
        m_database->execute("UPDATE conversations SET folder_id = nullif(?2, 0) WHERE id = ?1", copy,
                            old.folder);
        INGLE_TRY_ASSIGN(const Profile profile, conversationProfile(old.id));
        INGLE_TRY(setConversationProfile(copy, profile));
        m_database->execute(
            "INSERT INTO conversation_documents (conversation_id, position, document_id) "
            "SELECT ?2, position, document_id FROM conversation_documents WHERE conversation_id = ?1",
            old.id, copy);
        std::map<RowId, RowId> copies{{0, 0}};
        for (const Message& each : messages) {
            m_database->execute(
                "INSERT INTO messages (conversation_id, parent_id, role, status, stop_reason, error, "
                "error_id, "
                "error_arguments, pinned, first_kept, prompt_hash, model_id, model_name, sampler, seed, "
                "receipt, "
                "prompt_tokens, cached_tokens, new_tokens, prefill_ms, decode_ms, "
                "guessed_tokens, taken_tokens, created_ms, finished_ms, withheld, token_ids) "
                "SELECT ?2, nullif(?3, 0), role, status, stop_reason, error, error_id, error_arguments, "
                "pinned, "
                "?4, prompt_hash, model_id, model_name, sampler, seed, receipt, prompt_tokens, "
                "cached_tokens, "
                "new_tokens, prefill_ms, decode_ms, guessed_tokens, taken_tokens, created_ms, finished_ms, "
                "withheld, token_ids "
                "FROM messages WHERE id = ?1",
                each.id, copy, copies[each.parent], copies[each.firstKept]);
            const RowId made = m_database->sqlite().getLastInsertRowid();
            copies[each.id] = made;
            m_database->execute(
                "INSERT INTO parts (message_id, position, kind, text, data, file_id) "
                "SELECT ?2, position, kind, text, data, file_id FROM parts WHERE message_id = ?1",
                each.id, made);
            indexMessage(*m_database, made, each.parts);
        }
        m_database->execute("UPDATE conversations SET active_leaf = ?2 WHERE id = ?1", copy, copies[last]);
        return copy;
    });
}

}  // namespace ingle::history
