#include "app/content/formulas.h"

#include <algorithm>
#include <cctype>

#include "app/content/characters.h"
#include "ingle/utf8.h"

namespace ingle::content {
namespace {

constexpr size_t kMaxMasks = 4096;           ///< three digits to the base of 16
constexpr unsigned char kFirstDigit = 0x91;  ///< the last byte of U+FDD1

bool isAlnum(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
}

/// "5 and 10": two prices with words between them.
bool looksLikePrices(std::string_view tex) {
    if (std::isdigit(static_cast<unsigned char>(tex[0])) == 0) return false;
    if (tex.find_first_of("\\^_={}<>+*/") != std::string_view::npos) return false;
    for (size_t at = 0; at + 2 < tex.size(); ++at) {
        if (isSpace(tex[at]) && std::isalpha(static_cast<unsigned char>(tex[at + 1])) != 0 &&
            std::isalpha(static_cast<unsigned char>(tex[at + 2])) != 0)
            return true;
    }
    return false;
}

}  // namespace

std::string_view closingMark(std::string_view text) {
    if (text.starts_with("$$")) return "$$";
    if (text.starts_with("$")) return "$";
    if (text.starts_with("\\[")) return "\\]";
    if (text.starts_with("\\(")) return "\\)";
    return {};
}

std::string environmentEnd(std::string_view text) {
    constexpr std::string_view kBegin = "\\begin{";
    constexpr std::string_view kNames[] = {"align",    "alignat", "aligned",  "array",    "bmatrix",
                                           "Bmatrix",  "cases",   "eqnarray", "equation", "gather",
                                           "gathered", "matrix",  "multline", "pmatrix",  "smallmatrix",
                                           "split",    "vmatrix", "Vmatrix"};
    if (!text.starts_with(kBegin)) return {};
    text.remove_prefix(kBegin.size());
    std::string_view name = text.substr(0, text.find('}'));
    if (name.size() == text.size()) return {};
    const std::string_view plain = name.ends_with('*') ? name.substr(0, name.size() - 1) : name;
    if (std::ranges::find(kNames, plain) == std::end(kNames)) return {};
    return std::string("\\end{").append(name).append("}");
}

std::optional<size_t> endOfFormula(std::string_view text) {
    const std::string environment = environmentEnd(text);
    if (environment.empty()) return FormulaFinder(text).endOf(0);
    const size_t end = text.find(environment);
    if (end == text.npos) return std::nullopt;
    return end + environment.size();
}

Formula formulaOf(std::string_view source) {
    if (const std::string environment = environmentEnd(source); !environment.empty()) {
        const size_t end = source.rfind(environment);
        return {source.substr(0, end == source.npos ? end : end + environment.size()), true};
    }
    const std::string_view mark = closingMark(source);
    Formula out{source, mark == "$$" || mark == "\\]"};
    out.tex.remove_prefix(mark.size());
    // A full stop or comma may follow, which belongs to the sentence.
    if (const size_t end = out.tex.rfind(mark); end != std::string_view::npos)
        out.tex = out.tex.substr(0, end);
    return out;
}

std::optional<size_t> FormulaFinder::endOfDollars(size_t at) const {
    if (at > 0 && (isAlnum(m_text[at - 1]) || m_text[at - 1] == '$')) return std::nullopt;
    const size_t begin = at + 1;
    if (begin >= m_text.size() || isSpace(m_text[begin])) return std::nullopt;
    size_t end = begin;
    while (end < m_text.size() && m_text[end] != '$' && m_text[end] != '`')
        end += m_text[end] == '\\' ? 2 : 1;
    if (end >= m_text.size() || m_text[end] != '$' || isSpace(m_text[end - 1])) return std::nullopt;
    if (end + 1 < m_text.size() && (isAlnum(m_text[end + 1]) || m_text[end + 1] == '$')) return std::nullopt;
    if (looksLikePrices(m_text.substr(begin, end - begin))) return std::nullopt;
    return end + 1;
}

std::optional<size_t> FormulaFinder::endOf(size_t at) {
    const std::string_view mark = closingMark(m_text.substr(at));
    if (mark.empty()) return std::nullopt;
    std::optional<size_t> end;
    if (mark == "$") {
        end = endOfDollars(at);
    } else {
        size_t& none = mark == "$$" ? m_noDollars : mark == "\\)" ? m_noRound : m_noSquare;
        if (at >= none) return std::nullopt;
        const size_t close = m_text.find(mark, at + 2);
        if (close == std::string_view::npos) {
            none = at;
        } else if (m_text.find_first_not_of(" \t\n", at + 2) < close) {
            end = close + 2;
        }
    }
    if (end && m_barrier != 0 && m_text.substr(at, *end - at).find(m_barrier) != std::string_view::npos)
        return std::nullopt;
    return end;
}

CodeSpan codeSpanAt(std::string_view text, size_t at) {
    const auto runEnd = [&](size_t begin) {
        return std::min(text.find_first_not_of('`', begin), text.size());
    };
    const size_t inner = runEnd(at);
    for (size_t close = text.find('`', inner); close != std::string_view::npos;) {
        const size_t end = runEnd(close);
        if (end - close == inner - at) return {end, true};
        close = text.find('`', end);
    }
    return {inner, false};
}

namespace {

/// Where the target of a link ends that begins at `at` ("](").
size_t targetEnd(std::string_view text, size_t at) {
    at += 2;
    while (at < text.size() && text[at] != ')' && !isSpace(text[at])) at += text[at] == '\\' ? 2 : 1;
    return at;
}

/// Punctuation of scripts without spaces: full-width forms, CJK marks and quotation marks.
bool isWidePunctuation(char32_t code) {
    return (code >= 0x3000 && code <= 0x303F) || (code >= 0xFF01 && code <= 0xFF0F) ||
           (code >= 0xFF1A && code <= 0xFF20) || (code >= 0xFF3B && code <= 0xFF40) ||
           (code >= 0xFF5B && code <= 0xFF65) || (code >= 0x2014 && code <= 0x201F) || code == 0x2026;
}

/// Han, Kana, Hangul.
bool isWideLetter(char32_t code) {
    return (code >= 0x3040 && code <= 0x30FF) || (code >= 0x3400 && code <= 0x4DBF) ||
           (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0xAC00 && code <= 0xD7AF) ||
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x20000 && code <= 0x3134F);
}

/// Whether emphasis that stands between such punctuation and such a letter is meant to begin or end there.
bool isMeant(char32_t punctuation, char32_t letter, bool hasLinks) {
    const bool isWide = isWidePunctuation(punctuation);
    const bool isNarrow =
        punctuation < 0x80 &&
        std::string_view(hasLinks ? ".:;,!?%" : ".:;,!?%)").find(static_cast<char>(punctuation)) !=
            std::string_view::npos;
    const bool isLetter =
        isWideLetter(letter) || (isWide && (letter >= 0x80 || isAlnum(static_cast<char>(letter))));
    return (isWide || isNarrow) && isLetter && !isWidePunctuation(letter);
}

/// Where the character before `at` begins.
size_t characterBefore(std::string_view text, size_t at) {
    do --at;
    while (at > 0 && !isBoundary(text, at));
    return at;
}

}  // namespace

MaskedText::MaskedText(std::string_view text, char barrier) {
    const bool isAscii =
        std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (text.find_first_of(isAscii ? "$\\" : "$\\*") == std::string_view::npos) {
        m_masked = text;
        return;
    }
    FormulaFinder finder(text, barrier);
    const bool hasLinks = text.find("](") != std::string_view::npos;
    size_t copied = 0;
    const auto maskAt = [&](size_t begin, size_t end, bool isFormula) {
        m_masked.append(text, copied, begin - copied);
        mask(text.substr(begin, end - begin), isFormula);
        copied = end;
    };
    constexpr std::string_view kStops = "$\\`]*";
    for (size_t at = text.find_first_of(kStops); at < text.size(); at = text.find_first_of(kStops, at)) {
        const bool hasRoom = m_held.size() < kMaxMasks;
        if (text[at] == '`') {
            at = codeSpanAt(text, at).end;
        } else if (text[at] == ']') {
            at = text.substr(at, 2) == "](" ? targetEnd(text, at) : at + 1;
        } else if (text[at] == '*') {
            const size_t end = std::min(text.find_first_not_of('*', at), text.size());
            if (!isAscii && hasRoom && at > copied && end < text.size()) {
                const size_t begin = characterBefore(text, at);
                const FirstCharacter before = firstCharacter(text.substr(begin));
                const FirstCharacter after = firstCharacter(text.substr(end));
                if (isMeant(before.code, after.code, hasLinks))
                    maskAt(begin, at, false);
                else if (isMeant(after.code, before.code, hasLinks) && after.code >= 0x80)
                    maskAt(end, end + after.bytes, false);
            }
            at = std::max(end, copied);
        } else if (const auto end = hasRoom ? finder.endOf(at) : std::nullopt) {
            maskAt(at, *end, true);
            at = *end;
        } else {
            at += text[at] == '\\' ? 2 : 1;
        }
    }
    m_masked.append(text.substr(copied));
}

void MaskedText::mask(std::string_view text, bool isFormula) {
    m_masked.append(kMask);
    for (const int shift : {8, 4, 0}) {
        m_masked.append("\xEF\xB7");
        m_masked.push_back(static_cast<char>(kFirstDigit + ((m_held.size() >> shift) & 0xFU)));
    }
    m_held.push_back({std::string(text), isFormula});
}

const MaskedText::Held* MaskedText::held(std::string_view mask) const {
    size_t number = 0;
    if (mask.size() < kMaskBytes) return nullptr;
    for (const size_t digit : {size_t(5), size_t(8), size_t(11)})
        number = number * 16 + (static_cast<unsigned char>(mask[digit]) - kFirstDigit);
    return number < m_held.size() ? &m_held[number] : nullptr;
}

}  // namespace ingle::content
