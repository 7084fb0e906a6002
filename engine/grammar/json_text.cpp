#include "engine/grammar/json_text.h"

#include <algorithm>
#include <map>

#include "ingle/utf8.h"

namespace ingle::grammar {
namespace {

constexpr int64_t kMostInteger = (int64_t{1} << 53) - 1;

/// What stands for itself in a string.
std::vector<CodeRange> escapedCharacters() {
    return {{0, 0x1F}, {'"', '"'}, {'\\', '\\'}, {0x7F, 0x7F}};
}

/// Numbers of as many digits as both have, from `low` to `high`.
Expr digitsBetween(std::string_view low, std::string_view high) {
    if (low.find_first_not_of('0') == std::string_view::npos &&
        high.find_first_not_of('9') == std::string_view::npos)
        return digits(static_cast<uint32_t>(low.size()), static_cast<uint32_t>(low.size()));
    const std::string_view restLow = low.substr(1), restHigh = high.substr(1);
    const auto count = static_cast<uint32_t>(restLow.size());
    if (low[0] == high[0]) return sequence({digit(low[0], low[0]), digitsBetween(restLow, restHigh)});
    Expr out = choice({});
    out.parts.push_back(sequence({digit(low[0], low[0]), digitsBetween(restLow, std::string(count, '9'))}));
    if (low[0] + 1 < high[0])
        out.parts.push_back(sequence(
            {digit(static_cast<char>(low[0] + 1), static_cast<char>(high[0] - 1)), digits(count, count)}));
    out.parts.push_back(
        sequence({digit(high[0], high[0]), digitsBetween(std::string(count, '0'), restHigh)}));
    return out;
}

/// 0 <= low <= high.
Expr magnitudes(uint64_t low, uint64_t high) {
    Expr out = choice({});
    while (true) {
        const std::string text = std::to_string(low);
        const std::string nines(text.size(), '9');
        const std::string end = std::to_string(high);
        if (end.size() == text.size()) {
            out.parts.push_back(digitsBetween(text, end));
            return out;
        }
        out.parts.push_back(digitsBetween(text, nines));
        low = std::stoull(nines) + 1;
    }
}

struct NameNode {
    bool ends = false;
    std::map<char32_t, NameNode> next;
};

Expr exceptBelow(const NameNode& node) {
    std::vector<CodeRange> others = escapedCharacters();
    Expr out = choice({});
    for (const auto& [code, child] : node.next) {
        others.push_back({code, code});
        out.parts.push_back(sequence({oneOf({{code, code}}), exceptBelow(child)}));
    }
    if (!node.ends) out.parts.push_back({});
    out.parts.push_back(sequence({noneOf(others), repeat(noneOf(escapedCharacters()), 0, kUnbounded)}));
    return out;
}

}  // namespace

Expr digit(char from, char to) {
    return oneOf({{static_cast<char32_t>(from), static_cast<char32_t>(to)}});
}
Expr digits(uint32_t min, uint32_t max) {
    return repeat(digit(), min, max);
}
Expr hexDigits(uint32_t min, uint32_t max) {
    return repeat(oneOf({{'0', '9'}, {'a', 'f'}, {'A', 'F'}}), min, max);
}
Expr maybe(Expr part) {
    return repeat(std::move(part), 0, 1);
}

Expr blank() {
    return sequence({maybe(literal("\n")), repeat(literal(" "), 0, 20)});
}

Expr stringCharacter() {
    const Expr d = oneOf({{'d', 'd'}, {'D', 'D'}});
    const Expr notSurrogate =
        sequence({oneOf({{'0', '9'}, {'a', 'c'}, {'A', 'C'}, {'e', 'f'}, {'E', 'F'}}), hexDigits(3, 3)});
    const Expr belowSurrogates = sequence({d, digit('0', '7'), hexDigits(2, 2)});
    const Expr pair = sequence({d, oneOf({{'8', '9'}, {'a', 'b'}, {'A', 'B'}}), hexDigits(2, 2),
                                literal("\\u"), d, oneOf({{'c', 'f'}, {'C', 'F'}}), hexDigits(2, 2)});
    std::vector<CodeRange> names;
    for (const char name : std::string_view("\"\\/bfnrt"))
        names.push_back({static_cast<char32_t>(name), static_cast<char32_t>(name)});
    return choice(
        {noneOf(escapedCharacters()),
         sequence({literal("\\"),
                   choice({oneOf(names),
                           sequence({literal("u"), choice({notSurrogate, belowSurrogates, pair})})})})});
}

Expr anyString(uint32_t min, uint32_t max) {
    return sequence({literal("\""), repeat(stringCharacter(), min, max), literal("\"")});
}

Expr stringExcept(const std::vector<std::string>& names) {
    NameNode root;
    for (const std::string& name : names) {
        NameNode* node = &root;
        for (const Expr& character : literal(name).parts) node = &node->next[character.ranges[0].first];
        node->ends = true;
    }
    return sequence({literal("\""), exceptBelow(root), literal("\"")});
}

Expr anyInteger() {
    return integersFrom(-kMostInteger, kMostInteger);
}

Expr anyNumber() {
    const Expr whole = choice({literal("0"), sequence({digit('1', '9'), digits(0, 14)})});
    const Expr exponent =
        sequence({oneOf({{'e', 'e'}, {'E', 'E'}}), maybe(oneOf({{'+', '+'}, {'-', '-'}})), digits(1, 2)});
    return sequence(
        {maybe(literal("-")), whole, maybe(sequence({literal("."), digits(1, 15)})), maybe(exponent)});
}

Expr integersFrom(std::optional<int64_t> min, std::optional<int64_t> max) {
    const int64_t low = min.value_or(std::min(-kMostInteger, max.value_or(0)));
    const int64_t high = max.value_or(std::max(kMostInteger, min.value_or(0)));
    Expr out = choice({});
    // Unsigned, so that the lowest number has a magnitude.
    const auto magnitude = [](int64_t value) {
        return value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
    };
    if (low > high) return out;
    if (low < 0)
        out.parts.push_back(
            sequence({literal("-"), magnitudes(high < 0 ? magnitude(high) : 1, magnitude(low))}));
    if (high >= 0) out.parts.push_back(magnitudes(low < 0 ? 0 : magnitude(low), magnitude(high)));
    return out;
}

}  // namespace ingle::grammar
