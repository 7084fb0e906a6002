#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/grammar/json_text.h"

namespace ingle::grammar {
namespace {

/// Of all digits of a number: any two such numbers are different 64-bit floats.
constexpr uint32_t kMostDigits = 15;

/// A decimal number that is not negative. Digits behind the point do not end in zero.
struct Decimal {
    std::string whole, fraction;
    bool isExcluded = false;
};

Decimal decimalOf(const NumberLimit& limit) {
    std::string_view text = limit.digits;
    if (text.starts_with('-')) text.remove_prefix(1);
    const size_t point = text.find('.');
    Decimal out{std::string(text.substr(0, point)), {}, limit.isExcluded};
    if (point != text.npos) out.fraction = text.substr(point + 1);
    while (out.fraction.ends_with('0')) out.fraction.pop_back();
    return out;
}

Expr nothing() {
    return choice({});
}

/// Zeros only. `least`: how many digits there have to be.
Expr zeros(uint32_t least, uint32_t most) {
    return least > most ? nothing() : repeat(digit('0', '0'), least, most);
}

/// Up to `most` digits that are not all zero.
Expr someNonZero(uint32_t most) {
    Expr out = nothing();
    for (uint32_t before = 0; before < most; ++before)
        out.parts.push_back(sequence(
            {repeat(digit('0', '0'), before, before), digit('1', '9'), digits(0, most - before - 1)}));
    return out;
}

/// Up to `most` digits behind a point that are more than `low`, or as many where it is not excluded. Where
/// `least` is 1, there is one at least.
Expr digitsAbove(std::string_view low, bool isExcluded, uint32_t least, uint32_t most) {
    if (low.empty() && isExcluded) return someNonZero(most);
    if (low.empty()) return least > most ? nothing() : digits(least, most);
    Expr out = nothing();
    if (most == 0) return out;
    out.parts.push_back(
        sequence({digit(low[0], low[0]), digitsAbove(low.substr(1), isExcluded, 0, most - 1)}));
    if (low[0] < '9')
        out.parts.push_back(sequence({digit(static_cast<char>(low[0] + 1), '9'), digits(0, most - 1)}));
    return out;
}

/// The same for less than `high`.
Expr digitsBelow(std::string_view high, bool isExcluded, uint32_t least, uint32_t most) {
    if (high.empty()) return isExcluded ? nothing() : zeros(least, most);
    Expr out = nothing();
    if (least == 0) out.parts.push_back(Expr{});
    if (most == 0) return out;
    out.parts.push_back(
        sequence({digit(high[0], high[0]), digitsBelow(high.substr(1), isExcluded, 0, most - 1)}));
    if (high[0] > '0')
        out.parts.push_back(sequence({digit('0', static_cast<char>(high[0] - 1)), digits(0, most - 1)}));
    return out;
}

/// The same for what is between `low` and `high`.
Expr digitsWithin(std::string_view low, bool lowExcluded, std::string_view high, bool highExcluded,
                  uint32_t least, uint32_t most) {
    if (low.empty() && high.empty()) return lowExcluded || highExcluded ? nothing() : zeros(least, most);
    Expr out = nothing();
    if (high.empty()) return out;
    if (low.empty() && !lowExcluded && least == 0) out.parts.push_back(Expr{});
    const char from = low.empty() ? '0' : low[0];
    const std::string_view lowRest = low.empty() ? low : low.substr(1), highRest = high.substr(1);
    if (most == 0 || from > high[0]) return out;
    if (from == high[0]) {
        out.parts.push_back(sequence(
            {digit(from, from), digitsWithin(lowRest, lowExcluded, highRest, highExcluded, 0, most - 1)}));
        return out;
    }
    out.parts.push_back(sequence({digit(from, from), digitsAbove(lowRest, lowExcluded, 0, most - 1)}));
    if (from + 1 < high[0])
        out.parts.push_back(sequence(
            {digit(static_cast<char>(from + 1), static_cast<char>(high[0] - 1)), digits(0, most - 1)}));
    out.parts.push_back(
        sequence({digit(high[0], high[0]), digitsBelow(highRest, highExcluded, 0, most - 1)}));
    return out;
}

/// How many digits there may be behind the point.
uint32_t fractionDigits(size_t wholeDigits) {
    return wholeDigits < kMostDigits ? kMostDigits - static_cast<uint32_t>(wholeDigits) : 0;
}

/// Numbers with that whole part between both limits of the digits behind it.
Expr numbersWithWhole(const std::string& whole, const Decimal* low, const Decimal* high) {
    const uint32_t most = fractionDigits(whole.size());
    const bool isAbove = low == nullptr || (low->fraction.empty() && !low->isExcluded);
    const bool isBelow = high == nullptr || !high->fraction.empty() || !high->isExcluded;
    Expr fraction;
    if (low != nullptr && high != nullptr)
        fraction = digitsWithin(low->fraction, low->isExcluded, high->fraction, high->isExcluded, 1, most);
    else if (low != nullptr)
        fraction = digitsAbove(low->fraction, low->isExcluded, 1, most);
    else
        fraction = digitsBelow(high->fraction, high->isExcluded, 1, most);
    Expr out = choice({sequence({literal(whole), literal("."), std::move(fraction)})});
    if (isAbove && isBelow) out.parts.push_back(literal(whole));
    return out;
}

uint64_t wholeOf(const Decimal& decimal) {
    return std::strtoull(decimal.whole.c_str(), nullptr, 10);
}

/// Not negative numbers from `low` (null: zero) to `high` (null: as far as digits go).
Expr magnitudesBetween(const Decimal& low, const Decimal* high) {
    constexpr uint64_t kMostWhole = 999'999'999'999'999;
    const uint64_t first = wholeOf(low);
    if (high != nullptr && wholeOf(*high) == first) return numbersWithWhole(low.whole, &low, high);
    if (high != nullptr && wholeOf(*high) < first) return nothing();
    Expr out = choice({numbersWithWhole(low.whole, &low, nullptr)});
    const uint64_t last = high != nullptr ? wholeOf(*high) - 1 : kMostWhole;
    // By their number of digits, which says how many there may be behind the point.
    for (uint64_t from = first + 1; from <= last;) {
        const size_t count = std::to_string(from).size();
        uint64_t nines = 9;
        while (std::to_string(nines).size() < count) nines = nines * 10 + 9;
        const uint64_t to = std::min(nines, last);
        Expr whole = integersFrom(static_cast<int64_t>(from), static_cast<int64_t>(to));
        const uint32_t most = fractionDigits(count);
        const Expr fraction = most == 0 ? nothing() : digits(1, most);
        out.parts.push_back(sequence({std::move(whole), maybe(sequence({literal("."), fraction}))}));
        from = to + 1;
    }
    if (high != nullptr) out.parts.push_back(numbersWithWhole(high->whole, nullptr, high));
    return out;
}

bool isNegative(const NumberLimit& limit) {
    return limit.digits.starts_with('-');
}

}  // namespace

std::optional<NumberLimit> numberLimit(double value, bool isExcluded) {
    constexpr double kMost = 1e15;
    if (!std::isfinite(value) || std::abs(value) >= kMost) return std::nullopt;
    std::string text = fmt::format("{}", value == 0 ? 0.0 : value);
    if (text.find('e') != text.npos) return std::nullopt;
    size_t count = 0;
    for (const char c : text) count += c >= '0' && c <= '9' ? 1 : 0;
    if (count > kMostDigits) return std::nullopt;
    return NumberLimit{std::move(text), isExcluded};
}

Expr numbersFrom(const std::optional<NumberLimit>& min, const std::optional<NumberLimit>& max) {
    Expr out = choice({});
    const Decimal zero{"0", "", false};
    if (!min || isNegative(*min)) {
        // Their magnitudes are the other way round.
        const bool endsBelowZero =
            max && (isNegative(*max) ||
                    (max->isExcluded && wholeOf(decimalOf(*max)) == 0 && decimalOf(*max).fraction.empty()));
        const Decimal least = max && isNegative(*max) ? decimalOf(*max)
                              : endsBelowZero         ? Decimal{"0", "", true}
                                                      : zero;
        std::optional<Decimal> most;
        if (min) most = decimalOf(*min);
        out.parts.push_back(sequence({literal("-"), magnitudesBetween(least, most ? &*most : nullptr)}));
    }
    if (!max || !isNegative(*max)) {
        const Decimal least = min && !isNegative(*min) ? decimalOf(*min) : zero;
        std::optional<Decimal> most;
        if (max) most = decimalOf(*max);
        out.parts.push_back(magnitudesBetween(least, most ? &*most : nullptr));
    }
    return out;
}

}  // namespace ingle::grammar
