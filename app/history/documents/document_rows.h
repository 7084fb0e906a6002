/// How a document is kept. Private to app/history; throws as SQLiteCpp does.
#pragma once

#include <string>

#include "app/history/documents/documents.h"
#include "app/history/store/database.h"

namespace ingle::history {

/// As the column has it.
enum class OnShelf {
    No,
    Yes,
    Arriving,  ///< with an import that has not come to its end: it may stand in nothing, and stays all the
               ///< same
};

/// The one of this text; 0: there is none.
RowId documentOfText(Database& database, const std::string& text);
/// With its passages, and what finds them.
RowId insertDocument(Database& database, const NewDocument& document, OnShelf onShelf, int64_t addedMs,
                     int64_t usedMs);
/// It stands there now. Of one that stood nowhere some passages may be gone already.
void putOnShelf(Database& database, RowId id, const NewDocument& document, OnShelf onShelf);

}  // namespace ingle::history
