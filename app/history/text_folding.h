/// The shadow text that is searched instead of the original. Private to app/history and its tests.
#pragma once

#include <string>
#include <string_view>

namespace ingle::history {

/// Puts a separator around every CJK code point, so that FTS5's unicode61 tokenizer, which knows no word
/// boundaries there, makes each one a token; control characters that would disturb the index or its snippets
/// become spaces. Invalid UTF-8 is copied byte by byte.
std::string foldForSearch(std::string_view text);

/// Takes the separators out again (of a snippet).
std::string unfold(std::string_view folded);

/// The FTS5 query that finds the folded text as one phrase; every character of it is literal.
std::string phraseQuery(std::string_view text);

}  // namespace ingle::history
