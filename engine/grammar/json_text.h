/// The pieces of JSON text that schemas are made of. Source: RFC 8259.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/grammar/grammar.h"

namespace ingle::grammar {

Expr digit(char from = '0', char to = '9');
Expr digits(uint32_t min, uint32_t max);
Expr hexDigits(uint32_t min, uint32_t max);
Expr maybe(Expr part);
/// White space between pieces: at most a line break and twenty blanks, so that a model comes to an end.
Expr blank();
/// One character inside a string, escaped or not; an escape of a surrogate is one of a pair.
Expr stringCharacter();
/// A string in quotes of `min` to `max` characters.
Expr anyString(uint32_t min, uint32_t max);
/// A string in quotes that is none of `names`, written without escapes.
Expr stringExcept(const std::vector<std::string>& names);
/// Whole numbers that a 64-bit float holds exactly, those of 53 bits; no sign before zero.
Expr anyInteger();
/// Of 15 digits before the point and behind it at most.
Expr anyNumber();
/// Every integer from `min` to `max`, written without leading zeros; without a bound, as far as anyInteger().
Expr integersFrom(std::optional<int64_t> min, std::optional<int64_t> max);

/// A limit of numbers. `digits` as JSON has them, without an exponent.
struct NumberLimit {
    std::string digits;
    bool isExcluded = false;  ///< itself
};
/// The limit as its shortest decimal digits; nothing for one of more digits than a 64-bit float keeps apart.
std::optional<NumberLimit> numberLimit(double value, bool isExcluded);
/// Numbers without an exponent from `min` to `max`, of so few digits that no two are the same 64-bit float.
Expr numbersFrom(const std::optional<NumberLimit>& min, const std::optional<NumberLimit>& max);

/// Texts in quotes of a format: date, time, date-time (RFC 3339), duration (ISO 8601), uuid (RFC 4122),
/// email, hostname, ipv4, ipv6, uri and uri-reference (RFC 3986, a part), json-pointer. Nothing for another
/// one, which says nothing about a text.
std::optional<Expr> stringOfFormat(std::string_view format);

}  // namespace ingle::grammar
