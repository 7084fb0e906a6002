/// Encodes and decodes UTF-8 with libutf8proc.
#pragma once

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace ingle {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;
inline constexpr std::string_view kReplacementText = "\uFFFD";

/// The first character of a text.
struct FirstCharacter {
    char32_t code = 0;
    size_t bytes = 1;
    bool isWellFormed = true;  ///< false for a byte that begins no character, which has no code
};

/// Decodes the first character of `text`, which must not be empty.
inline FirstCharacter firstCharacter(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {lead, 1};
    utf8proc_int32_t code = 0;
    const auto bytes =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(std::min<size_t>(text.size(), 4)), &code);
    if (bytes <= 0) return {.isWellFormed = false};
    return {static_cast<char32_t>(code), static_cast<size_t>(bytes)};
}

/// Returns the code point of the first character, or U+FFFD if the bytes are not UTF-8.
inline char32_t codePointOf(std::string_view text) {
    const FirstCharacter first = firstCharacter(text);
    return first.isWellFormed ? first.code : kReplacementCharacter;
}

/// Encodes a code point of at most U+10FFFF.
inline std::string encodeUtf8(char32_t code) {
    utf8proc_uint8_t bytes[4];
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
    return {reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)};
}

/// Returns whether a character can begin at byte `at`: there is no continuation byte, or the text ends.
inline bool isBoundary(std::string_view text, size_t at) {
    return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

/// Returns the last boundary up to byte `most`, or the end of the text.
inline size_t boundaryUpTo(std::string_view text, size_t most) {
    if (most >= text.size()) return text.size();
    while (most > 0 && !isBoundary(text, most)) --most;
    return most;
}

}  // namespace ingle
