#include "app/documents/text_encoding.h"

#include <algorithm>
#include <array>

#include "app/documents/limits.h"
#include "ingle/shown_text.h"
#include "ingle/utf8.h"

namespace ingle::documents {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF", kLittleMark = "\xFF\xFE", kBigMark = "\xFE\xFF";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Windows-1252's 0x80 to 0x9F; 0 where it has nothing. Source: the WHATWG Encoding Standard's index of it.
constexpr std::array<char16_t, 32> kWindows1252{
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

unsigned char byteAt(std::string_view bytes, size_t i) {
    return static_cast<unsigned char>(bytes[i]);
}

/// Controls that texts have: tabs, ends of lines and pages, backspaces and escapes of terminals.
bool isTextControl(unsigned char byte) {
    return (byte >= 0x08 && byte <= 0x0D) || byte == 0x1B;
}

bool isUtf8(std::string_view text) {
    while (!text.empty()) {
        const FirstCharacter first = firstCharacter(text);
        if (first.bytes == 1 && byteAt(text, 0) >= 0x80) return false;
        text.remove_prefix(first.bytes);
    }
    return true;
}

/// The last place up to `most` where a character begins, or the end.
size_t characterBoundary(std::string_view text, size_t most) {
    if (most >= text.size()) return text.size();
    while (most > 0 && (byteAt(text, most) & 0xC0) == 0x80) --most;
    return most;
}

std::string fromUtf16(std::string_view bytes, bool isBig) {
    const auto unit = [&](size_t i) {
        const unsigned char first = byteAt(bytes, i), second = byteAt(bytes, i + 1);
        return static_cast<char32_t>(isBig ? first << 8 | second : second << 8 | first);
    };
    std::string text;
    for (size_t i = 2; i + 1 < bytes.size(); i += 2) {
        char32_t code = unit(i);
        if (code >= 0xD800 && code < 0xDC00 && i + 3 < bytes.size() && (unit(i + 2) & 0xFC00) == 0xDC00) {
            code = 0x10000 + ((code - 0xD800) << 10) + (unit(i + 2) - 0xDC00);
            i += 2;
        }
        text += code >= 0xD800 && code < 0xE000 ? std::string(kReplacement) : encodeUtf8(code);
    }
    return text;
}

std::string fromLatin1(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 8);
    for (const char each : bytes) {
        const auto byte = static_cast<unsigned char>(each);
        const char16_t special = byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80] : char16_t{0};
        if (byte < 0x80)
            text += each;
        else
            text += encodeUtf8(special ? special : byte);
    }
    return text;
}

}  // namespace

std::optional<TextEncoding> textEncoding(std::string_view bytes) {
    if (bytes.size() % 2 == 0 && bytes.starts_with(kLittleMark)) return TextEncoding::Utf16Le;
    if (bytes.size() % 2 == 0 && bytes.starts_with(kBigMark)) return TextEncoding::Utf16Be;
    size_t controls = 0, high = 0;
    for (const char each : bytes) {
        const auto byte = static_cast<unsigned char>(each);
        if (byte == 0) return std::nullopt;
        controls += byte < 0x20 && !isTextControl(byte);
        high += byte >= 0x80;
    }
    if (controls * 100 > bytes.size()) return std::nullopt;
    if (isUtf8(bytes)) return TextEncoding::Utf8;
    // No text of a Western language has more letters with accents than without; one of another script would
    // be nonsense if it were read so.
    return controls == 0 && high * 3 < bytes.size() ? std::optional(TextEncoding::Latin1) : std::nullopt;
}

std::string decodedText(std::string_view bytes, TextEncoding encoding) {
    switch (encoding) {
        case TextEncoding::Utf8:
            return std::string(bytes.substr(bytes.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0));
        case TextEncoding::Utf16Le:
            return fromUtf16(bytes, false);
        case TextEncoding::Utf16Be:
            return fromUtf16(bytes, true);
        case TextEncoding::Latin1:
            break;
    }
    return fromLatin1(bytes);
}

void appendClean(std::string& out, std::string_view text) {
    while (!text.empty()) {
        // Most of a text is plain; it is copied as a whole.
        const size_t plain = static_cast<size_t>(
            std::ranges::find_if_not(text, [](char c) { return c >= 0x20 && c < 0x7F; }) - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) return;
        const FirstCharacter first = firstCharacter(text);
        if (first.bytes == 1 && byteAt(text, 0) >= 0x80) {
            out += kReplacement;
        } else if (text[0] == '\r') {
            if (!text.starts_with("\r\n")) out += '\n';
        } else if (text[0] == '\n' || text[0] == '\f' || text[0] == '\v' || first.code == 0x85 ||
                   first.code == 0x2028 || first.code == 0x2029) {
            out += '\n';
        } else if (text[0] == '\t' || !(first.code < 0x20 || (first.code >= 0x7F && first.code < 0xA0) ||
                                        first.code == 0xFEFF)) {
            out += text.substr(0, first.bytes);
        }
        text.remove_prefix(first.bytes);
    }
}

std::optional<ReadText> readText(std::string_view bytes) {
    const auto encoding = textEncoding(bytes);
    if (!encoding) return std::nullopt;
    ReadText read{.isGuess = *encoding == TextEncoding::Latin1};
    appendClean(read.text, decodedText(bytes, *encoding));
    return read;
}

std::string oneLine(std::string_view text) {
    std::string clean, line;
    appendClean(clean, text.substr(0, characterBoundary(text, 4 * limits::kWordsBytes)));
    for (const char each : clean) {
        const bool isSpace = each == ' ' || each == '\n' || each == '\t';
        if (!isSpace)
            line += each;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (line.ends_with(' ')) line.pop_back();
    constexpr std::string_view kEllipsis = "\u2026";
    if (line.size() > limits::kWordsBytes) {
        line.resize(characterBoundary(line, limits::kWordsBytes - kEllipsis.size()));
        line += kEllipsis;
    }
    return line;
}

}  // namespace ingle::documents
