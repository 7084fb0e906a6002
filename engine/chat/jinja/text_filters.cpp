// Filters that give text or numbers. Source: Jinja's documentation, "List of Builtin Filters"; tojson as
// Hugging Face defines it (json.dumps, not escaped for HTML).
#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/chat/jinja/builtins.h"
#include "engine/chat/jinja/text_operations.h"

namespace ingle::chat::jinja {
namespace {

Result<Value> asValue(Result<Text> text) {
    INGLE_TRY(text);
    return makeText(std::move(*text));
}

template <Case wanted>
Result<Value> changeCase(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    return asValue(withCase(call.in, text, wanted));
}

/// Unlike str.title() this takes an apostrophe for part of a word.
Result<Value> title(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(const Text upper, withCase(call.in, text, Case::Upper));
    INGLE_TRY_ASSIGN(const Text lower, withCase(call.in, text, Case::Lower));
    if (upper.size() != text.size() || lower.size() != text.size())
        return asValue(withCase(call.in, text, Case::Title));
    Text out;
    bool beginsWord = true;
    for (size_t at = 0; at < text.size();) {
        const std::string_view character = text.bytes().substr(at, characterSize(text.bytes().substr(at)));
        INGLE_TRY(call.in.append(out, beginsWord ? upper : lower, at, character.size()));
        beginsWord =
            isSpace(character) || std::string_view("-({[<").find(character) != std::string_view::npos;
        at += character.size();
    }
    return makeText(std::move(out));
}

Result<Value> trim(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(const Text* characters, textArgument(call, 0));
    return asValue(strip(call.in, text, Side::Both, characters));
}

Result<Value> replaceFilter(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(const Text from, call.in.str(*call.arguments[0]));
    INGLE_TRY_ASSIGN(const Text to, call.in.str(*call.arguments[1]));
    INGLE_TRY_ASSIGN(const auto limit, integerArgument(call, 2));
    return asValue(replace(call.in, text, from, to, limit.value_or(-1)));
}

/// The width in spaces, or the text to indent with.
Result<Text> indentation(const Call& call, size_t index, int64_t fallback) {
    const Value* width = call.arguments[index];
    if (width && width->text()) return *width->text();
    INGLE_TRY_ASSIGN(const auto given, integerArgument(call, index));
    const auto count = static_cast<size_t>(std::max<int64_t>(given.value_or(fallback), 0));
    INGLE_TRY(call.in.spend(count));
    return Text(std::string(count, ' '), Origin::Template);
}

Result<Value> indentFilter(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(const Text with, indentation(call, 0, 4));
    return asValue(indent(call.in, text, with, flagArgument(call, 1, false), flagArgument(call, 2, false)));
}

Result<Value> string(const Call& call) {
    if (call.self.text()) return call.self;
    return asValue(call.in.str(call.self));
}

Result<Value> format(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    return formatPercent(call.in, text, call.all.positional);
}

Result<Value> tojson(const Call& call) {
    JsonStyle style;
    style.asciiOnly = flagArgument(call, 0, false);
    style.sortKeys = flagArgument(call, 3, false);
    if (const Value* indent = call.arguments[1]; indent && !indent->isNone()) {
        INGLE_TRY_ASSIGN(style.indent, indentation(call, 1, 0));
    }
    style.itemSeparator = Text(style.indent ? "," : ", ", Origin::Message);
    style.keySeparator = Text(": ", Origin::Message);
    if (const Value* separators = call.arguments[2]; separators && !separators->isNone()) {
        const List* pair = separators->list();
        if (!pair || pair->items.size() != 2 || !pair->items[0].text() || !pair->items[1].text())
            return fail(ErrorCode::InvalidArgument, "'separators' wants two texts");
        style.itemSeparator = *pair->items[0].text();
        style.keySeparator = *pair->items[1].text();
    }
    Text out;
    INGLE_TRY(printJson(call.in, out, call.self, style));
    return makeText(std::move(out));
}

/// The number a text spells between spaces.
template <typename T>
std::optional<T> parseNumber(std::string_view text, int base) {
    const Range kept = stripped(text, Side::Both, isSpace);
    text = text.substr(kept.begin, kept.size);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    T value{};
    const char* end = text.data() + text.size();
    std::from_chars_result result{};
    if constexpr (std::is_floating_point_v<T>)
        result = std::from_chars(text.data(), end, value);
    else
        result = std::from_chars(text.data(), end, value, base);
    return result.ec == std::errc{} && result.ptr == end && !text.empty() ? std::optional(value)
                                                                          : std::nullopt;
}

std::optional<int64_t> wholeOf(double number) {
    return std::abs(number) < 9.2e18 ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
}

Result<Value> toInt(const Call& call) {
    INGLE_TRY_ASSIGN(const auto base, integerArgument(call, 1));
    const bool hasBase = base && *base >= 2 && *base <= 36;
    std::optional<int64_t> number;
    if (const Text* text = call.self.text()) {
        INGLE_TRY(call.in.spend(kLookUpCost * text->size()));
        number = parseNumber<int64_t>(text->bytes(), hasBase ? static_cast<int>(*base) : 10);
        if (!number)
            if (const auto real = parseNumber<double>(text->bytes(), 10)) number = wholeOf(*real);
    } else if (const auto integer = call.self.integer()) {
        number = integer;
    } else if (const auto real = call.self.number()) {
        number = wholeOf(*real);
    } else if (call.self.isUndefined()) {
        return Interpreter::undefinedError(call.self);
    }
    if (number) return *number;
    return call.arguments[0] ? *call.arguments[0] : Value(int64_t{0});
}

Result<Value> toFloat(const Call& call) {
    if (call.self.isUndefined()) return Interpreter::undefinedError(call.self);
    std::optional<double> number = call.self.number();
    if (const Text* text = call.self.text()) {
        INGLE_TRY(call.in.spend(kLookUpCost * text->size()));
        number = parseNumber<double>(text->bytes(), 10);
    }
    if (number) return *number;
    return call.arguments[0] ? *call.arguments[0] : Value(0.0);
}

Result<Value> abs(const Call& call) {
    const auto number = call.self.number();
    if (!number)
        return fail(ErrorCode::InvalidArgument, "'{}' object has no absolute value", typeName(call.self));
    return *number < 0 ? subtract(call.in, int64_t{0}, call.self) : add(call.in, int64_t{0}, call.self);
}

Result<Value> round(const Call& call) {
    INGLE_TRY_ASSIGN(const auto precision, integerArgument(call, 0));
    INGLE_TRY_ASSIGN(const Text* method, textArgument(call, 1));
    const auto number = call.self.number();
    if (!number)
        return fail(ErrorCode::InvalidArgument, "'{}' object cannot be rounded", typeName(call.self));
    const std::string_view how = method ? method->bytes() : "common";
    const auto digits = static_cast<int>(std::clamp<int64_t>(precision.value_or(0), 0, 17));
    const double scale = std::pow(10.0, digits);
    if (how == "ceil") return std::ceil(*number * scale) / scale;
    if (how == "floor") return std::floor(*number * scale) / scale;
    if (how != "common") return fail(ErrorCode::InvalidArgument, "'{}' is no way to round", shown(how));
    if (call.self.integer()) return *call.self.integer();
    // Decimal digits round a half to the even neighbour, exactly.
    return parseNumber<double>(fmt::format("{:.{}f}", *number, digits), 10).value_or(*number);
}

Result<Value> wordcount(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(const Value words, split(call.in, text, nullptr, -1, Side::Left));
    return static_cast<int64_t>(words.list()->items.size());
}

constexpr Builtin kTextFilters[] = {
    {"upper", changeCase<Case::Upper>},
    {"lower", changeCase<Case::Lower>},
    {"capitalize", changeCase<Case::Capitalized>},
    {"title", title},
    {"trim", trim, {"chars"}},
    {"replace", replaceFilter, {"old", "new", "count"}, 2},
    {"indent", indentFilter, {"width", "first", "blank"}},
    {"string", string},
    {"format", format, {}, 0, true},
    {"tojson", tojson, {"ensure_ascii", "indent", "separators", "sort_keys"}},
    {"int", toInt, {"default", "base"}},
    {"float", toFloat, {"default"}},
    {"abs", abs},
    {"round", round, {"precision", "method"}},
    {"wordcount", wordcount},
};

}  // namespace

std::span<const Builtin> textFilters() {
    return kTextFilters;
}

}  // namespace ingle::chat::jinja
