/// Bytes of text files → UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ingle::documents {

enum class TextEncoding { Utf8, Utf16Le, Utf16Be, Latin1 };

/// What a file's bytes are as text, by content: UTF-16 only with its byte order mark; Latin-1 (as people mean
/// it, Windows-1252) by a guess, where most bytes are ASCII. Nothing: it is no text.
std::optional<TextEncoding> textEncoding(std::string_view bytes);

/// As UTF-8, without a byte order mark, nothing else changed: units that pair with none become U+FFFD.
std::string decodedText(std::string_view bytes, TextEncoding encoding);

/// Appends UTF-8 to `out` as a document holds it: every line ends in one \n (also where it ended in \r\n, a
/// page's end or U+2028), control characters and U+FEFF are gone, and bytes that are no UTF-8 are U+FFFD.
void appendClean(std::string& out, std::string_view text);

/// All of that: bytes of a text file as a document's text. Nothing: it is no text.
struct ReadText {
    std::string text;
    bool isGuess = false;  ///< it was taken for Latin-1
};
std::optional<ReadText> readText(std::string_view bytes);

/// On one line, spaces folded, at most limits::kWordsBytes long.
std::string oneLine(std::string_view text);

}  // namespace ingle::documents
