#include <algorithm>
#include <optional>

#include "engine/chat/jinja/lexer.h"
#include "engine/chat/jinja/text.h"

namespace ingle::chat::jinja {
namespace {

constexpr std::string_view kSpaces = " \t\n\r\v\f";
/// Longest first.
constexpr std::string_view kOperators[] = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                           "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                           ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};

/// Line ends become \n; a single one at the end is dropped.
std::string normalized(std::string_view source) {
    std::string text;
    text.reserve(source.size());
    for (size_t i = 0; i < source.size(); ++i) {
        if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
        text += source[i] == '\r' ? '\n' : source[i];
    }
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

bool isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// The value of a string literal's escapes, as in Python: an unknown escape stays as it is.
class Unescaper {
  public:
    explicit Unescaper(std::string_view body) : m_body(body) {}

    std::string run() {
        while (m_at < m_body.size()) {
            if (m_body[m_at] != '\\' || m_at + 1 == m_body.size()) {
                m_out += m_body[m_at++];
                continue;
            }
            const char kind = m_body[m_at + 1];
            m_at += 2;
            escape(kind);
        }
        return std::move(m_out);
    }

  private:
    void escape(char kind) {
        constexpr std::string_view kNames = "\\'\"abfnrtv";
        constexpr std::string_view kValues = "\\'\"\a\b\f\n\r\t\v";
        if (const size_t simple = kNames.find(kind); simple != std::string_view::npos) {
            m_out += kValues[simple];
            return;
        }
        if (kind == '\n') return;
        if (kind >= '0' && kind <= '7') {
            --m_at;
            number(8, 1, 3, kind);
            return;
        }
        const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
        if (digits == 0)
            (m_out += '\\') += kind;
        else
            number(16, digits, digits, kind);
    }

    void number(unsigned base, size_t fewest, size_t most, char kind) {
        const std::string_view digits = std::string_view("0123456789abcdef").substr(0, base);
        char32_t code = 0;
        size_t count = 0;
        for (; count < most && m_at + count < m_body.size(); ++count) {
            const char c = m_body[m_at + count];
            const size_t digit = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
            if (digit == std::string_view::npos) break;
            code = code * base + static_cast<char32_t>(digit);
        }
        if (count < fewest) {
            (m_out += '\\') += kind;
            return;
        }
        m_at += count;
        const bool isCharacter = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
        m_out += encodeUtf8(isCharacter ? code : 0xFFFD);
    }

    std::string_view m_body;
    size_t m_at = 0;
    std::string m_out;
};

class Lexer {
  public:
    explicit Lexer(std::string_view source) : m_source(source) {}

    Result<std::vector<Token>> run() {
        while (m_at < m_source.size()) INGLE_TRY(next());
        push(Token::Kind::End, "");
        return std::move(m_tokens);
    }

  private:
    /// Data up to the next tag, and the tag.
    Status next() {
        const size_t begin = m_at;
        size_t tag = begin;
        do {
            tag = m_source.find('{', tag);
            if (tag == std::string_view::npos || tag + 1 == m_source.size()) tag = m_source.size();
        } while (tag < m_source.size() &&
                 std::string_view("{%#").find(m_source[tag + 1]) == std::string_view::npos && ++tag);
        const bool isTag = tag < m_source.size();
        const char kind = isTag ? m_source[tag + 1] : '\0';
        const char sign = isTag && tag + 2 < m_source.size() ? m_source[tag + 2] : '\0';
        data(begin, tag, kind, sign);
        m_at = tag;
        if (!isTag) return {};
        m_at = tag + (sign == '-' || (sign == '+' && kind != '{') ? 3 : 2);
        if (kind == '#') return comment();
        if (kind == '%' && startsRaw()) return raw();
        const bool isBlock = kind == '%';
        push(isBlock ? Token::Kind::BlockBegin : Token::Kind::OutputBegin, "");
        return expression(isBlock);
    }

    /// Text between tags: `{%-` takes all space before it away, a block or comment that begins a line its
    /// indentation.
    void data(size_t begin, size_t end, char tag, char sign) {
        std::string_view text = m_source.substr(begin, end - begin);
        if (sign == '-') {
            const Range rest = stripped(text, Side::Right, isSpace);
            text = text.substr(rest.begin, rest.size);
        } else if ((tag == '%' || tag == '#') && sign != '+') {
            const size_t line = text.rfind('\n') + 1;
            const bool beginsLine = line > 0 || begin == 0 || m_source[begin - 1] == '\n';
            if (beginsLine && text.find_first_not_of(kSpaces, line) == std::string_view::npos)
                text = text.substr(0, line);
        }
        if (!text.empty()) push(Token::Kind::Data, std::string(text));
        countLines(begin, end);
    }

    void countLines(size_t begin, size_t end) {
        m_line += static_cast<size_t>(std::ranges::count(m_source.substr(begin, end - begin), '\n'));
    }

    /// Behind the end of a tag at m_at: `-%}` takes all space after it away, a plain `%}` one newline.
    void afterTag(char sign, bool trimsNewline) {
        const size_t begin = m_at;
        if (sign == '-') {
            const std::string_view rest = m_source.substr(m_at);
            m_at += stripped(rest, Side::Left, isSpace).begin;
        } else if (trimsNewline && sign != '+' && m_at < m_source.size() && m_source[m_at] == '\n') {
            ++m_at;
        }
        countLines(begin, m_at);
    }

    Status comment() {
        const size_t end = m_source.find("#}", m_at);
        if (end == std::string_view::npos)
            return fail(ErrorCode::Corrupt, "line {}: a comment has no end", m_line);
        const char sign = end > m_at ? m_source[end - 1] : '\0';
        countLines(m_at, end);
        m_at = end + 2;
        afterTag(sign, true);
        return {};
    }

    /// Skips "word %}" with optional signs and space; null when something else follows `at`.
    std::optional<size_t> endOfWordTag(size_t at, std::string_view word) const {
        at = std::min(m_source.find_first_not_of(kSpaces, at), m_source.size());
        if (!m_source.substr(at).starts_with(word)) return std::nullopt;
        at = std::min(m_source.find_first_not_of(kSpaces, at + word.size()), m_source.size());
        if (at < m_source.size() && (m_source[at] == '-' || m_source[at] == '+')) ++at;
        if (!m_source.substr(at).starts_with("%}")) return std::nullopt;
        return at + 2;
    }

    bool startsRaw() const { return endOfWordTag(m_at, "raw").has_value(); }

    /// {% raw %} … {% endraw %}: nothing inside is a tag.
    Status raw() {
        m_at = *endOfWordTag(m_at, "raw");
        afterTag(m_source[m_at - 3], true);
        const size_t begin = m_at;
        for (size_t tag = m_source.find("{%", begin); tag != std::string_view::npos;
             tag = m_source.find("{%", tag + 2)) {
            const char sign = tag + 2 < m_source.size() ? m_source[tag + 2] : '\0';
            const auto end = endOfWordTag(tag + (sign == '-' || sign == '+' ? 3 : 2), "endraw");
            if (!end) continue;
            data(begin, tag, '%', sign);
            m_at = *end;
            afterTag(m_source[m_at - 3], true);
            return {};
        }
        return fail(ErrorCode::Corrupt, "line {}: 'raw' has no end", m_line);
    }

    Status expression(bool isBlock) {
        std::vector<char> open;  // brackets that have not been closed
        for (;;) {
            const size_t begin = m_at;
            m_at = std::min(m_source.find_first_not_of(kSpaces, m_at), m_source.size());
            countLines(begin, m_at);
            if (m_at == m_source.size()) return fail(ErrorCode::Corrupt, "line {}: a tag has no end", m_line);
            if (open.empty() && endsTag(isBlock)) return {};
            INGLE_TRY(token(open));
        }
    }

    bool endsTag(bool isBlock) {
        const char first = m_source[m_at];
        const bool signed_ = first == '-' || (first == '+' && isBlock);
        const std::string_view end = isBlock ? "%}" : "}}";
        if (!m_source.substr(m_at + (signed_ ? 1 : 0)).starts_with(end)) return false;
        push(isBlock ? Token::Kind::BlockEnd : Token::Kind::OutputEnd, "");
        m_at += end.size() + (signed_ ? 1 : 0);
        afterTag(signed_ ? first : '\0', isBlock);
        return true;
    }

    Status token(std::vector<char>& open) {
        const char c = m_source[m_at];
        if (isDigit(c)) return number();
        if (c == '\'' || c == '"') return string(c);
        if (isNameStart(c)) {
            size_t end = m_at;
            while (end < m_source.size() && (isNameStart(m_source[end]) || isDigit(m_source[end]))) ++end;
            take(Token::Kind::Name, end);
            return {};
        }
        const auto found = std::ranges::find_if(
            kOperators, [&](std::string_view each) { return m_source.substr(m_at).starts_with(each); });
        if (found == std::end(kOperators))
            return fail(ErrorCode::Corrupt, "line {}: unexpected character '{}'", m_line, c);
        constexpr std::string_view kOpening = "([{";
        constexpr std::string_view kClosing = ")]}";
        if (kOpening.find(c) != std::string_view::npos) open.push_back(c);
        if (const size_t closing = kClosing.find(c); closing != std::string_view::npos) {
            if (open.empty() || open.back() != kOpening[closing])
                return fail(ErrorCode::Corrupt, "line {}: unexpected '{}'", m_line, c);
            open.pop_back();
        }
        take(Token::Kind::Operator, m_at + found->size());
        return {};
    }

    size_t endOfDigits(size_t at) const {
        while (at < m_source.size() &&
               (isDigit(m_source[at]) || (m_source[at] == '_' && isDigit(m_source[at - 1]))))
            ++at;
        return at;
    }

    /// Of 0xff, 0o17 or 0b11 at m_at; m_at where none of them is.
    size_t endOfBasedDigits() const {
        if (m_at + 1 >= m_source.size() || m_source[m_at] != '0') return m_at;
        const char kind = static_cast<char>(m_source[m_at + 1] | 0x20);
        const size_t base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
        size_t end = m_at + 2;
        while (end < m_source.size()) {
            const std::string_view digits = std::string_view("0123456789abcdef").substr(0, base);
            const char c = m_source[end];
            const bool isDigitOfBase =
                digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c | 0x20) : c) != std::string_view::npos;
            if (!isDigitOfBase && c != '_') break;
            ++end;
        }
        return end > m_at + 2 && m_source[end - 1] != '_' ? end : m_at;
    }

    Status number() {
        // "a.0.1" indexes twice: behind a dot there are integers only.
        const bool afterDot = !m_tokens.empty() && m_tokens.back().is(Token::Kind::Operator, ".");
        if (const size_t end = endOfBasedDigits(); end > m_at) {
            take(Token::Kind::Integer, end);
            std::erase(m_tokens.back().text, '_');
            return {};
        }
        size_t end = endOfDigits(m_at);
        bool isFloat = false;
        const auto digitAt = [&](size_t at) { return at < m_source.size() && isDigit(m_source[at]); };
        if (!afterDot && digitAt(end + 1) && m_source[end] == '.') {
            isFloat = true;
            end = endOfDigits(end + 1);
        }
        if (!afterDot && end < m_source.size() && (m_source[end] == 'e' || m_source[end] == 'E')) {
            size_t exponent = end + 1;
            if (exponent < m_source.size() && (m_source[exponent] == '+' || m_source[exponent] == '-'))
                ++exponent;
            if (digitAt(exponent)) {
                isFloat = true;
                end = endOfDigits(exponent);
            }
        }
        take(isFloat ? Token::Kind::Float : Token::Kind::Integer, end);
        std::erase(m_tokens.back().text, '_');
        return {};
    }

    Status string(char quote) {
        size_t end = m_at + 1;
        while (end < m_source.size() && m_source[end] != quote) end += m_source[end] == '\\' ? 2 : 1;
        if (end >= m_source.size()) return fail(ErrorCode::Corrupt, "line {}: a string has no end", m_line);
        push(Token::Kind::String, Unescaper(m_source.substr(m_at + 1, end - m_at - 1)).run());
        countLines(m_at, end);
        m_at = end + 1;
        return {};
    }

    void take(Token::Kind kind, size_t end) {
        push(kind, std::string(m_source.substr(m_at, end - m_at)));
        m_at = end;
    }

    void push(Token::Kind kind, std::string text) { m_tokens.push_back({kind, std::move(text), m_line}); }

    std::string_view m_source;
    size_t m_at = 0;
    size_t m_line = 1;
    std::vector<Token> m_tokens;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view source) {
    const std::string text = normalized(source);
    return Lexer(text).run();
}

}  // namespace ingle::chat::jinja
