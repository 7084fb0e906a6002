/// The fourth version: what passages of documents mean, as an embedding model has it.
#include "app/history/store/schema.h"

namespace ingle::history {

extern const Migration kSchema4;
const Migration kSchema4{.before = R"sql(
CREATE TABLE passage_vectors (
    passage_id INTEGER PRIMARY KEY REFERENCES passages (id) ON DELETE CASCADE,
    model      TEXT    NOT NULL,
    vector     BLOB    NOT NULL
);
)sql"};

}  // namespace ingle::history
