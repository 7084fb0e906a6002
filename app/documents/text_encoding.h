/// Bytes of text files → UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ingle::documents {

/// An encoding by a name that iconv knows.
struct TextEncoding {
    const char* name;
    bool isGuess = false;  ///< by what the text would say in it
};

/// What a file's bytes are as text, by content: Unicode by its mark or its form, or else the encoding in
/// which they are most plausible (see plausibility.h). Nothing: it is no text.
std::optional<TextEncoding> textEncoding(std::string_view bytes);
/// The encoding that is meant by a name on a web page, if iconv knows it.
std::optional<TextEncoding> namedEncoding(std::string_view label);
/// Has the C library load what all this needs, for a process that may open no file afterwards.
void prepareEncodings();

/// As UTF-8, without a byte order mark, nothing else changed: bytes that are nothing become U+FFFD.
std::string decodedText(std::string_view bytes, const TextEncoding& encoding);

/// Appends UTF-8 to `out` as a document holds it: every line ends in one \n (also where it ended in \r\n, a
/// page's end or U+2028), control characters and U+FEFF are gone, and bytes that are no UTF-8 are U+FFFD.
void appendClean(std::string& out, std::string_view text);

/// All of that: bytes of a text file as a document's text. Nothing: it is no text.
struct ReadText {
    std::string text;
    std::string guess;  ///< the encoding, where it is one
};
std::optional<ReadText> readText(std::string_view bytes);

/// On one line, spaces folded, at most limits::kWordsBytes long.
std::string oneLine(std::string_view text);

}  // namespace ingle::documents
