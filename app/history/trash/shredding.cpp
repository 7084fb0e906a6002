/// Removing for good, in slices. secure_delete overwrites what SQLite deletes; FTS5 before SQLite 3.42 keeps
/// deleted words in its segments until these are merged (https://www.sqlite.org/fts5.html, "The 'merge'
/// command" and "The 'secure-delete' configuration option").
#include "app/history/trash/shredding.h"

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "app/codec/names.h"
#include "app/history/chats/picture_rows.h"
#include "app/history/store/backups.h"
#include "app/history/trash/chores.h"

namespace ingle::codec {

template <>
inline constexpr auto kNames<history::Chore> =
    std::to_array<Name<history::Chore>>({{history::Chore::DropArrivals, "dropArrivals"},
                                         {history::Chore::DeleteRows, "deleteRows"},
                                         {history::Chore::BeginMerge, "beginMerge"},
                                         {history::Chore::Merge, "merge"},
                                         {history::Chore::TruncateLog, "truncateLog"},
                                         {history::Chore::ReplaceBackups, "replaceBackups"}});

}  // namespace ingle::codec

namespace ingle::history {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMessagesAtOnce = 256;  // found by one query; the time ends a slice
constexpr int kPassagesAtOnce = 16;
constexpr int kMergePages = 16;  // of the index, written between two looks at the clock

void endChore(Database& database, Chore chore) {
    database.execute("DELETE FROM chores WHERE name = ?1", codec::snakeNameOf(chore));
}

/// The first one in their order.
std::optional<Chore> nextChore(Database& database) {
    auto row = database.prepare("SELECT 1 FROM chores WHERE name = ?1", "");
    for (const auto& [chore, name] : codec::kNames<Chore>) {
        row.reset();
        Database::bindAll(row, codec::inSnakeCase(name));
        if (row.executeStep()) return chore;
    }
    return std::nullopt;
}

/// A conversation to delete, or none.
std::vector<RowId> nextConversation(Database& database, int mark) {
    return idsOf(database.prepare("SELECT id FROM conversations WHERE trashed_ms = ?1 LIMIT 1", mark));
}

/// Children before their parents, which have smaller ids; as an index has them, so that however many there
/// are none is looked at twice.
std::vector<RowId> messagesToDelete(Database& database, int mark) {
    auto ids = idsOf(database.prepare(
        "SELECT id FROM messages WHERE trashed_ms = ?2 ORDER BY id DESC LIMIT ?1", kMessagesAtOnce, mark));
    if (!ids.empty()) return ids;
    for (const RowId conversation : nextConversation(database, mark)) {
        ids =
            idsOf(database.prepare("SELECT id FROM messages WHERE conversation_id = ?1 "
                                   "ORDER BY parent_id DESC, id DESC LIMIT ?2",
                                   conversation, kMessagesAtOnce));
    }
    return ids;
}

/// Some of what belongs to documents that stand neither on the shelf nor in a conversation; false: there is
/// none.
bool deletePassages(Database& database) {
    const auto ids = idsOf(database.prepare(
        "SELECT p.id FROM documents d JOIN passages p ON p.document_id = d.id WHERE d.on_shelf = 0 "
        "AND NOT EXISTS (SELECT 1 FROM conversation_documents WHERE document_id = d.id) LIMIT ?1",
        kPassagesAtOnce));
    for (const RowId id : ids) {
        database.execute("DELETE FROM passage_index WHERE rowid = ?1", id);
        database.execute("DELETE FROM passages WHERE id = ?1", id);
    }
    return !ids.empty();
}

/// Files that nothing holds any more; false: the time was over before that.
bool deleteLooseFiles(Database& database, Clock::time_point end) {
    for (const RowId id : looseFiles(database)) {
        if (Clock::now() >= end) return false;
        database.execute("DELETE FROM files WHERE id = ?1", id);
    }
    return true;
}

/// Deletes messages and conversations of that mark until the time is over (false) or none is left.
bool deleteMarked(Database& database, Clock::time_point end, int mark) {
    auto index = database.prepare("DELETE FROM search_index WHERE rowid = ?1");
    auto message = database.prepare("DELETE FROM messages WHERE id = ?1");
    auto conversation = database.prepare("DELETE FROM conversations WHERE id = ?1");
    const auto deleteRow = [](SQLite::Statement& statement, RowId id) {
        statement.reset();
        Database::bindAll(statement, id);
        statement.exec();
    };
    do {
        const std::vector<RowId> ids = messagesToDelete(database, mark);
        for (const RowId id : ids) {
            deleteRow(index, id);
            deleteRow(message, id);
            if (Clock::now() >= end) return false;
        }
        if (!ids.empty()) continue;
        const std::vector<RowId> empty = nextConversation(database, mark);
        for (const RowId id : empty) {
            deleteRow(index, -id);  // of its title
            deleteRow(conversation, id);
        }
        if (empty.empty()) return true;
    } while (Clock::now() < end);
    return false;
}

/// Documents that stand nowhere; false: the time was over before that.
bool deleteLooseDocuments(Database& database, Clock::time_point end) {
    while (deletePassages(database))
        if (Clock::now() >= end) return false;
    database.execute(
        "DELETE FROM documents WHERE on_shelf = 0 AND NOT EXISTS (SELECT 1 FROM conversation_documents "
        "WHERE document_id = documents.id)");
    return deleteLooseFiles(database, end);
}

void deleteArrivals(Database& database, Clock::time_point end) {
    if (!deleteMarked(database, end, kArrivedInVain)) return;
    if (deleteLooseDocuments(database, end)) endChore(database, Chore::DropArrivals);
}

/// Deletes rows until the time is over or none is left.
void deleteRows(Database& database, Clock::time_point end) {
    if (!deleteMarked(database, end, kDeletedForGood) || !deleteLooseDocuments(database, end)) return;
    database.execute(
        "DELETE FROM profiles WHERE id NOT IN (SELECT profile_id FROM conversations WHERE profile_id IS NOT "
        "NULL)");
    endChore(database, Chore::DeleteRows);
    addChore(database, Chore::BeginMerge);
    addChore(database, Chore::TruncateLog);
    addChore(database, Chore::ReplaceBackups);
}

/// Merges the indexes until the time is over or nothing is left to merge.
void mergeIndexes(Database& database, Clock::time_point end, bool begins) {
    const auto mergeOne = [&](const char* sql, int pages) {
        const int64_t before = database.sqlite().getTotalChanges();
        database.execute(sql, pages);
        return database.sqlite().getTotalChanges() - before >= 2;  // so FTS5 says that there was work
    };
    const auto merge = [&](int pages) {
        const bool messages =
            mergeOne("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?1)", pages);
        const bool passages =
            mergeOne("INSERT INTO passage_index (passage_index, rank) VALUES ('merge', ?1)", pages);
        return messages || passages;
    };
    if (begins) {
        // Less than zero: all segments take part.
        merge(-kMergePages);
        endChore(database, Chore::BeginMerge);
        addChore(database, Chore::Merge);
    }
    do {
        if (!merge(kMergePages)) return endChore(database, Chore::Merge);
    } while (Clock::now() < end);
}

}  // namespace

void addChore(Database& database, Chore chore) {
    database.execute("INSERT OR IGNORE INTO chores (name) VALUES (?1)", codec::snakeNameOf(chore));
}

Result<ShredState> shredSlice(History& history, std::chrono::milliseconds budget) {
    const Clock::time_point end = Clock::now() + budget;
    Database& file = history.database();
    INGLE_TRY_ASSIGN(const std::optional<Chore> chore,
                     file.run([&]() -> Result<std::optional<Chore>> { return nextChore(file); }));
    if (!chore) {
        history.setMayShred(false);
        return ShredState::Done;
    }
    if (*chore == Chore::ReplaceBackups) {
        INGLE_TRY_ASSIGN(const bool any, hasBackups(file.path()));
        if (any) return ShredState::BackupsLeft;
        INGLE_TRY(backupsReplaced(history));
        return ShredState::Working;  // for what was deleted meanwhile
    }
    if (*chore == Chore::TruncateLog) {
        INGLE_TRY_ASSIGN(const bool truncated, file.truncateLog());
        if (!truncated) return ShredState::Waiting;
    }
    // A slice that is lost is done again.
    file.setLogPages(kSliceLogPages);
    const Status done = file.transact(Durability::Process, [&]() -> Status {
        if (*chore == Chore::DropArrivals) deleteArrivals(file, end);
        if (*chore == Chore::DeleteRows) deleteRows(file, end);
        if (*chore == Chore::BeginMerge || *chore == Chore::Merge) {
            mergeIndexes(file, end, *chore == Chore::BeginMerge);
        }
        if (*chore == Chore::TruncateLog) endChore(file, Chore::TruncateLog);
        return {};
    });
    file.setLogPages(Database::kLogPages);
    INGLE_TRY(done);
    return ShredState::Working;
}

Status deleteRowsSoon(History& history) {
    Database& database = history.database();
    return database.transact(Durability::Process, [&]() -> Status {
        addChore(database, Chore::DeleteRows);
        history.setMayShred(true);
        return {};
    });
}

Status dropArrivals(History& history) {
    Database& database = history.database();
    return database.transact(Durability::Process, [&]() -> Status {
        const int dropped = database.execute(
            "UPDATE conversations SET trashed_ms = ?2, active_leaf = NULL "
            "WHERE trashed_ms = ?1",
            kArriving, kArrivedInVain);
        database.execute("UPDATE documents SET on_shelf = 0 WHERE on_shelf = 2");
        auto documents = database.prepare(
            "SELECT 1 FROM documents WHERE on_shelf = 0 AND NOT EXISTS (SELECT 1 FROM conversation_documents "
            "WHERE document_id = documents.id) LIMIT 1");
        if (dropped == 0 && !documents.executeStep()) return {};
        addChore(database, Chore::DropArrivals);
        history.setMayShred(true);
        return {};
    });
}

Status dropLooseFiles(History& history) {
    Database& database = history.database();
    INGLE_TRY_ASSIGN(const bool any,
                     database.run([&]() -> Result<bool> { return !looseFiles(database).empty(); }));
    return any ? deleteRowsSoon(history) : Status();
}

Status backupsReplaced(History& history) {
    Database& database = history.database();
    return database.transact(Durability::Power, [&]() -> Status {
        endChore(database, Chore::ReplaceBackups);
        return {};
    });
}

}  // namespace ingle::history
