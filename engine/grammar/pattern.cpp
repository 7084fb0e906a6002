#include "engine/grammar/pattern.h"

#include <algorithm>
#include <utility>

#include "engine/grammar/json_text.h"
#include "ingle/utf8.h"

namespace ingle::grammar {
namespace {

constexpr char32_t kLastCharacter = 0x10FFFF;

using Ranges = std::vector<CodeRange>;

const Ranges kDigits{{'0', '9'}};
const Ranges kWordCharacters{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const Ranges kSpaces{{'\t', '\r'}, {' ', ' '}};
const Ranges kLineEnds{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

/// Sorted ranges that are in none of these.
Ranges complement(Ranges ranges, char32_t last = kLastCharacter) {
    std::ranges::sort(ranges, {}, &CodeRange::first);
    Ranges others;
    char32_t next = 0;
    for (const CodeRange& range : ranges) {
        if (range.first > last) break;
        if (range.first > next) others.push_back({next, range.first - 1});
        next = std::max<char32_t>(next, range.last + 1);
    }
    if (next <= last) others.push_back({next, last});
    return others;
}

/// Dialects differ in which letters, digits and blanks beyond ASCII are: those are left out.
Ranges asciiComplement(const Ranges& ranges) {
    return complement(ranges, 0x7F);
}

Pattern characters(Ranges ranges) {
    return {.kind = Pattern::Kind::Characters, .ranges = std::move(ranges)};
}
Pattern repeated(Pattern part, uint32_t min, uint32_t max) {
    Pattern out{.kind = Pattern::Kind::Repeat, .min = min, .max = max};
    out.parts.push_back(std::move(part));
    return out;
}

class PatternParser {
  public:
    explicit PatternParser(std::string_view text) : m_rest(text) {}

    std::optional<Pattern> parse() {
        Pattern out{.kind = Pattern::Kind::Choice};
        do {
            const bool fromBegin = take('^');
            auto branch = sequence();
            if (!branch) return std::nullopt;
            const bool toEnd = take('$');
            const Pattern anything = repeated(characters(complement({})), 0, kUnbounded);
            if (!fromBegin) branch->parts.insert(branch->parts.begin(), anything);
            if (!toEnd) branch->parts.push_back(anything);
            out.parts.push_back(*std::move(branch));
        } while (take('|'));
        if (!m_rest.empty()) return std::nullopt;
        return out.parts.size() == 1 ? std::move(out.parts.front()) : std::move(out);
    }

  private:
    bool take(std::string_view text) {
        if (!m_rest.starts_with(text)) return false;
        m_rest.remove_prefix(text.size());
        return true;
    }
    bool take(char c) { return take(std::string_view(&c, 1)); }

    std::optional<char32_t> character() {
        if (m_rest.empty()) return std::nullopt;
        const char32_t code = codePointOf(m_rest);
        m_rest.remove_prefix(firstCharacter(m_rest).bytes);
        return code;
    }

    std::optional<Pattern> sequence() {
        Pattern out;
        while (!m_rest.empty() && m_rest[0] != '|' && m_rest[0] != ')' && m_rest[0] != '$') {
            auto part = atom();
            if (!part || !quantified(*part)) return std::nullopt;
            out.parts.push_back(*std::move(part));
        }
        return out;
    }

    std::optional<Pattern> choice() {
        Pattern out{.kind = Pattern::Kind::Choice};
        do {
            auto branch = sequence();
            if (!branch) return std::nullopt;
            out.parts.push_back(*std::move(branch));
        } while (take('|'));
        return out.parts.size() == 1 ? std::move(out.parts.front()) : std::move(out);
    }

    std::optional<Pattern> atom() {
        if (take('(')) return group();
        if (take('[')) return characterClass();
        if (take('.')) return characters(complement(kLineEnds));
        if (take('\\')) {
            auto ranges = escape();
            if (!ranges) return std::nullopt;
            return characters(*std::move(ranges));
        }
        constexpr std::string_view kOthers = "^*+?{";
        if (kOthers.find(m_rest[0]) != kOthers.npos) return std::nullopt;
        const auto code = character();
        return characters({{*code, *code}});
    }

    std::optional<Pattern> group() {
        if (++m_depth > kMostNesting) return std::nullopt;
        if (take('?') && !take(':')) {
            // With a name, in either dialect.
            if (!take("<") && !take("P<")) return std::nullopt;
            const size_t end = m_rest.find('>');
            if (end == m_rest.npos || m_rest.starts_with('=') || m_rest.starts_with('!')) return std::nullopt;
            m_rest.remove_prefix(end + 1);
        }
        auto inner = choice();
        --m_depth;
        if (!inner || !take(')')) return std::nullopt;
        return inner;
    }

    bool quantified(Pattern& part) {
        uint32_t min = 0, max = kUnbounded;
        if (take('*')) {
        } else if (take('+')) {
            min = 1;
        } else if (take('?')) {
            max = 1;
        } else if (take('{')) {
            const auto least = number();
            if (!least) return false;
            min = max = *least;
            if (take(',')) {
                const auto most = number();
                max = most ? *most : kUnbounded;
            }
            if (!take('}') || max < min) return false;
        } else {
            return true;
        }
        take('?');  // a lazy one matches the same texts
        if (!m_rest.empty() && (m_rest[0] == '*' || m_rest[0] == '+' || m_rest[0] == '{')) return false;
        part = repeated(std::move(part), min, max);
        return true;
    }

    std::optional<uint32_t> number() {
        uint32_t value = 0;
        size_t count = 0;
        while (count < m_rest.size() && m_rest[count] >= '0' && m_rest[count] <= '9' && value <= kMostRepeats)
            value = value * 10 + static_cast<uint32_t>(m_rest[count++] - '0');
        if (count == 0 || value > kMostRepeats) return std::nullopt;
        m_rest.remove_prefix(count);
        return value;
    }

    std::optional<char32_t> hexadecimal(size_t digits) {
        if (m_rest.size() < digits) return std::nullopt;
        char32_t code = 0;
        for (const char c : m_rest.substr(0, digits)) {
            const size_t value = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
            if (value == std::string_view::npos) return std::nullopt;
            code = code * 16 + static_cast<char32_t>(value);
        }
        m_rest.remove_prefix(digits);
        return code;
    }

    /// Behind the backslash.
    std::optional<Ranges> escape() {
        if (m_rest.empty()) return std::nullopt;
        const char c = m_rest[0];
        m_rest.remove_prefix(1);
        const auto only = [](char32_t code) { return Ranges{{code, code}}; };
        switch (c) {
            case 'd':
                return kDigits;
            case 'w':
                return kWordCharacters;
            case 's':
                return kSpaces;
            case 'D':
                return asciiComplement(kDigits);
            case 'W':
                return asciiComplement(kWordCharacters);
            case 'S':
                return asciiComplement(kSpaces);
            case 'n':
                return only('\n');
            case 'r':
                return only('\r');
            case 't':
                return only('\t');
            case 'f':
                return only('\f');
            case 'v':
                return only('\v');
            case 'x':
            case 'u': {
                const auto code = hexadecimal(c == 'x' ? 2 : 4);
                const bool isSurrogate = code && *code >= 0xD800 && *code < 0xE000;
                if (!code || isSurrogate) return std::nullopt;
                return only(*code);
            }
            default:
                break;
        }
        // Letters and digits mean more than themselves, or will.
        const bool isPlain = static_cast<unsigned char>(c) < 0x80 && c > ' ' &&
                             !std::ranges::any_of(kWordCharacters, [c](const CodeRange& range) {
                                 return c != '_' && range.first <= static_cast<char32_t>(c) &&
                                        static_cast<char32_t>(c) <= range.last;
                             });
        if (!isPlain && c != ' ') return std::nullopt;
        return only(static_cast<char32_t>(c));
    }

    std::optional<Pattern> characterClass() {
        const bool isNegated = take('^');
        Ranges ranges;
        bool hasShorthand = false;
        // Dialects differ about an empty class, and about classes inside each other.
        if (m_rest.starts_with(']')) return std::nullopt;
        while (!take(']')) {
            if (m_rest.empty() || m_rest[0] == '[') return std::nullopt;
            hasShorthand = hasShorthand || m_rest.starts_with("\\d") || m_rest.starts_with("\\w") ||
                           m_rest.starts_with("\\s");
            auto first = classMember();
            if (!first) return std::nullopt;
            const bool isRange = m_rest.size() > 1 && m_rest[0] == '-' && m_rest[1] != ']';
            if (!isRange) {
                ranges.insert(ranges.end(), first->begin(), first->end());
                continue;
            }
            m_rest.remove_prefix(1);
            const auto last = classMember();
            const auto isOne = [](const Ranges& each) {
                return each.size() == 1 && each[0].first == each[0].last;
            };
            if (!last || !isOne(*first) || !isOne(*last) || (*last)[0].first < (*first)[0].first)
                return std::nullopt;
            ranges.push_back({(*first)[0].first, (*last)[0].first});
        }
        if (!isNegated) return characters(std::move(ranges));
        return characters(hasShorthand ? asciiComplement(ranges) : complement(std::move(ranges)));
    }

    std::optional<Ranges> classMember() {
        if (take('\\')) {
            // What is left out of those would be in a class that is negated.
            if (m_rest.starts_with('D') || m_rest.starts_with('W') || m_rest.starts_with('S'))
                return std::nullopt;
            if (take('b')) return Ranges{{'\b', '\b'}};
            return escape();
        }
        const auto code = character();
        if (!code) return std::nullopt;
        return Ranges{{*code, *code}};
    }

    std::string_view m_rest;
    uint32_t m_depth = 0;
};

uint32_t sum(uint32_t a, uint32_t b) {
    if (a == kUnbounded || b == kUnbounded) return kUnbounded;
    return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{a} + b, kUnbounded - 1));
}
uint32_t product(uint32_t a, uint32_t b) {
    if (a == 0 || b == 0) return 0;
    if (a == kUnbounded || b == kUnbounded) return kUnbounded;
    return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{a} * b, kUnbounded - 1));
}

/// A character as it stands in a string.
Expr character(const Ranges& ranges) {
    struct Escaped {
        char32_t code;
        std::string_view text;
    };
    constexpr Escaped kEscaped[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'\r', "\\r"},
                                    {'\t', "\\t"}, {'\b', "\\b"},  {'\f', "\\f"}};
    const auto holds = [&](char32_t code) {
        return std::ranges::any_of(
            ranges, [code](const CodeRange& range) { return range.first <= code && code <= range.last; });
    };
    Ranges others = complement(ranges);
    others.insert(others.end(), {{0, 0x1F}, {'"', '"'}, {'\\', '\\'}, {0x7F, 0x7F}});
    Expr out = choice({oneOf(complement(std::move(others)))});
    for (const Escaped& each : kEscaped)
        if (holds(each.code)) out.parts.push_back(literal(each.text));
    return out;
}

}  // namespace

std::optional<Pattern> parsePattern(std::string_view text) {
    return PatternParser(text).parse();
}

LengthRange lengthOf(const Pattern& pattern) {
    switch (pattern.kind) {
        case Pattern::Kind::Characters:
            return {1, 1};
        case Pattern::Kind::Repeat: {
            const LengthRange one = lengthOf(pattern.parts.front());
            return {product(one.least, pattern.min), product(one.most, pattern.max)};
        }
        case Pattern::Kind::Sequence: {
            LengthRange all;
            for (const Pattern& part : pattern.parts) {
                const LengthRange one = lengthOf(part);
                all = {sum(all.least, one.least), sum(all.most, one.most)};
            }
            return all;
        }
        case Pattern::Kind::Choice:
            break;
    }
    LengthRange any{kUnbounded, 0};
    for (const Pattern& part : pattern.parts) {
        const LengthRange one = lengthOf(part);
        any = {std::min(any.least, one.least), std::max(any.most, one.most)};
    }
    return any;
}

bool restrictLength(Pattern& pattern, LengthRange wanted) {
    const LengthRange own = lengthOf(pattern);
    if (own.least >= wanted.least && own.most <= wanted.most) return true;
    if (pattern.kind != Pattern::Kind::Sequence) return false;
    // One part that repeats something of one length takes up what is left.
    Pattern* varies = nullptr;
    uint32_t fixed = 0;
    for (Pattern& part : pattern.parts) {
        const LengthRange length = lengthOf(part);
        if (length.least == length.most) {
            fixed = sum(fixed, length.least);
        } else if (varies != nullptr) {
            return false;
        } else {
            varies = &part;
        }
    }
    if (varies == nullptr || varies->kind != Pattern::Kind::Repeat || wanted.most < fixed) return false;
    const LengthRange one = lengthOf(varies->parts.front());
    if (one.least != one.most || one.least == 0) return false;
    const uint32_t missing = wanted.least > fixed ? wanted.least - fixed : 0;
    const uint32_t least = std::max(varies->min, (missing + one.least - 1) / one.least);
    const uint32_t most =
        wanted.most == kUnbounded ? varies->max : std::min(varies->max, (wanted.most - fixed) / one.least);
    if (least > most) return false;
    varies->min = least;
    varies->max = most;
    return true;
}

Expr insideString(const Pattern& pattern) {
    if (pattern.kind == Pattern::Kind::Characters) return character(pattern.ranges);
    std::vector<Expr> parts;
    for (const Pattern& part : pattern.parts) parts.push_back(insideString(part));
    switch (pattern.kind) {
        case Pattern::Kind::Repeat:
            return repeat(std::move(parts.front()), pattern.min, pattern.max);
        case Pattern::Kind::Choice:
            return choice(std::move(parts));
        default:
            return sequence(std::move(parts));
    }
}

}  // namespace ingle::grammar
