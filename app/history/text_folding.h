/// The shadow text that is searched instead of the original. Private to app/history and its tests.
#pragma once

#include <string>
#include <string_view>

namespace ingle::history {

/// U+001F is a separator to unicode61 like a space, and unlike a space can be told from the text's own.
inline constexpr char kSeparator = '\x1f';

/// Puts a separator around every CJK code point, so that FTS5's unicode61 tokenizer, which knows no word
/// boundaries there, makes each one a token; control characters that would disturb the index or its snippets
/// become spaces. Invalid UTF-8 is copied byte by byte.
std::string foldForSearch(std::string_view text);

/// The FTS5 query that finds every word of what was typed, in any order: the last one also as the beginning
/// of a word unless a space follows, what stands between quotes as one phrase. Every character is literal.
/// Empty when there is no word.
std::string searchQuery(std::string_view text);

}  // namespace ingle::history
