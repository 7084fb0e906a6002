/// Private to app/history.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>

namespace ingle::history {

/// Prepared once: they run for every token. They go before their connection.
struct AnswerStatements {
    std::optional<SQLite::Statement> appendPiece;
};

}  // namespace ingle::history
