// Python's `"…" % values`. Source: Python's library reference, "printf-style String Formatting".
#include <algorithm>
#include <cmath>

#include "engine/chat/jinja/interpreter.h"

namespace ingle::chat::jinja {
namespace {

constexpr int kMaxWidth = 1000;

/// %[flags][width][.precision]type
struct Directive {
    bool left = false, zero = false, plus = false, space = false;
    int width = 0;
    int precision = -1;
    char type = '\0';
    size_t end = 0;  ///< behind the type
};

Result<Directive> parseDirective(std::string_view format, size_t at) {
    Directive directive;
    const auto peek = [&] { return at < format.size() ? format[at] : '\0'; };
    for (;; ++at) {
        if (peek() == '-')
            directive.left = true;
        else if (peek() == '0')
            directive.zero = true;
        else if (peek() == '+')
            directive.plus = true;
        else if (peek() == ' ')
            directive.space = true;
        else
            break;
    }
    const auto number = [&] {
        int value = 0;
        for (; peek() >= '0' && peek() <= '9'; ++at)
            value = std::min(value * 10 + (peek() - '0'), kMaxWidth + 1);
        return value;
    };
    directive.width = number();
    if (peek() == '.') {
        ++at;
        directive.precision = number();
    }
    if (directive.width > kMaxWidth || directive.precision > kMaxWidth)
        return fail(ErrorCode::Unsupported, "a format is wider than {}", kMaxWidth);
    directive.type = peek();
    directive.end = at + 1;
    return directive;
}

std::string withSign(std::string digits, bool isNegative, const Directive& directive) {
    const std::string_view sign = isNegative ? "-" : directive.plus ? "+" : directive.space ? " " : "";
    const size_t width = static_cast<size_t>(directive.width);
    const size_t size = sign.size() + digits.size();
    const size_t zeros = directive.zero && !directive.left && size < width ? width - size : 0;
    return fmt::format("{}{}{}", sign, std::string(zeros, '0'), digits);
}

Result<std::string> formatNumber(const Value& value, const Directive& directive) {
    const auto number = value.number();
    if (!number)
        return fail(ErrorCode::InvalidArgument, "%{} wants a number, not '{}'", directive.type,
                    typeName(value));
    const int precision = directive.precision < 0 ? 6 : directive.precision;
    const double size = std::abs(*number);
    switch (directive.type) {
        case 'f':
        case 'F':
            return withSign(fmt::format("{:.{}f}", size, precision), std::signbit(*number), directive);
        case 'e':
            return withSign(fmt::format("{:.{}e}", size, precision), std::signbit(*number), directive);
        case 'g':
            return withSign(fmt::format("{:.{}g}", size, precision), std::signbit(*number), directive);
        default:
            break;
    }
    if (!(size <= 9.2e18)) return fail(ErrorCode::Unsupported, "a number exceeds 64 bits");
    const int64_t whole = value.integer().value_or(static_cast<int64_t>(*number));
    const uint64_t magnitude = whole < 0 ? 0 - static_cast<uint64_t>(whole) : static_cast<uint64_t>(whole);
    std::string digits = directive.type == 'x'   ? fmt::format("{:x}", magnitude)
                         : directive.type == 'X' ? fmt::format("{:X}", magnitude)
                         : directive.type == 'o' ? fmt::format("{:o}", magnitude)
                                                 : fmt::format("{}", magnitude);
    return withSign(std::move(digits), whole < 0, directive);
}

Result<Text> formatOne(Interpreter& in, const Value& value, const Directive& directive) {
    constexpr std::string_view kNumbers = "diufFegxXo";
    if (kNumbers.find(directive.type) != std::string_view::npos) {
        constexpr size_t kDigitCost = 64;  // of a number beyond what fits a word
        INGLE_TRY(in.spend(kDigitCost * static_cast<size_t>(std::max(directive.precision, 16))));
        INGLE_TRY_ASSIGN(const std::string text, formatNumber(value, directive));
        return Text(text, Origin::Template);
    }
    if (directive.type != 's' && directive.type != 'r')
        return fail(ErrorCode::InvalidArgument, "the format %{} is not supported", directive.type);
    Text text;
    INGLE_TRY(directive.type == 's' ? in.print(text, value) : in.printRepr(text, value));
    if (directive.precision < 0) return text;
    INGLE_TRY(in.spend(Characters::cost(text.bytes())));
    const Characters characters(text.bytes());
    const size_t kept = std::min(characters.count(), static_cast<size_t>(directive.precision));
    return text.slice(0, characters.start(kept));
}

}  // namespace

Result<Value> formatPercent(Interpreter& in, const Text& format, const std::vector<Value>& values) {
    const std::string_view bytes = format.bytes();
    Text out;
    size_t next = 0;
    for (size_t at = 0; at < bytes.size();) {
        const size_t percent = std::min(bytes.find('%', at), bytes.size());
        INGLE_TRY(in.append(out, format, at, percent - at));
        if (percent == bytes.size()) break;
        INGLE_TRY_ASSIGN(const Directive directive, parseDirective(bytes, percent + 1));
        at = directive.end;
        if (directive.type == '%') {
            INGLE_TRY(in.append(out, "%", format.originAt(percent)));
            continue;
        }
        if (next == values.size())
            return fail(ErrorCode::InvalidArgument, "a format has fewer values than it asks for");
        INGLE_TRY_ASSIGN(const Text text, formatOne(in, values[next++], directive));
        const size_t width = countCharacters(text.bytes());
        const std::string padding(std::max<size_t>(static_cast<size_t>(directive.width), width) - width, ' ');
        if (!directive.left) INGLE_TRY(in.append(out, padding, Origin::Message));
        INGLE_TRY(in.append(out, text));
        if (directive.left) INGLE_TRY(in.append(out, padding, Origin::Message));
    }
    if (next < values.size())
        return fail(ErrorCode::InvalidArgument, "a format has more values than it asks for");
    return makeText(std::move(out));
}

}  // namespace ingle::chat::jinja
