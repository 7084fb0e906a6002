#include "app/history/text/text_folding.h"

#include <array>
#include <cstdint>
#include <utility>

#include "ingle/utf8.h"

namespace ingle::history {
namespace {

struct CodePointRange {
    char32_t first;
    char32_t last;
};

/// Scripts written without spaces between words, or (Hangul) with particles joined to them. Source:
/// Blocks.txt of the Unicode Character Database.
constexpr std::array kCjk{
    CodePointRange{0x1100, 0x11FF},    // Hangul Jamo
    CodePointRange{0x2E80, 0x2FDF},    // CJK and Kangxi radicals
    CodePointRange{0x3005, 0x3007},    // iteration mark, closing mark, zero
    CodePointRange{0x3040, 0x318F},    // Hiragana, Katakana, Bopomofo, Hangul compatibility Jamo
    CodePointRange{0x31A0, 0x31FF},    // Bopomofo extended, strokes, Katakana extensions
    CodePointRange{0x3400, 0x4DBF},    // Han extension A
    CodePointRange{0x4E00, 0x9FFF},    // Han
    CodePointRange{0xA960, 0xA97F},    // Hangul Jamo extended A
    CodePointRange{0xAC00, 0xD7FF},    // Hangul syllables, Jamo extended B
    CodePointRange{0xF900, 0xFAFF},    // Han compatibility
    CodePointRange{0xFF66, 0xFFDC},    // halfwidth Katakana and Hangul
    CodePointRange{0x1AFF0, 0x1B16F},  // Kana extended and supplement
    CodePointRange{0x20000, 0x3FFFF},  // Han extensions B and later
};

bool isCjk(char32_t codePoint) {
    for (const CodePointRange& range : kCjk) {
        if (codePoint <= range.last) return codePoint >= range.first;
    }
    return false;
}

constexpr size_t kMostWords = 64;  // of a query: somebody pasted a page

/// Characters of the last token; 0 for a CJK one, which is whole.
size_t lastTokenLength(std::string_view folded) {
    size_t characters = 0;
    while (!folded.empty()) {
        const FirstCharacter first = firstCharacter(folded);
        characters = isCjk(first.code) || first.code == kSeparator ? 0 : characters + 1;
        folded.remove_prefix(first.bytes);
    }
    return characters;
}

}  // namespace

std::string foldForSearch(std::string_view text) {
    std::string folded;
    folded.reserve(text.size() + text.size() / 2);
    const auto separate = [&] {
        if (!folded.empty() && folded.back() != kSeparator) folded += kSeparator;
    };
    bool afterCjk = false;
    while (!text.empty()) {
        const FirstCharacter first = firstCharacter(text);
        const bool cjk = isCjk(first.code);
        if (cjk || afterCjk) separate();
        const bool control = first.isWellFormed && first.code < 0x20 && text[0] != '\n' && text[0] != '\t';
        if (control) {
            folded += ' ';
        } else {
            folded += text.substr(0, first.bytes);
        }
        afterCjk = cjk;
        text.remove_prefix(first.bytes);
    }
    return folded;
}

SearchQuery searchQuery(std::string_view text) {
    const auto isSpace = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
    SearchQuery query;
    size_t words = 0;
    for (size_t at = 0; at < text.size() && words < kMostWords;) {
        if (isSpace(text[at])) {
            ++at;
            continue;
        }
        // A quote that is never closed is a character like any other.
        const size_t closing = text[at] == '"' ? text.find('"', at + 1) : std::string_view::npos;
        const bool quoted = closing != std::string_view::npos;
        const size_t begin = quoted ? at + 1 : at;
        size_t end = quoted ? closing : at;
        while (!quoted && end < text.size() && !isSpace(text[end])) ++end;
        const std::string folded = foldForSearch(text.substr(begin, end - begin));
        query.words += words > 0 ? " \"" : "\"";
        for (const char c : folded) {
            if (c == '"') query.words += '"';
            query.words += c;
        }
        query.words += '"';
        at = quoted ? end + 1 : end;
        ++words;
        // Nothing follows: it is still being typed.
        if (at == text.size() && !quoted) query.beginningLength = lastTokenLength(folded);
        query.phrases.push_back(folded);
    }
    if (query.beginningLength > 0) query.beginning = query.words + " *";
    return query;
}

}  // namespace ingle::history
