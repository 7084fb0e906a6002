/// Regular expressions of schemas (the `pattern` keyword): the part of ECMA-262 that is regular and means the
/// same in all dialects, as rules for the inside of a JSON string.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/grammar/grammar.h"

namespace ingle::grammar {

/// Characters, and what is made of them.
struct Pattern {
    enum class Kind { Characters, Sequence, Choice, Repeat };

    Kind kind = Kind::Sequence;       ///< an empty one is the empty text
    std::vector<CodeRange> ranges{};  ///< of Characters: one out of these
    std::vector<Pattern> parts{};     ///< of a Sequence, Choice, or Repeat (one)
    uint32_t min = 0, max = 0;        ///< of a Repeat; max may be kUnbounded
};

/// How many characters texts have that match; `most` may be kUnbounded.
struct LengthRange {
    uint32_t least = 0, most = 0;
};

/// What matches anywhere in a text, unless it is anchored. Nothing: it is no regular expression, or it has
/// what is not regular (look-around, back references) or not alike everywhere (flags, word boundaries).
std::optional<Pattern> parsePattern(std::string_view text);

LengthRange lengthOf(const Pattern& pattern);
/// Only texts of `wanted` lengths match what it becomes. False, and nothing changed, where that is not so
/// easy.
bool restrictLength(Pattern& pattern, LengthRange wanted);

/// The inside of a JSON string that matches. What has to be escaped is, in the shortest way.
Expr insideString(const Pattern& pattern);

}  // namespace ingle::grammar
