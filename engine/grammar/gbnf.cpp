#include "engine/grammar/gbnf.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "ingle/utf8.h"

namespace ingle::grammar {
namespace {

bool isNameByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

class Parser {
  public:
    Parser(std::string_view text, const TokenOf& tokenOf) : m_text(text), m_tokenOf(tokenOf) {}

    Result<Rules> parse() {
        if (m_text.size() > kMostTextBytes)
            return fail(ErrorCode::InvalidArgument, "the grammar has more than {} bytes", kMostTextBytes);
        skipSpace();
        while (m_at < m_text.size()) {
            INGLE_TRY(parseRule());
            skipSpace();
        }
        for (size_t i = 0; i < m_rules.all.size(); ++i)
            if (m_firstUse[i] != 0)
                return fail(ErrorCode::InvalidArgument, "line {}: there is no rule {}", m_firstUse[i],
                            shown(m_rules.all[i].name));
        const auto root = m_ids.find("root");
        if (root == m_ids.end()) return fail(ErrorCode::InvalidArgument, "the grammar has no rule root");
        m_rules.root = root->second;
        return std::move(m_rules);
    }

  private:
    template <typename... Args>
    tl::unexpected<Error> wrong(fmt::format_string<Args...> format, Args&&... args) const {
        const auto lines = std::ranges::count(m_text.substr(0, m_at), '\n');
        return fail(ErrorCode::InvalidArgument, "line {}: {}", lines + 1,
                    fmt::format(format, std::forward<Args>(args)...));
    }

    char peek(size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }
    bool takes(std::string_view what) {
        if (!m_text.substr(m_at).starts_with(what)) return false;
        m_at += what.size();
        return true;
    }
    void skipSpace() {
        while (m_at < m_text.size()) {
            if (peek() == '#')
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            else if (std::string_view(" \t\r\n").find(peek()) != std::string_view::npos)
                ++m_at;
            else
                return;
        }
    }

    std::string name() {
        const size_t begin = m_at;
        while (m_at < m_text.size() && isNameByte(m_text[m_at])) ++m_at;
        return std::string(m_text.substr(begin, m_at - begin));
    }
    /// True where a rule begins: a name, and ::= behind it.
    bool atRule() {
        const size_t begin = m_at;
        const bool named = !name().empty();
        skipSpace();
        const bool does = named && m_text.substr(m_at).starts_with("::=");
        m_at = begin;
        return does;
    }
    uint32_t ruleId(const std::string& name) {
        const auto [found, isNew] = m_ids.try_emplace(name, static_cast<uint32_t>(m_rules.all.size()));
        if (isNew) {
            m_rules.all.push_back({name, {}});
            const auto lines = std::ranges::count(m_text.substr(0, m_at), '\n');
            m_firstUse.push_back(static_cast<size_t>(lines) + 1);
        }
        return found->second;
    }

    Status parseRule() {
        const std::string itsName = name();
        if (itsName.empty()) return wrong("a rule begins with its name");
        skipSpace();
        if (!takes("::=")) return wrong("::= is missing behind {}", shown(itsName));
        const uint32_t id = ruleId(itsName);
        if (m_rules.all.size() > kMostRules) return wrong("more than {} rules", kMostRules);
        if (m_firstUse[id] == 0) return wrong("the rule {} is there twice", shown(itsName));
        m_firstUse[id] = 0;
        INGLE_TRY_ASSIGN(m_rules.all[id].body, alternatives(0));
        if (m_at < m_text.size() && !atRule()) return wrong("this belongs to no rule");
        return {};
    }

    Result<Expr> alternatives(uint32_t depth) {
        if (depth > kMostNesting) return wrong("more than {} groups inside each other", kMostNesting);
        Expr out = choice({});
        do {
            INGLE_TRY_ASSIGN(Expr one, items(depth));
            out.parts.push_back(std::move(one));
        } while (takes("|"));
        return out;
    }

    Result<Expr> items(uint32_t depth) {
        Expr out;
        while (true) {
            skipSpace();
            const char c = peek();
            if (c == '\0' || c == '|' || c == ')' || (isNameByte(c) && atRule())) return out;
            if (++m_numSymbols > kMostNodes) return wrong("the grammar has more than {} symbols", kMostNodes);
            INGLE_TRY_ASSIGN(Expr item, atom(depth));
            INGLE_TRY_ASSIGN(item, repeated(std::move(item)));
            out.parts.push_back(std::move(item));
        }
    }

    Result<Expr> atom(uint32_t depth) {
        if (takes("\"")) return quoted();
        if (takes("[")) return characterClass();
        if (takes(".")) return noneOf({});
        if (takes("(")) {
            INGLE_TRY_ASSIGN(Expr group, alternatives(depth + 1));
            if (!takes(")")) return wrong("a group is not closed with )");
            return group;
        }
        if (takes("!<")) return tokenReference(true);
        if (takes("<")) return tokenReference(false);
        const std::string itsName = name();
        if (itsName.empty()) return wrong("a symbol cannot begin with {}", shown(m_text.substr(m_at, 1)));
        return ruleRef(ruleId(itsName));
    }

    /// Behind "<": "[id]>" or "text>".
    Result<Expr> tokenReference(bool isNegated) {
        const size_t end = m_text.substr(0, m_text.find('\n', m_at)).find('>', m_at);
        if (end == std::string_view::npos) return wrong("a token is not closed with >");
        const std::string_view inside = m_text.substr(m_at, end - m_at);
        m_at = end + 1;
        std::optional<uint32_t> id;
        if (inside.starts_with('[') && inside.ends_with(']')) {
            uint32_t number = 0;
            const auto read = std::from_chars(inside.data() + 1, inside.data() + inside.size() - 1, number);
            const bool isWhole = read.ptr == inside.data() + inside.size() - 1 && inside.size() > 2;
            if (isWhole && read.ec == std::errc() && number <= kLastToken) id = number;
        } else if (m_tokenOf) {
            id = m_tokenOf(fmt::format("<{}>", inside));
        }
        if (!id) return wrong("the vocabulary has no token <{}>", shown(inside));
        m_rules.hasTokens = true;
        if (!isNegated) return token({{*id, *id}});
        std::vector<CodeRange> others;
        if (*id > 0) others.push_back({0, *id - 1});
        if (*id < kLastToken) others.push_back({*id + 1, kLastToken});
        return token(std::move(others));
    }

    Result<Expr> repeated(Expr item) {
        for (uint32_t marks = 0;; ++marks) {
            skipSpace();
            const bool some = takes("+");
            if (!some && std::string_view("*?{").find(peek()) == std::string_view::npos) return item;
            if (peek() == '\0' && !some) return item;
            if (marks >= kMostNesting) return wrong("more than {} repetitions of repetitions", kMostNesting);
            if (some) {
                item = repeat(std::move(item), 1, kUnbounded);
            } else if (takes("*")) {
                item = repeat(std::move(item), 0, kUnbounded);
            } else if (takes("?")) {
                item = repeat(std::move(item), 0, 1);
            } else {
                ++m_at;
                INGLE_TRY_ASSIGN(const uint32_t min, count());
                uint32_t max = min;
                skipSpace();
                if (takes(",")) {
                    skipSpace();
                    max = kUnbounded;
                    if (peek() != '}') {
                        INGLE_TRY_ASSIGN(max, count());
                    }
                    skipSpace();
                }
                if (!takes("}")) return wrong("a repetition is not closed with }}");
                if (max < min) return wrong("a repetition has its larger number first");
                item = repeat(std::move(item), min, max);
            }
        }
    }
    Result<uint32_t> count() {
        skipSpace();
        const size_t begin = m_at;
        uint32_t value = 0;
        for (; peek() >= '0' && peek() <= '9'; ++m_at) {
            value = value * 10 + static_cast<uint32_t>(peek() - '0');
            if (value > kMostRepeats) return wrong("a repetition counts further than {}", kMostRepeats);
        }
        if (m_at == begin) return wrong("a repetition needs a number");
        return value;
    }

    Result<Expr> quoted() {
        Expr out;
        while (!takes("\"")) {
            INGLE_TRY_ASSIGN(const char32_t code, character("a literal is not closed with \""));
            out.parts.push_back(oneOf({{code, code}}));
            if (++m_numSymbols > kMostNodes) return wrong("the grammar has more than {} symbols", kMostNodes);
        }
        return out;
    }

    Result<Expr> characterClass() {
        const bool negated = takes("^");
        std::vector<CodeRange> ranges;
        while (!takes("]")) {
            INGLE_TRY_ASSIGN(const char32_t first, character("a class is not closed with ]"));
            char32_t last = first;
            if (peek() == '-' && peek(1) != ']') {
                ++m_at;
                INGLE_TRY_ASSIGN(last, character("a class is not closed with ]"));
            }
            if (last < first) return wrong("a range of characters has its last one first");
            ranges.push_back({first, last});
        }
        return negated ? noneOf(std::move(ranges)) : oneOf(std::move(ranges));
    }

    /// One character, or what an escape stands for.
    Result<char32_t> character(std::string_view unclosed) {
        if (m_at >= m_text.size() || peek() == '\n') return wrong("{}", unclosed);
        if (takes("\\")) return escape();
        const FirstCharacter first = firstCharacter(m_text.substr(m_at));
        if (!first.isWellFormed) return wrong("a character is not UTF-8");
        m_at += first.bytes;
        return first.code;
    }
    Result<char32_t> escape() {
        static constexpr std::string_view kNames = "ntr\\\"[]-^", kMeanings = "\n\t\r\\\"[]-^";
        const char c = peek();
        ++m_at;
        const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        if (digits == 0) {
            const size_t known = c == '\0' ? std::string_view::npos : kNames.find(c);
            if (known == std::string_view::npos)
                return wrong("an escape that is not known: \\{}", escaped({&c, 1}));
            return static_cast<char32_t>(kMeanings[known]);
        }
        uint64_t code = 0;
        for (size_t i = 0; i < digits; ++i, ++m_at) {
            const size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(peek() | 0x20));
            if (!peek() || digit >= 16 || (peek() < '0'))
                return wrong("\\{} needs {} hexadecimal digits", c, digits);
            code = code * 16 + digit;
        }
        if (code > 0x10FFFF) return wrong("a character lies behind U+10FFFF");
        return static_cast<char32_t>(code);
    }

    std::string_view m_text;
    const TokenOf& m_tokenOf;
    size_t m_at = 0;
    size_t m_numSymbols = 0;
    Rules m_rules;
    std::map<std::string, uint32_t> m_ids;
    std::vector<size_t> m_firstUse;  ///< line where a rule that is not there yet was named; 0: it is there
};

}  // namespace

Result<Rules> parseGbnf(std::string_view text, const TokenOf& tokenOf) {
    return Parser(text, tokenOf).parse();
}

}  // namespace ingle::grammar
