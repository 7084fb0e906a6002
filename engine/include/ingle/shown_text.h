/// Texts from files, drivers and models, as they are shown to people: on one line and without anything that a
/// terminal or a window would obey.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "ingle/utf8.h"

namespace ingle {

/// Controls (C0, DEL, C1), line separators, and what turns the direction of text: Unicode 15.0, chapters 23.1
/// and 23.2.
constexpr bool isObeyed(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C ||
           (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/// The text with \n, \t, \x1b or \u{202e} in place of what would be obeyed and of bytes that are no UTF-8.
/// What is escaped already stays as it is. `kept`: characters to leave alone.
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

/// Enough to recognise a name by, and no more than a line.
inline constexpr size_t kShownCharacters = 80;

/// escaped(), and cut to kShownCharacters with an ellipsis as the last.
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
