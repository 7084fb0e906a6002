#include "app/content/formulas.h"

#include <algorithm>
#include <cctype>

#include "app/content/characters.h"

namespace ingle::content {
namespace {

constexpr size_t kMaxFormulas = 4096;        ///< three digits to the base of 16
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

Formula formulaOf(std::string_view source) {
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

}  // namespace

MaskedText::MaskedText(std::string_view text, char barrier) {
    if (text.find_first_of("$\\") == std::string_view::npos) {
        m_masked = text;
        return;
    }
    FormulaFinder finder(text, barrier);
    size_t copied = 0;
    constexpr std::string_view kStops = "$\\`]";
    for (size_t at = text.find_first_of(kStops); at < text.size(); at = text.find_first_of(kStops, at)) {
        if (text[at] == '`') {
            at = codeSpanAt(text, at).end;
        } else if (text[at] == ']') {
            at = text.substr(at, 2) == "](" ? targetEnd(text, at) : at + 1;
        } else if (const auto end = m_formulas.size() < kMaxFormulas ? finder.endOf(at) : std::nullopt) {
            m_masked.append(text, copied, at - copied).append(kMask);
            for (const int shift : {8, 4, 0}) {
                m_masked.append("\xEF\xB7");
                m_masked.push_back(static_cast<char>(kFirstDigit + ((m_formulas.size() >> shift) & 0xFU)));
            }
            m_formulas.emplace_back(text.substr(at, *end - at));
            copied = at = *end;
        } else {
            at += text[at] == '\\' ? 2 : 1;
        }
    }
    m_masked.append(text.substr(copied));
}

std::string_view MaskedText::formula(std::string_view mask) const {
    size_t number = 0;
    if (mask.size() < kMaskBytes) return {};
    for (const size_t digit : {size_t(5), size_t(8), size_t(11)})
        number = number * 16 + (static_cast<unsigned char>(mask[digit]) - kFirstDigit);
    return number < m_formulas.size() ? std::string_view(m_formulas[number]) : std::string_view();
}

}  // namespace ingle::content
