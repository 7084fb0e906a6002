/// What is searched: one row per finished message and title. Private to app/history; throws as SQLiteCpp
/// does.
#pragma once

#include <span>
#include <string_view>

#include "app/history/store/database.h"
#include "ingle/part.h"

namespace ingle::history {

/// What was said first, what else belongs to it (thoughts, results of tools, attachments) behind that.
void indexMessage(Database& database, RowId message, std::span<const Part> parts);
void indexTitle(Database& database, RowId conversation, std::string_view title);

}  // namespace ingle::history
