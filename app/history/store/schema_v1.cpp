/// The first version of the history file: messages of one text, with marks in it (marked_text.h).
#include "app/history/store/schema.h"

namespace ingle::history {

extern const Migration kSchema1;
const Migration kSchema1{.before = R"sql(
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
)sql"};

}  // namespace ingle::history
