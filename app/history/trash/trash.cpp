/// What cannot be brought back any more is marked (trashed_ms = 0), and shredding.cpp removes it.
#include "app/history/trash/trash.h"

#include <limits>

#include "app/history/chats/messages.h"
#include "app/history/store/clock.h"
#include "app/history/store/database.h"
#include "app/history/trash/shredding.h"
#include "ingle/utf8.h"

namespace ingle::history {
namespace {

constexpr size_t kExcerptBytes = 200;

/// The beginning of a text, in whole characters.
std::string excerpt(std::string text) {
    if (text.size() <= kExcerptBytes) return text;
    text.resize(boundaryUpTo(text, kExcerptBytes));
    return text + "…";
}

/// Of a message: where it stands and whether it is in the trash. Errors: InvalidArgument when there is none.
struct Place {
    RowId conversation = 0;
    RowId parent = 0;
    RowId trashRoot = 0;  ///< 0: not in the trash
};
Result<Place> placeOf(Database& database, RowId message) {
    auto row = database.prepare(
        "SELECT conversation_id, parent_id, trash_root FROM messages WHERE id = ?1 AND trashed_ms IS NOT 0",
        message);
    if (!row.executeStep())
        return fail(ErrorCode::InvalidArgument, "The history has no message {}.", message);
    return Place{row.getColumn(0).getInt64(), row.getColumn(1).getInt64(), row.getColumn(2).getInt64()};
}

/// What is shown once `message` is gone: the version beside it, the one before rather than the one behind, or
/// else what it answered; 0 when nothing is left.
RowId nextTo(Database& database, RowId message, const Place& place) {
    auto row = database.prepare(
        "SELECT id FROM messages WHERE conversation_id = ?1 AND parent_id IS nullif(?2, 0) AND id <> ?3 "
        "AND trashed_ms IS NULL ORDER BY id < ?3 DESC, abs(id - ?3) LIMIT 1",
        place.conversation, place.parent, message);
    if (row.executeStep()) return row.getColumn(0).getInt64();
    return place.parent;
}

}  // namespace

Result<std::vector<TrashEntry>> trash(HistoryReader& history) {
    Database& database = history.database();
    return database.run([&]() -> Result<std::vector<TrashEntry>> {
        std::vector<TrashEntry> entries;
        auto row = database.prepare(
            "SELECT trashed_ms, id, 0, title, '' FROM conversations WHERE trashed_ms > 0 "
            "UNION ALL "
            "SELECT m.trashed_ms, c.id, m.id, c.title, coalesce((SELECT p.text FROM parts p "
            " WHERE p.message_id = m.id AND p.kind = 'text' ORDER BY p.position LIMIT 1), '') "
            "FROM messages m JOIN conversations c ON c.id = m.conversation_id "
            "WHERE m.trashed_ms > 0 AND m.trash_root = m.id "
            "ORDER BY 1 DESC, 2 DESC, 3 DESC");
        while (row.executeStep()) {
            TrashEntry entry;
            entry.trashedMs = row.getColumn(0).getInt64();
            entry.conversation = row.getColumn(1).getInt64();
            entry.message = row.getColumn(2).getInt64();
            entry.title = row.getColumn(3).getString();
            entry.excerpt = excerpt(row.getColumn(4).getString());
            entries.push_back(std::move(entry));
        }
        return entries;
    });
}

Status trashConversation(History& history, RowId id) {
    return history.database().updateRow(
        Durability::Power, "UPDATE conversations SET trashed_ms = ?2 WHERE id = ?1 AND trashed_ms IS NULL",
        id, nowMs());
}

Status restoreConversation(History& history, RowId id) {
    return history.database().updateRow(
        Durability::Power,
        "UPDATE conversations SET trashed_ms = NULL WHERE id = ?1 AND (trashed_ms IS NULL OR trashed_ms > 0)",
        id);
}

Result<RowId> trashMessage(History& history, RowId message) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Result<RowId> {
        INGLE_TRY_ASSIGN(const Place place, placeOf(database, message));
        if (place.trashRoot != 0) {
            return fail(ErrorCode::InvalidArgument, "Message {} is in the trash already.", message);
        }
        // What lies in the trash already keeps its own place there.
        database.execute(
            "WITH RECURSIVE below (id) AS (SELECT ?1 UNION ALL SELECT m.id FROM below "
            " JOIN messages m ON m.parent_id = below.id WHERE m.id > below.id AND m.trashed_ms IS NULL) "
            "UPDATE messages SET trashed_ms = ?2, trash_root = ?1 WHERE id IN below",
            message, nowMs());
        auto leaf = database.prepare(
            "SELECT c.active_leaf, m.trash_root FROM conversations c LEFT JOIN messages m "
            "ON m.id = c.active_leaf WHERE c.id = ?1",
            place.conversation);
        leaf.executeStep();
        if (leaf.getColumn(1).getInt64() != message) return RowId{leaf.getColumn(0).getInt64()};
        RowId shown = nextTo(database, message, place);
        if (shown != 0 && shown != place.parent) {
            INGLE_TRY_ASSIGN(shown, newestLeafBelow(history, shown));
        }
        database.execute("UPDATE conversations SET active_leaf = nullif(?2, 0) WHERE id = ?1",
                         place.conversation, shown);
        return shown;
    });
}

Result<RowId> restoreMessage(History& history, RowId message) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Result<RowId> {
        INGLE_TRY_ASSIGN(Place place, placeOf(database, message));
        const RowId conversation = place.conversation;
        // With everything it stands below: a message that nobody can reach would not be back.
        while (place.trashRoot != 0) {
            const RowId root = place.trashRoot;
            database.execute("UPDATE messages SET trashed_ms = NULL, trash_root = NULL WHERE trash_root = ?1",
                             root);
            INGLE_TRY_ASSIGN(const Place rootPlace, placeOf(database, root));
            if (rootPlace.parent == 0) break;
            INGLE_TRY_ASSIGN(place, placeOf(database, rootPlace.parent));
        }
        INGLE_TRY_ASSIGN(const RowId leaf, newestLeafBelow(history, message));
        // The branch that grows stays the one that is shown.
        database.execute(
            "UPDATE conversations SET trashed_ms = NULL, active_leaf = CASE WHEN EXISTS (SELECT 1 FROM "
            "messages "
            "WHERE conversation_id = ?1 AND status = 'streaming') THEN active_leaf ELSE ?2 END WHERE id = ?1",
            conversation, leaf);
        auto shown = database.prepare("SELECT active_leaf FROM conversations WHERE id = ?1", conversation);
        shown.executeStep();
        return RowId{shown.getColumn(0).getInt64()};
    });
}

Status emptyTrash(History& history) {
    return expireTrash(history, std::numeric_limits<int64_t>::max());
}

Status expireTrash(History& history, int64_t beforeMs) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        int marked = database.execute(
            "UPDATE conversations SET trashed_ms = 0, active_leaf = NULL "
            "WHERE trashed_ms > 0 AND trashed_ms < ?1",
            beforeMs);
        // With what stands below, whatever a clock that was set back says.
        marked += database.execute(
            "WITH RECURSIVE below (id) AS (SELECT id FROM messages WHERE trashed_ms < ?1 UNION "
            " SELECT m.id FROM below JOIN messages m ON m.parent_id = below.id WHERE m.id > below.id) "
            "UPDATE messages SET trashed_ms = 0 WHERE id IN below AND trashed_ms IS NOT 0",
            beforeMs);
        if (marked == 0) return {};
        database.execute(
            "UPDATE conversations SET active_leaf = NULL WHERE active_leaf IN "
            "(SELECT id FROM messages WHERE trashed_ms = 0)");
        return deleteRowsSoon(history);
    });
}

}  // namespace ingle::history
