/// Makes texts from files, drivers and models safe to show: they stay on one line and contain no character
/// that controls a terminal or a window.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "ingle/utf8.h"

namespace ingle {

/// Returns whether a character controls a terminal or a window: a control code (C0, DEL, C1), a separator of
/// lines, a mark of the direction of text, or a byte order mark. Source: Unicode 15.0, chapters 23.1
/// and 23.2.
constexpr bool isObeyed(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C ||
           (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/// Returns the text with escapes such as \n, \t, \x1b or \u{202e} in place of control characters (isObeyed())
/// and of bytes that are not UTF-8. A text that is escaped already does not change. `kept`: ASCII characters
/// that are not escaped.
inline std::string escaped(std::string_view text, std::string_view kept = {}) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const FirstCharacter first = firstCharacter(text);
        const bool isByte = first.bytes == 1;
        if (isByte && kept.find(text[0]) != std::string_view::npos)
            result += text[0];
        else if (text[0] == '\n')
            result += "\\n";
        else if (text[0] == '\t')
            result += "\\t";
        else if (!first.isWellFormed || (isByte && isObeyed(first.code)))
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else if (isObeyed(first.code))
            result += fmt::format("\\u{{{:x}}}", static_cast<uint32_t>(first.code));
        else
            result += text.substr(0, first.bytes);
        text.remove_prefix(first.bytes);
    }
    return result;
}

/// How many characters of a name are shown: enough to recognise it, and at most a line.
inline constexpr size_t kShownCharacters = 80;

/// Escapes a text and cuts it to kShownCharacters, with an ellipsis as the last if it was longer.
inline std::string shown(std::string_view text) {
    // No character has more than four bytes, and none becomes shorter.
    std::string whole = escaped(text.substr(0, 4 * (kShownCharacters + 1)));
    size_t end = 0, beforeLast = 0;
    for (size_t count = 0; end < whole.size(); ++count) {
        if (count == kShownCharacters) return whole.substr(0, beforeLast) + "\u2026";
        if (count == kShownCharacters - 1) beforeLast = end;
        end += firstCharacter(std::string_view(whole).substr(end)).bytes;
    }
    return whole;
}

}  // namespace ingle
