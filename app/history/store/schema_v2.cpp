/// The second version: messages of parts, and tables and columns of what came later (folders, profiles, the
/// archive, receipts, where chats come from, contents of files).
#include "app/codec/names.h"
#include "app/history/store/schema.h"
#include "app/history/store/token_bytes.h"
#include "app/history/text/marked_text.h"

namespace ingle::history {
namespace {

constexpr const char* kNewTables = R"sql(
CREATE TABLE folders (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    parent_id INTEGER REFERENCES folders (id),
    name      TEXT    NOT NULL,
    position  INTEGER NOT NULL
);
CREATE INDEX folders_by_parent ON folders (parent_id);

CREATE TABLE profiles (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT NOT NULL,
    settings TEXT NOT NULL
);

CREATE TABLE files (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB UNIQUE,
    media_type TEXT NOT NULL,
    content    BLOB NOT NULL
);

-- The ids of an answer come last: they are long, and few ask for them.
CREATE TABLE messages_2 (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) DEFERRABLE INITIALLY DEFERRED,
    parent_id       INTEGER REFERENCES messages (id) DEFERRABLE INITIALLY DEFERRED CHECK (parent_id < id),
    role            TEXT    NOT NULL CHECK (role IN ('system', 'user', 'assistant')),
    status          TEXT    NOT NULL
        CHECK (status IN ('complete', 'streaming', 'stopped', 'interrupted', 'failed')),
    stop_reason     TEXT    NOT NULL DEFAULT ''
        CHECK (stop_reason IN ('', 'end_of_text', 'max_tokens', 'context_full', 'cancelled')),
    error           TEXT    NOT NULL DEFAULT '',
    error_id        TEXT    NOT NULL DEFAULT '',
    error_arguments TEXT    NOT NULL DEFAULT '[]',
    pinned          INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    trashed_ms      INTEGER,
    trash_root      INTEGER,
    first_kept      INTEGER NOT NULL DEFAULT 0,
    prompt_hash     INTEGER NOT NULL DEFAULT 0,
    model_id        TEXT    NOT NULL DEFAULT '',
    model_name      TEXT    NOT NULL DEFAULT '',
    sampler         TEXT    NOT NULL DEFAULT '{}',
    seed            INTEGER NOT NULL DEFAULT 0,
    receipt         TEXT    NOT NULL DEFAULT '',
    prompt_tokens   INTEGER NOT NULL DEFAULT 0,
    cached_tokens   INTEGER NOT NULL DEFAULT 0,
    new_tokens      INTEGER NOT NULL DEFAULT 0,
    prefill_ms      REAL    NOT NULL DEFAULT 0,
    decode_ms       REAL    NOT NULL DEFAULT 0,
    created_ms      INTEGER NOT NULL,
    finished_ms     INTEGER,
    withheld        BLOB    NOT NULL DEFAULT x'',
    token_ids       BLOB    NOT NULL DEFAULT x''
);

CREATE TABLE parts (
    message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    kind       TEXT    NOT NULL
        CHECK (kind IN ('text', 'thought', 'tool_call', 'tool_result', 'attachment', 'image', 'source')),
    text       TEXT    NOT NULL,
    data       TEXT    NOT NULL DEFAULT '',
    file_id    INTEGER REFERENCES files (id),
    PRIMARY KEY (message_id, position)
);
CREATE INDEX parts_by_file ON parts (file_id) WHERE file_id IS NOT NULL;

-- What the window of version 1 said about an answer that was cut short was stored as a sentence, in its language.
INSERT INTO messages_2 (id, conversation_id, parent_id, role, status, stop_reason, error, prompt_hash, model_id,
    model_name, sampler, seed, prompt_tokens, cached_tokens, new_tokens, prefill_ms, decode_ms, created_ms,
    finished_ms, withheld, token_ids)
SELECT id, conversation_id, parent_id, role, status,
    CASE
        WHEN role <> 'assistant' THEN ''
        WHEN status = 'complete' THEN 'end_of_text'
        WHEN status <> 'stopped' THEN ''
        WHEN error IN ('The answer reached its length limit.', 'Die Antwort hat ihre größte Länge erreicht.')
            THEN 'max_tokens'
        WHEN error IN ('The model''s context is full.', 'Der Kontext des Modells ist voll.') THEN 'context_full'
        ELSE 'cancelled'
    END,
    iif(status = 'stopped', '', error), prompt_hash, model_id, model_name,
    iif(role = 'assistant', json_object('temperature', temperature, 'topK', top_k, 'topP', top_p, 'minP', 0.05),
        '{}'),
    seed, prompt_tokens, cached_tokens, new_tokens, prefill_ms, decode_ms, created_ms, finished_ms, withheld,
    token_ids
FROM messages ORDER BY id;
)sql";

/// The journal of an answer that was being written: a mark may lie across two of its rows.
void foldJournal(Database& database, RowId message, std::string& text) {
    auto chunk = database.prepare(
        "SELECT text, token_ids, withheld FROM answer_chunks WHERE message_id = ?1 ORDER BY id", message);
    std::vector<TokenId> ids;
    std::string withheld;
    bool any = false;
    for (; chunk.executeStep(); any = true) {
        text += chunk.getColumn(0).getString();
        const SQLite::Column column = chunk.getColumn(1);
        const void* bytes = column.getBlob();
        appendTokens(ids, bytes, static_cast<size_t>(column.getBytes()));
        withheld = chunk.getColumn(2).getString();
    }
    if (!any) return;
    auto before = database.prepare("SELECT token_ids FROM messages WHERE id = ?1", message);
    before.executeStep();
    const SQLite::Column column = before.getColumn(0);
    const void* bytes = column.getBlob();
    std::vector<TokenId> all;
    appendTokens(all, bytes, static_cast<size_t>(column.getBytes()));
    all.insert(all.end(), ids.begin(), ids.end());
    database.execute("UPDATE messages_2 SET token_ids = ?2, withheld = ?3 WHERE id = ?1", message,
                     tokenBytes(all), std::as_bytes(std::span(withheld)));
}

/// Texts become parts, and attachments with them.
Status fillParts(Database& database) {
    auto row = database.prepare("SELECT id, role, status, text FROM messages ORDER BY id");
    auto insert =
        database.prepare("INSERT INTO parts (message_id, position, kind, text) VALUES (?1, ?2, ?3, ?4)");
    while (row.executeStep()) {
        const RowId id = row.getColumn(0).getInt64();
        const bool answer = row.getColumn(1).getString() == "assistant";
        std::string text = row.getColumn(3).getString();
        if (row.getColumn(2).getString() == "streaming") foldJournal(database, id, text);
        std::vector<Part> parts;
        if (answer) {
            parts = partsOfMarkedText(text);
        } else if (!text.empty()) {
            parts.push_back({PartKind::Text, std::move(text), ""});
        }
        for (size_t position = 0; position < parts.size(); ++position) {
            insert.reset();
            Database::bindAll(insert, id, position, codec::snakeNameOf(parts[position].kind),
                              parts[position].text);
            insert.exec();
        }
    }
    return {};
}

constexpr const char* kOldTables = R"sql(
INSERT INTO files (id, media_type, content) SELECT id, media_type, content FROM attachments;
INSERT INTO parts (message_id, position, kind, text, data, file_id)
SELECT message_id, (SELECT count(*) FROM parts p WHERE p.message_id = a.message_id) - 1
        + row_number() OVER (PARTITION BY message_id ORDER BY position, id),
    'attachment', '', name, id
FROM attachments a;
DROP TABLE attachments;

DROP TABLE answer_chunks;
CREATE TABLE answer_chunks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL
        CHECK (kind IN ('text', 'thought', 'tool_call', 'tool_result', 'attachment', 'image', 'source')),
    begins     INTEGER NOT NULL CHECK (begins IN (0, 1)),
    text       TEXT    NOT NULL,
    data       TEXT    NOT NULL,
    token_ids  BLOB    NOT NULL,
    withheld   BLOB    NOT NULL
);
CREATE INDEX answer_chunks_by_message ON answer_chunks (message_id);

-- Ids stay unique for ever, also those of messages that are gone.
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'messages')
    WHERE name = 'messages_2';
INSERT INTO sqlite_sequence (name, seq) SELECT 'messages_2', seq FROM sqlite_sequence
    WHERE name = 'messages' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'messages_2');
DROP TABLE messages;
ALTER TABLE messages_2 RENAME TO messages;
CREATE INDEX messages_by_conversation ON messages (conversation_id, parent_id);
CREATE INDEX messages_by_parent ON messages (parent_id);
CREATE INDEX messages_streaming ON messages (id) WHERE status = 'streaming';
CREATE INDEX messages_in_trash ON messages (trashed_ms) WHERE trashed_ms IS NOT NULL;
CREATE INDEX messages_by_trash_root ON messages (trash_root) WHERE trash_root IS NOT NULL;

ALTER TABLE conversations RENAME COLUMN deleted_ms TO trashed_ms;
ALTER TABLE conversations ADD COLUMN archived_ms INTEGER;
ALTER TABLE conversations ADD COLUMN folder_id INTEGER REFERENCES folders (id);
ALTER TABLE conversations ADD COLUMN profile_id INTEGER REFERENCES profiles (id);
ALTER TABLE conversations ADD COLUMN origin TEXT NOT NULL DEFAULT '';
-- Each is looked up when what it refers to is deleted.
CREATE INDEX conversations_by_leaf ON conversations (active_leaf);
CREATE INDEX conversations_by_folder ON conversations (folder_id) WHERE folder_id IS NOT NULL;
CREATE INDEX conversations_by_profile ON conversations (profile_id) WHERE profile_id IS NOT NULL;
CREATE INDEX conversations_in_trash ON conversations (trashed_ms) WHERE trashed_ms IS NOT NULL;
-- Version 1 promised that these are gone for good.
UPDATE conversations SET trashed_ms = 0, active_leaf = NULL WHERE trashed_ms IS NOT NULL;

-- Work on the file that a restart goes on with.
CREATE TABLE chores (
    name TEXT PRIMARY KEY
) WITHOUT ROWID;
INSERT INTO chores SELECT 'delete_rows' WHERE EXISTS (SELECT 1 FROM conversations WHERE trashed_ms = 0);
)sql";

}  // namespace

extern const Migration kSchema2;
const Migration kSchema2{.before = kNewTables, .move = fillParts, .after = kOldTables};

}  // namespace ingle::history
