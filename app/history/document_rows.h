/// How a document is kept. Private to app/history; throws as SQLiteCpp does.
#pragma once

#include <string>

#include "app/history/database.h"
#include "app/history/documents.h"

namespace ingle::history {

enum class OnShelf { No, Yes };

/// The one of this text; 0: there is none.
RowId documentOfText(Database& database, const std::string& text);
/// With its passages, and what finds them.
RowId insertDocument(Database& database, const NewDocument& document, OnShelf onShelf, int64_t addedMs,
                     int64_t usedMs);

}  // namespace ingle::history
