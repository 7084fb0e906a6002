/// Removing for good, in slices. secure_delete overwrites what SQLite deletes; FTS5 before SQLite 3.42 keeps
/// deleted words in its segments until these are merged (https://www.sqlite.org/fts5.html, "The 'merge'
/// command" and "The 'secure-delete' configuration option").
#include "app/history/shredding.h"

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "app/history/backups.h"
#include "app/history/history.h"
#include "app/history/schema.h"
#include "app/history/stored_values.h"

namespace ingle::history {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMessagesAtOnce = 256;  // found by one query; the time ends a slice
constexpr int kMergePages = 16;       // of the index, written between two looks at the clock

constexpr std::array kChoreNames{std::pair{Chore::DeleteRows, std::string_view("delete_rows")},
                                 std::pair{Chore::BeginMerge, std::string_view("begin_merge")},
                                 std::pair{Chore::Merge, std::string_view("merge")},
                                 std::pair{Chore::TruncateLog, std::string_view("truncate_log")},
                                 std::pair{Chore::ReplaceBackups, std::string_view("replace_backups")}};

void endChore(Database& database, Chore chore) {
    database.execute("DELETE FROM chores WHERE name = ?1", storedName(kChoreNames, chore));
}

/// The first one in their order.
std::optional<Chore> nextChore(Database& database) {
    auto row = database.prepare("SELECT 1 FROM chores WHERE name = ?1", "");
    for (const auto& [chore, name] : kChoreNames) {
        row.reset();
        Database::bindAll(row, name);
        if (row.executeStep()) return chore;
    }
    return std::nullopt;
}

/// Children before their parents, which have smaller ids.
std::vector<RowId> messagesToDelete(Database& database) {
    std::vector<RowId> ids;
    for (const char* sql : {"SELECT id FROM messages WHERE trashed_ms = 0 ORDER BY id DESC LIMIT ?1",
                            "SELECT m.id FROM conversations c JOIN messages m ON m.conversation_id = c.id "
                            "WHERE c.trashed_ms = 0 ORDER BY m.id DESC LIMIT ?1"}) {
        auto row = database.prepare(sql, kMessagesAtOnce);
        while (row.executeStep()) ids.push_back(row.getColumn(0).getInt64());
        if (!ids.empty()) break;
    }
    return ids;
}

/// Deletes rows until the time is over or none is left.
void deleteRows(Database& database, Clock::time_point end) {
    auto index = database.prepare("DELETE FROM search_index WHERE rowid = ?1");
    auto message = database.prepare("DELETE FROM messages WHERE id = ?1");
    do {
        const std::vector<RowId> ids = messagesToDelete(database);
        if (ids.empty()) {
            database.execute(
                "DELETE FROM search_index WHERE rowid IN (SELECT -id FROM conversations WHERE trashed_ms = "
                "0)");
            database.execute("DELETE FROM conversations WHERE trashed_ms = 0");
            database.execute(
                "DELETE FROM files WHERE NOT EXISTS (SELECT 1 FROM parts WHERE file_id = files.id)");
            endChore(database, Chore::DeleteRows);
            addChore(database, Chore::BeginMerge);
            addChore(database, Chore::TruncateLog);
            addChore(database, Chore::ReplaceBackups);
            return;
        }
        for (const RowId id : ids) {
            for (SQLite::Statement* each : {&index, &message}) {
                each->reset();
                Database::bindAll(*each, id);
                each->exec();
            }
            if (Clock::now() >= end) return;
        }
    } while (true);
}

/// Merges the index until the time is over or nothing is left to merge.
void mergeIndex(Database& database, Clock::time_point end, bool begins) {
    const auto merge = [&](int pages) {
        const int64_t before = database.sqlite().getTotalChanges();
        database.execute("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?1)", pages);
        return database.sqlite().getTotalChanges() - before >= 2;  // so FTS5 says that there was work
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
    database.execute("INSERT OR IGNORE INTO chores (name) VALUES (?1)", storedName(kChoreNames, chore));
}

Result<ShredState> History::shredSlice(std::chrono::milliseconds budget) {
    const Clock::time_point end = Clock::now() + budget;
    Database& file = *m_database;
    INGLE_TRY_ASSIGN(const std::optional<Chore> chore,
                     file.run([&]() -> Result<std::optional<Chore>> { return nextChore(file); }));
    if (!chore) {
        m_mayShred = false;
        return ShredState::Done;
    }
    if (*chore == Chore::ReplaceBackups) {
        INGLE_TRY_ASSIGN(const bool any, hasBackups(file.path()));
        if (any) return ShredState::BackupsLeft;
        INGLE_TRY(backupsReplaced());
        return ShredState::Working;  // for what was deleted meanwhile
    }
    if (*chore == Chore::TruncateLog) {
        INGLE_TRY_ASSIGN(const bool truncated, file.truncateLog());
        if (!truncated) return ShredState::Waiting;
    }
    // A slice that is lost is done again. Its pages go from the log into the file a few at a time: a
    // thousand, as usual, would keep whoever writes waiting for longer than the slice itself.
    file.sqlite().exec("PRAGMA wal_autocheckpoint = 200");
    const Status done = file.transact(Durability::Process, [&]() -> Status {
        if (*chore == Chore::DeleteRows) deleteRows(file, end);
        if (*chore == Chore::BeginMerge || *chore == Chore::Merge) {
            mergeIndex(file, end, *chore == Chore::BeginMerge);
        }
        if (*chore == Chore::TruncateLog) endChore(file, Chore::TruncateLog);
        return {};
    });
    file.sqlite().exec("PRAGMA wal_autocheckpoint = 1000");
    INGLE_TRY(done);
    return ShredState::Working;
}

Status History::backupsReplaced() {
    return m_database->transact(Durability::Power, [&]() -> Status {
        endChore(*m_database, Chore::ReplaceBackups);
        return {};
    });
}

}  // namespace ingle::history
