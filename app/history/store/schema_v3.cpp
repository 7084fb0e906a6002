/// The third version: documents that are read once and stand before every question; how many of an answer's
/// tokens were guessed.
#include "app/history/store/schema.h"

namespace ingle::history {

extern const Migration kSchema3;
const Migration kSchema3{.before = R"sql(
ALTER TABLE messages ADD COLUMN guessed_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN taken_tokens INTEGER NOT NULL DEFAULT 0;

CREATE TABLE documents (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id  INTEGER NOT NULL UNIQUE REFERENCES files (id),
    title    TEXT    NOT NULL,
    format   TEXT    NOT NULL,
    left_out TEXT    NOT NULL DEFAULT '[]',
    on_shelf INTEGER NOT NULL DEFAULT 1 CHECK (on_shelf IN (0, 1, 2)),
    added_ms INTEGER NOT NULL,
    used_ms  INTEGER NOT NULL
);
CREATE INDEX documents_off_shelf ON documents (id) WHERE on_shelf = 0;

CREATE TABLE readings (
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    model_id    TEXT    NOT NULL,
    model_name  TEXT    NOT NULL,
    tokens      INTEGER NOT NULL,
    read_tokens INTEGER NOT NULL,
    kept_bytes  INTEGER NOT NULL,
    room        INTEGER NOT NULL,
    wanted      INTEGER NOT NULL CHECK (wanted IN (0, 1)),
    PRIMARY KEY (document_id, model_id)
) WITHOUT ROWID;

CREATE TABLE conversation_documents (
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    document_id     INTEGER NOT NULL REFERENCES documents (id),
    PRIMARY KEY (conversation_id, position),
    UNIQUE (conversation_id, document_id)
) WITHOUT ROWID;
CREATE INDEX conversation_documents_by_document ON conversation_documents (document_id);

CREATE TABLE passages (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    begins      INTEGER NOT NULL,
    ends        INTEGER NOT NULL,
    page        INTEGER NOT NULL,
    heading     TEXT    NOT NULL
);
CREATE INDEX passages_by_document ON passages (document_id, begins);
CREATE VIRTUAL TABLE passage_index USING fts5 (folded, tokenize = 'unicode61 remove_diacritics 2');
)sql"};

}  // namespace ingle::history
