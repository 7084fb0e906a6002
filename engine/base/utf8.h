/// Code points ↔ UTF-8. Source: RFC 3629.
#pragma once

#include <string>
#include <string_view>

namespace ingle::base {

/// The code point of a text that holds one well-formed character; U+FFFD for a single byte that is none.
inline char32_t codePointOf(std::string_view character) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
    if (byte(0) < 0x80) return byte(0);
    if (character.size() == 1) return 0xFFFD;
    char32_t code = byte(0) & (0x7Fu >> character.size());
    for (size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte(i) & 0x3Fu);
    return code;
}

/// `code` is at most U+10FFFF.
inline std::string encodeUtf8(char32_t code) {
    if (code < 0x80) return {static_cast<char>(code)};
    const auto tail = [code](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
    if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
    return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

}  // namespace ingle::base
