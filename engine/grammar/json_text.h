/// The pieces of JSON text that schemas are made of. Source: RFC 8259.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/grammar/grammar.h"

namespace ingle::grammar {

/// White space between pieces: at most a line break and twenty blanks, so that a model comes to an end.
Expr blank();
/// One character inside a string, escaped or not; an escape is never half of a surrogate pair.
Expr stringCharacter();
/// A string in quotes of `min` to `max` characters.
Expr anyString(uint32_t min, uint32_t max);
/// A string in quotes that is none of `names`, written without escapes.
Expr stringExcept(const std::vector<std::string>& names);
/// Digits that a 64-bit float holds exactly: 15 at most, no sign before zero.
Expr anyInteger();
Expr anyNumber();
/// Every integer from `min` to `max`, written without leading zeros; without a bound, as far as anyInteger().
Expr integersFrom(std::optional<int64_t> min, std::optional<int64_t> max);
/// Nothing for a format that is not known: date, time, date-time (RFC 3339), uuid (RFC 4122).
std::optional<Expr> stringOfFormat(std::string_view format);

}  // namespace ingle::grammar
