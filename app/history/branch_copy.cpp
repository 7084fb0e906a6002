/// A branch copied into a conversation of its own.
#include <map>

#include "app/history/history.h"
#include "app/history/message_rows.h"
#include "app/history/search_index.h"
#include "app/history/store/clock.h"
#include "app/history/store/database.h"

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
        const std::string insert = fmt::format(
            "INSERT INTO messages (conversation_id, parent_id, {0}) "
            "SELECT ?2, nullif(?3, 0), {0} FROM messages WHERE id = ?1",
            messageColumns());
        for (const Message& each : messages) {
            m_database->execute(insert, each.id, copy, copies[each.parent]);
            const RowId made = m_database->sqlite().getLastInsertRowid();
            m_database->execute("UPDATE messages SET first_kept = ?2 WHERE id = ?1", made,
                                copies[each.firstKept]);
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
