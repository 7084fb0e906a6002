/// The shadow text that is searched instead of the original. Private to app/history and its tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ingle::history {

/// U+001F is a separator to unicode61 like a space, and unlike a space can be told from the text's own.
inline constexpr char kSeparator = '\x1f';

/// Puts a separator around every CJK code point, so that FTS5's unicode61 tokenizer, which knows no word
/// boundaries there, makes each one a token; control characters that would disturb the index or its snippets
/// become spaces. Invalid UTF-8 is copied byte by byte.
std::string foldForSearch(std::string_view text);

/// Every word of what was typed, in any order; what stands between quotes as one phrase.
struct SearchQuery {
    std::string words;           ///< for FTS5, every character literal; empty: there is none
    std::string beginning;       ///< the same, the last word also as the beginning of one; empty: it is whole
    size_t beginningLength = 0;  ///< characters of that word
    std::vector<std::string>
        phrases;  ///< each word, or what stood between quotes, as foldForSearch() makes it
};
SearchQuery searchQuery(std::string_view text);

}  // namespace ingle::history
