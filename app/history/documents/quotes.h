/// What an answer quotes, and where it stands in the documents of its conversation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/history/store/history.h"
#include "ingle/result.h"

namespace ingle::history {

struct Quote {
    std::string words;   ///< as the answer has them, on one line
    RowId document = 0;  ///< 0: they stand in none
    std::string title;   ///< of the document
    uint32_t page = 0;   ///< from 1; 0: it has none
    std::string heading;
    std::string before;  ///< the document's own words around it …
    std::string match;
    std::string after;  ///< … up to about a line each
};

/// What stands between quotation marks, or in Markdown's quotations, and is more than a word or a name: at
/// least 12 bytes and two words. In their order, each once.
std::vector<std::string> quotationsIn(std::string_view answer);

/// Each of these, found or not: without regard to case, spaces, kinds of quotation marks and dashes, and
/// Markdown's marks of emphasis.
Result<std::vector<Quote>> findQuotes(HistoryReader& history, RowId conversation, std::string_view answer);

}  // namespace ingle::history
