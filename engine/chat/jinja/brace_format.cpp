// Python's `"…".format(values)`. Source: Python's library reference, "Format String Syntax".
#include <algorithm>
#include <cmath>

#include "engine/chat/jinja/interpreter.h"
#include "engine/chat/jinja/text_operations.h"

namespace ingle::chat::jinja {
namespace {

constexpr size_t kWidest = 1000;
/// Work of writing one number with `precision` digits.
constexpr size_t kFormattedDigitCost = 64;

/// [[fill]align][sign][#][0][width][grouping][.precision][type]
struct Spec {
    std::string fill = " ";
    char align = '\0';  ///< '<', '>', '^' or '='; none: as the type wants
    char sign = '-';
    bool hasPrefix = false;
    size_t width = 0;
    char grouping = '\0';
    std::optional<size_t> precision;
    char type = '\0';
};

bool isAlign(std::string_view text) {
    return text.size() == 1 && std::string_view("<>^=").find(text[0]) != text.npos;
}

Result<Spec> parseSpec(std::string_view text) {
    Spec spec;
    const auto take = [&text](std::string_view any) {
        if (text.empty() || any.find(text[0]) == any.npos) return '\0';
        const char taken = text[0];
        text.remove_prefix(1);
        return taken;
    };
    const auto number = [&] {
        size_t value = 0;
        while (const char digit = take("0123456789"))
            value = std::min(value * 10 + static_cast<size_t>(digit - '0'), kWidest + 1);
        return value;
    };
    const size_t first = text.empty() ? 0 : characterSize(text);
    if (first > 0 && isAlign(text.substr(first, 1))) {
        spec.fill = text.substr(0, first);
        text.remove_prefix(first);
    }
    spec.align = take("<>^=");
    if (const char sign = take("+- ")) spec.sign = sign;
    spec.hasPrefix = take("#") != '\0';
    if (text.starts_with('0') && spec.align == '\0') {
        spec.fill = "0";
        spec.align = '=';
    }
    spec.width = number();
    spec.grouping = take(",_");
    if (take(".")) spec.precision = number();
    spec.type = take("bcdeEfFgGnosxX%");
    if (!text.empty()) return fail(ErrorCode::InvalidArgument, "'{}' is no end of a format", shown(text));
    if (spec.width > kWidest || spec.precision.value_or(0) > kWidest)
        return fail(ErrorCode::Unsupported, "a format is wider than {}", kWidest);
    return spec;
}

/// Puts `separator` between each group of digits of the whole part.
std::string grouped(std::string digits, char separator, size_t size) {
    size_t at = std::min(digits.find_first_of(".e%"), digits.size());
    for (; separator != '\0' && at > size; at -= size) digits.insert(at - size, 1, separator);
    return digits;
}

/// The digits of a number without its sign; empty: the type is none of a number.
std::string digitsOf(const Value& value, const Spec& spec) {
    constexpr std::string_view kWholeTypes = "bcdnoxX";
    const double size = std::abs(*value.number());
    const auto integer = value.integer();
    const bool isWhole = integer && (spec.type == '\0' || kWholeTypes.find(spec.type) != kWholeTypes.npos);
    const size_t precision = spec.precision.value_or(6);
    if (isWhole) {
        const uint64_t magnitude =
            *integer < 0 ? 0 - static_cast<uint64_t>(*integer) : static_cast<uint64_t>(*integer);
        const char* prefix = spec.hasPrefix ? "#" : "";
        switch (spec.type) {
            case 'b':
            case 'o':
            case 'x':
            case 'X':
                return grouped(
                    fmt::format(fmt::runtime(fmt::format("{{:{}{}}}", prefix, spec.type)), magnitude),
                    spec.grouping, 4);
            case 'c':
                return magnitude <= 0x10FFFF ? encodeUtf8(static_cast<char32_t>(magnitude)) : "";
            default:
                return grouped(fmt::format("{}", magnitude), spec.grouping, 3);
        }
    }
    switch (spec.type) {
        case '%':
            return grouped(fmt::format("{:.{}f}%", size * 100, precision), spec.grouping, 3);
        case 'f':
        case 'F':
            return grouped(fmt::format("{:.{}f}", size, precision), spec.grouping, 3);
        case 'e':
            return fmt::format("{:.{}e}", size, precision);
        case 'E':
            return fmt::format("{:.{}E}", size, precision);
        case 'G':
            return fmt::format("{:.{}G}", size, precision);
        case 'g':
        case 'n':
            return grouped(fmt::format("{:.{}g}", size, precision), spec.grouping, 3);
        case '\0':
            return grouped(spec.precision ? fmt::format("{:.{}g}", size, precision) : floatRepr(size),
                           spec.grouping, 3);
        default:
            return "";
    }
}

class BraceFormatter {
  public:
    BraceFormatter(Interpreter& in, const Arguments& arguments) : m_in(in), m_arguments(arguments) {}

    Result<Text> run(const Text& format, bool isSpec = false) {
        const std::string_view bytes = format.bytes();
        Text out;
        for (size_t at = 0; at < bytes.size();) {
            const size_t brace = std::min(bytes.find_first_of("{}", at), bytes.size());
            INGLE_TRY(m_in.append(out, format, at, brace - at));
            at = brace + 1;
            if (brace == bytes.size()) break;
            if (!isSpec && at < bytes.size() && bytes[at] == bytes[brace]) {
                INGLE_TRY(m_in.append(out, format, at++, 1));
                continue;
            }
            const size_t end = bytes[brace] == '{' ? fieldEnd(bytes, at) : bytes.npos;
            if (end == bytes.npos)
                return fail(ErrorCode::InvalidArgument, "a brace stands alone in a format");
            INGLE_TRY_ASSIGN(const Text written, field(format.slice(at, end - at), isSpec));
            INGLE_TRY(m_in.append(out, written));
            at = end + 1;
        }
        return out;
    }

  private:
    /// Of a field, which may have fields in its specification.
    static size_t fieldEnd(std::string_view bytes, size_t at) {
        size_t open = 1;
        for (; at < bytes.size(); ++at) {
            if (bytes[at] == '{') ++open;
            if (bytes[at] == '}' && --open == 0) return at;
        }
        return bytes.npos;
    }

    /// name!conversion:specification
    Result<Text> field(const Text& field, bool isInSpec) {
        INGLE_TRY(m_in.spend(kLookUpCost * field.size()));
        const std::string_view bytes = field.bytes();
        const size_t nameEnd = std::min(bytes.find_first_of("!:"), bytes.size());
        INGLE_TRY_ASSIGN(Value value, valueOf(bytes.substr(0, nameEnd)));
        size_t at = nameEnd;
        if (at < bytes.size() && bytes[at] == '!') {
            Text text;
            const char conversion = at + 1 < bytes.size() ? bytes[at + 1] : '\0';
            if (conversion != 's' && conversion != 'r')
                return fail(ErrorCode::InvalidArgument, "a format has an unknown conversion");
            INGLE_TRY(conversion == 's' ? m_in.print(text, value) : m_in.printRepr(text, value));
            value = makeText(std::move(text));
            at += 2;
        }
        if (at < bytes.size() && bytes[at] != ':')
            return fail(ErrorCode::InvalidArgument, "':' belongs behind a conversion of a format");
        Text spec;
        if (at < bytes.size()) spec = field.slice(at + 1, bytes.size() - at - 1);
        if (!isInSpec && spec.bytes().find('{') != std::string_view::npos) {
            INGLE_TRY_ASSIGN(spec, run(spec, true));
        }
        return formatted(value, spec.bytes());
    }

    /// 0, name, name.attribute or name[index]; nothing: the next value.
    Result<Value> valueOf(std::string_view path) {
        const std::string_view name = path.substr(0, path.find_first_of(".["));
        path.remove_prefix(name.size());
        INGLE_TRY_ASSIGN(Value value, argument(name));
        while (!path.empty()) {
            const bool isIndex = path[0] == '[';
            path.remove_prefix(1);
            const std::string_view key = path.substr(0, path.find_first_of(isIndex ? "]" : ".["));
            path.remove_prefix(std::min(path.size(), key.size() + (isIndex ? 1 : 0)));
            if (!path.empty() && path[0] != '.' && path[0] != '[')
                return fail(ErrorCode::InvalidArgument, "'.' or '[' belongs behind ']' in a format");
            const auto number = isIndex ? indexOf(key) : std::nullopt;
            if (number) {
                INGLE_TRY_ASSIGN(value, m_in.item(value, *number));
            } else if (isIndex) {
                INGLE_TRY_ASSIGN(value, m_in.item(value, makeText(key, Origin::Template)));
            } else {
                INGLE_TRY_ASSIGN(value, m_in.attribute(value, key));
            }
            if (value.isUndefined()) return Interpreter::undefinedError(value);
        }
        return value;
    }

    Result<Value> argument(std::string_view name) {
        const auto index = name.empty() ? std::optional(static_cast<int64_t>(m_next++)) : indexOf(name);
        if (index) {
            if (static_cast<size_t>(*index) >= m_arguments.positional.size())
                return fail(ErrorCode::InvalidArgument, "a format has fewer values than it asks for");
            return m_arguments.positional[static_cast<size_t>(*index)];
        }
        INGLE_TRY(m_in.spendOnNames(name, m_arguments.named.size()));
        const auto named =
            std::ranges::find(m_arguments.named, name, [](const auto& each) { return each.first; });
        if (named == m_arguments.named.end())
            return fail(ErrorCode::InvalidArgument, "a format asks for '{}'", shown(name));
        return named->second;
    }

    static std::optional<int64_t> indexOf(std::string_view digits) {
        if (digits.empty() || digits.size() > 9) return std::nullopt;
        int64_t value = 0;
        for (const char digit : digits) {
            if (digit < '0' || digit > '9') return std::nullopt;
            value = value * 10 + (digit - '0');
        }
        return value;
    }

    Result<Text> formatted(const Value& value, std::string_view text) {
        if (text.empty()) return m_in.str(value);
        INGLE_TRY_ASSIGN(const Spec spec, parseSpec(text));
        const bool isNumber = value.number() && spec.type != 's';
        if (!isNumber) {
            const Text* held = value.text();
            if (!held || (spec.type != 's' && spec.type != '\0') || spec.align == '=')
                return fail(ErrorCode::InvalidArgument, "'{}' object does not take the format '{}'",
                            typeName(value), shown(text));
            INGLE_TRY(m_in.spend(Characters::cost(held->bytes()) + held->cost()));
            const Characters characters(held->bytes());
            const size_t kept = std::min(characters.count(), spec.precision.value_or(characters.count()));
            return padded(held->slice(0, characters.start(kept)), "", spec, '<');
        }
        INGLE_TRY(m_in.spend(kFormattedDigitCost * std::max<size_t>(spec.precision.value_or(0), 16)));
        const std::string digits = digitsOf(value, spec);
        if (digits.empty())
            return fail(ErrorCode::InvalidArgument, "'{}' object does not take the format '{}'",
                        typeName(value), shown(text));
        const bool isNegative = std::signbit(*value.number());
        const std::string_view sign = isNegative         ? "-"
                                      : spec.sign == '-' ? ""
                                                         : std::string_view(&spec.sign, 1);
        return padded(Text(digits, Origin::Template), sign, spec, '>');
    }

    Result<Text> padded(const Text& text, std::string_view sign, const Spec& spec, char usual) {
        const char align = spec.align == '\0' ? usual : spec.align;
        const size_t taken = countCharacters(text.bytes()) + sign.size();
        const size_t missing = spec.width > taken ? spec.width - taken : 0;
        const size_t before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
        Text out;
        if (align == '=') INGLE_TRY(m_in.append(out, sign, Origin::Template));
        for (size_t i = 0; i < before; ++i) INGLE_TRY(m_in.append(out, spec.fill, Origin::Message));
        if (align != '=') INGLE_TRY(m_in.append(out, sign, Origin::Template));
        INGLE_TRY(m_in.append(out, text));
        for (size_t i = before; i < missing; ++i) INGLE_TRY(m_in.append(out, spec.fill, Origin::Message));
        return out;
    }

    Interpreter& m_in;
    const Arguments& m_arguments;
    size_t m_next = 0;
};

}  // namespace

Result<Value> formatBraces(Interpreter& in, const Text& format, const Arguments& arguments) {
    INGLE_TRY_ASSIGN(Text text, BraceFormatter(in, arguments).run(format));
    return makeText(std::move(text));
}

}  // namespace ingle::chat::jinja
