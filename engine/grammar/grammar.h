/// What an answer has to follow: rules over Unicode text, and their compiled form over bytes, which a matcher
/// walks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/result.h"

namespace ingle::grammar {

/// Code points from `first` to `last`, both included.
struct CodeRange {
    char32_t first, last;
};

inline constexpr uint32_t kUnbounded = UINT32_MAX;

/// A regular expression that may name rules.
struct Expr {
    enum class Kind { Class, Bytes, Sequence, Choice, Repeat, Rule };

    Kind kind = Kind::Sequence;       ///< an empty one is the empty text
    std::vector<CodeRange> ranges{};  ///< of a Class: one character out of these; of Bytes: these, one by one
    std::vector<Expr> parts{};        ///< of a Sequence, Choice, or Repeat (one)
    uint32_t min = 0, max = 0;        ///< of a Repeat; max may be kUnbounded
    uint32_t rule = 0;                ///< of a Rule: index into Rules
};

Expr oneOf(std::vector<CodeRange> ranges);
/// Every character that is in none of `ranges`.
Expr noneOf(std::vector<CodeRange> ranges);
/// `text` is UTF-8; a byte that is none becomes U+FFFD.
Expr literal(std::string_view text);
/// Bytes that need not be UTF-8: each from `first` to `last` of its range.
Expr bytes(std::vector<CodeRange> ranges);
/// One token whose id is in one of these ranges: what tokenCode() gives for it.
Expr token(std::vector<CodeRange> ids);
/// Bytes that stand for a token itself, whatever its text. No text has them.
std::string tokenCode(uint32_t id);
inline constexpr uint32_t kLastToken = INT32_MAX;
Expr sequence(std::vector<Expr> parts);
/// With no parts it matches nothing.
Expr choice(std::vector<Expr> parts);
Expr repeat(Expr part, uint32_t min, uint32_t max);
Expr ruleRef(uint32_t rule);

struct Rule {
    std::string name;
    Expr body;
};

struct Rules {
    std::vector<Rule> all;
    uint32_t root = 0;
    bool hasTokens = false;  ///< some name tokens instead of text
};

/// Limits on what others wrote.
inline constexpr size_t kMostRules = 1 << 16, kMostNodes = 1 << 20, kMostTextBytes = 1 << 20;
inline constexpr uint32_t kMostRepeats = 10'000, kMostNesting = 100;

/// One step of a pushdown automaton over bytes.
struct Node {
    enum class Kind : uint8_t {
        Return,  ///< the rule is matched
        Fail,    ///< nothing is
        Byte,    ///< a byte from `low` to `high`, then `a`
        Split,   ///< `a` or `b`
        Call,    ///< the rule `a`, then `b`
    };
    Kind kind;
    uint8_t low = 0, high = 0;
    uint32_t a = 0, b = 0;
};

/// Immutable. Nothing in it leads to where no text can end.
struct Grammar {
    static constexpr uint32_t kReturn = 0, kFail = 1;
    std::vector<Node> nodes;
    std::vector<uint32_t> entries;  ///< the first node of each rule
    uint32_t root = 0;              ///< index into entries
};

/// Errors: InvalidArgument when a limit is exceeded, a rule begins with itself, or nothing matches.
Result<Grammar> compile(const Rules& rules);

}  // namespace ingle::grammar
