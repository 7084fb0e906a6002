/// A branch copied into a conversation of its own.
#include <map>

#include "app/history/chats/conversations.h"
#include "app/history/chats/folders.h"
#include "app/history/chats/message_rows.h"
#include "app/history/search/search_index.h"
#include "app/history/store/database.h"

namespace ingle::history {

Result<RowId> copyBranch(History& history, RowId last) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Result<RowId> {
        INGLE_TRY_ASSIGN(const Message end, message(history, last));
        INGLE_TRY_ASSIGN(const Conversation old, conversation(history, end.conversation));
        INGLE_TRY_ASSIGN(const auto messages, branch(history, old.id, last));
        if (end.status == MessageStatus::Streaming)
            return fail(ErrorCode::InvalidArgument, "Message {} is still being written.", last);
        INGLE_TRY_ASSIGN(const RowId copy, createConversation(history, old.title, old.modelId));
        database.execute("UPDATE conversations SET folder_id = nullif(?2, 0) WHERE id = ?1", copy,
                         old.folder);
        INGLE_TRY_ASSIGN(const Profile profile, conversationProfile(history, old.id));
        INGLE_TRY(setConversationProfile(history, copy, profile));
        database.execute(
            "INSERT INTO conversation_documents (conversation_id, position, document_id) "
            "SELECT ?2, position, document_id FROM conversation_documents WHERE conversation_id = ?1",
            old.id, copy);
        std::map<RowId, RowId> copies{{0, 0}};
        const std::string insert = fmt::format(
            "INSERT INTO messages (conversation_id, parent_id, {0}) "
            "SELECT ?2, nullif(?3, 0), {0} FROM messages WHERE id = ?1",
            messageColumns());
        for (const Message& each : messages) {
            database.execute(insert, each.id, copy, copies[each.parent]);
            const RowId made = database.sqlite().getLastInsertRowid();
            database.execute("UPDATE messages SET first_kept = ?2 WHERE id = ?1", made,
                             copies[each.firstKept]);
            copies[each.id] = made;
            database.execute(
                "INSERT INTO parts (message_id, position, kind, text, data, file_id) "
                "SELECT ?2, position, kind, text, data, file_id FROM parts WHERE message_id = ?1",
                each.id, made);
            indexMessage(database, made, each.parts);
        }
        database.execute("UPDATE conversations SET active_leaf = ?2 WHERE id = ?1", copy, copies[last]);
        return copy;
    });
}

}  // namespace ingle::history
