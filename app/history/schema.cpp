#include "app/history/schema.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "ingle/file_descriptor.h"

namespace ingle::history {
namespace {

constexpr int kApplicationId = 0x494e474c;  // "INGL": tells a history from other SQLite files

constexpr Migration kCreate = R"sql(
CREATE TABLE conversations (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    title       TEXT    NOT NULL,
    created_ms  INTEGER NOT NULL,
    updated_ms  INTEGER NOT NULL,
    pinned      INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    active_leaf INTEGER REFERENCES messages (id) DEFERRABLE INITIALLY DEFERRED,
    model_id    TEXT    NOT NULL DEFAULT '',
    deleted_ms  INTEGER
);

CREATE TABLE messages (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) DEFERRABLE INITIALLY DEFERRED,
    parent_id       INTEGER REFERENCES messages (id) DEFERRABLE INITIALLY DEFERRED CHECK (parent_id < id),
    role            TEXT    NOT NULL CHECK (role IN ('system', 'user', 'assistant')),
    text            TEXT    NOT NULL,
    token_ids       BLOB    NOT NULL DEFAULT x'',
    withheld        BLOB    NOT NULL DEFAULT x'',
    prompt_hash     INTEGER NOT NULL DEFAULT 0,
    status          TEXT    NOT NULL
        CHECK (status IN ('complete', 'streaming', 'stopped', 'interrupted', 'failed')),
    error           TEXT    NOT NULL DEFAULT '',
    model_id        TEXT    NOT NULL DEFAULT '',
    model_name      TEXT    NOT NULL DEFAULT '',
    temperature     REAL    NOT NULL DEFAULT 0,
    top_k           INTEGER NOT NULL DEFAULT 0,
    top_p           REAL    NOT NULL DEFAULT 1,
    seed            INTEGER NOT NULL DEFAULT 0,
    prompt_tokens   INTEGER NOT NULL DEFAULT 0,
    cached_tokens   INTEGER NOT NULL DEFAULT 0,
    new_tokens      INTEGER NOT NULL DEFAULT 0,
    prefill_ms      REAL    NOT NULL DEFAULT 0,
    decode_ms       REAL    NOT NULL DEFAULT 0,
    created_ms      INTEGER NOT NULL,
    finished_ms     INTEGER
);
CREATE INDEX messages_by_conversation ON messages (conversation_id, parent_id);
CREATE INDEX messages_by_parent ON messages (parent_id);
CREATE INDEX messages_streaming ON messages (id) WHERE status = 'streaming';

CREATE TABLE answer_chunks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    text       TEXT    NOT NULL,
    token_ids  BLOB    NOT NULL,
    withheld   BLOB    NOT NULL
);
CREATE INDEX answer_chunks_by_message ON answer_chunks (message_id);

CREATE TABLE attachments (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    name       TEXT    NOT NULL,
    media_type TEXT    NOT NULL,
    content    BLOB    NOT NULL
);
CREATE INDEX attachments_by_message ON attachments (message_id, position);

CREATE TABLE drafts (
    conversation_id INTEGER PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
    text            TEXT    NOT NULL,
    updated_ms      INTEGER NOT NULL
);

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE VIRTUAL TABLE search_index USING fts5 (folded, tokenize = 'unicode61 remove_diacritics 2');
)sql";

constexpr std::array kMigrations{kCreate};

int readNumber(Database& database, const char* sql) {
    return database.sqlite().execAndGet(sql).getInt();
}

/// A consistent copy, readable by this user only, which holds no deleted text.
Status backUp(Database& database, const std::string& target) {
    ::unlink(target.c_str());
    {
        const FileDescriptor file(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (file.get() < 0) {
            return fail(ErrorCode::Io, "Cannot create the backup {}: {}.", target, std::strerror(errno));
        }
    }
    const Status copied = database.run([&]() -> Status {
        database.execute("VACUUM INTO ?1", target);
        return {};
    });
    if (!copied) ::unlink(target.c_str());
    return copied;
}

}  // namespace

std::span<const Migration> allMigrations() {
    return kMigrations;
}

Result<int> schemaVersion(Database& database) {
    return database.run([&]() -> Result<int> {
        const int version = readNumber(database, "PRAGMA user_version");
        const bool empty = readNumber(database, "SELECT count(*) FROM sqlite_schema") == 0;
        if (!empty && readNumber(database, "PRAGMA application_id") != kApplicationId) {
            return fail(ErrorCode::Corrupt, "{} is not a history of Inglenook.", database.path());
        }
        return empty ? 0 : version;
    });
}

Status migrate(Database& database, int version, std::span<const Migration> migrations) {
    const int target = static_cast<int>(migrations.size());
    if (version >= target) return {};
    if (version > 0) INGLE_TRY(backUp(database, backupPath(database.path(), version)));
    return database.transact(Durability::Power, [&]() -> Status {
        for (int step = version; step < target; ++step) {
            database.sqlite().exec(migrations[static_cast<size_t>(step)]);
        }
        database.sqlite().exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
        database.sqlite().exec(fmt::format("PRAGMA user_version = {}", target));
        return {};
    });
}

std::string backupPath(const std::string& path, int version) {
    return fmt::format("{}.backup-v{}", path, version);
}

Status removeBackups(const std::string& path) {
    namespace fs = std::filesystem;
    const std::string prefix = fs::path(path).filename().string() + ".backup-v";
    std::error_code error;
    for (fs::directory_iterator entry(fs::path(path).parent_path(), error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().filename().string().starts_with(prefix)) fs::remove(entry->path(), error);
        if (error) break;
    }
    if (error) return fail(ErrorCode::Io, "Cannot delete the backups of {}: {}.", path, error.message());
    return {};
}

}  // namespace ingle::history
