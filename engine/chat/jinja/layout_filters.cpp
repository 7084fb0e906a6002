// Filters that lay text out. Source: Jinja's documentation, "List of Builtin Filters"; words are wrapped as
// Python's textwrap does it.
#include <algorithm>

#include "engine/chat/jinja/builtins.h"
#include "engine/chat/jinja/text_operations.h"

namespace ingle::chat::jinja {
namespace {

Result<Value> center(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(const auto width, integerArgument(call, 0));
    INGLE_TRY_ASSIGN(Text out, pad(call.in, text, width.value_or(80), " ", Side::Both));
    return makeText(std::move(out));
}

/// At most `length` characters, which end with `end` where something is left out.
Result<Value> truncate(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(const auto length, integerArgument(call, 0));
    INGLE_TRY_ASSIGN(const Text* given, textArgument(call, 2));
    INGLE_TRY_ASSIGN(const auto leeway, integerArgument(call, 3));
    const Text end = given ? *given : Text("...", Origin::Template);
    INGLE_TRY(call.in.spend(Characters::cost(text.bytes()) + text.size() + end.cost()));
    const Characters characters(text.bytes());
    const int64_t most = length.value_or(255);
    const int64_t kept = most - static_cast<int64_t>(countCharacters(end.bytes()));
    if (kept < 0) return fail(ErrorCode::InvalidArgument, "'truncate' wants a length of at least its end");
    // Both are numbers of a template, and their sum may exceed 64 bits.
    if (static_cast<int64_t>(characters.count()) - most <= leeway.value_or(5)) return makeText(text);
    const size_t size = characters.start(std::min(static_cast<size_t>(kept), characters.count()));
    const size_t space = text.bytes().substr(0, size).rfind(' ');
    const bool killsWord = flagArgument(call, 1, false) || space == std::string_view::npos;
    Text out;
    INGLE_TRY(call.in.append(out, text, 0, killsWord ? size : space));
    INGLE_TRY(call.in.append(out, end));
    return makeText(std::move(out));
}

bool isLetter(std::string_view characters, size_t at) {
    if (at >= characters.size()) return false;
    const char c = characters[at];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

/// The size of what may not be cut at the beginning of a line: blanks, a word, or a part up to a hyphen.
size_t chunkSize(std::string_view line, bool breaksAtHyphens) {
    constexpr std::string_view kBlank = " \t";
    const bool isBlank = kBlank.find(line[0]) != kBlank.npos;
    size_t size = 0;
    while (size < line.size() && (kBlank.find(line[size]) != kBlank.npos) == isBlank) {
        ++size;
        const bool isBreak = breaksAtHyphens && line[size - 1] == '-' && size > 2 &&
                             isLetter(line, size - 2) && isLetter(line, size - 3) && isLetter(line, size);
        if (isBreak) break;
    }
    return size;
}

/// One line of a text, wrapped.
class Wrapper {
  public:
    Wrapper(const Call& call, const Text& text, size_t width, const Text& end)
        : m_in(call.in),
          m_text(text),
          m_width(width),
          m_end(end),
          m_breaksWords(flagArgument(call, 1, true)),
          m_breaksAtHyphens(flagArgument(call, 3, true)) {}

    Status wrap(Text& out, Range line) {
        const size_t lineEnd = line.begin + line.size;
        for (size_t at = line.begin; at < lineEnd;) {
            std::string_view rest = m_text.bytes().substr(at, lineEnd - at);
            size_t chunk = chunkSize(rest, m_breaksAtHyphens);
            const size_t width = countCharacters(rest.substr(0, chunk));
            INGLE_TRY(m_in.spend(kLookUpCost * chunk));
            const bool isBlank = rest[0] == ' ' || rest[0] == '\t';
            if (isBlank && m_taken == 0 && m_isBroken) {
                at += chunk;
                continue;
            }
            if (m_taken + width > m_width) {
                const bool isLong = width > m_width && !isBlank;
                if (!isLong || !m_breaksWords ? m_taken > 0 : m_taken >= m_width) {
                    INGLE_TRY(breakLine(out));
                    continue;
                }
                if (isLong && m_breaksWords) chunk = sizeOf(rest, m_width - m_taken);
            }
            m_blank = isBlank ? m_blank + chunk : 0;
            m_taken += countCharacters(rest.substr(0, chunk));
            INGLE_TRY(m_in.append(m_line, m_text, at, chunk));
            at += chunk;
        }
        return flush(out);
    }

  private:
    static size_t sizeOf(std::string_view text, size_t count) {
        size_t size = 0;
        for (; count > 0; --count) size += characterSize(text.substr(size));
        return size;
    }

    Status breakLine(Text& out) {
        INGLE_TRY(flush(out));
        m_isBroken = true;
        return m_in.append(out, m_end);
    }

    /// The line without the blanks at its end.
    Status flush(Text& out) {
        INGLE_TRY(m_in.append(out, m_line, 0, m_line.size() - m_blank));
        m_line = {};
        m_taken = m_blank = 0;
        return {};
    }

    Interpreter& m_in;
    const Text& m_text;
    size_t m_width;
    const Text& m_end;
    bool m_breaksWords, m_breaksAtHyphens;
    Text m_line;
    size_t m_taken = 0;  ///< characters of the line
    size_t m_blank = 0;  ///< bytes of blanks at its end
    bool m_isBroken = false;
};

Result<Value> wordwrap(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(const auto width, integerArgument(call, 0));
    INGLE_TRY_ASSIGN(const Text* given, textArgument(call, 2));
    if (width.value_or(79) < 1) return fail(ErrorCode::InvalidArgument, "'wordwrap' wants a width above 0");
    const Text end = given ? *given : Text("\n", Origin::Template);
    INGLE_TRY_ASSIGN(const std::vector<Range> all, lines(call.in, text.bytes()));
    Text out;
    for (size_t i = 0; i < all.size(); ++i) {
        if (i > 0) INGLE_TRY(call.in.append(out, end));
        Wrapper wrapper(call, text, static_cast<size_t>(width.value_or(79)), end);
        INGLE_TRY(wrapper.wrap(out, all[i]));
    }
    return makeText(std::move(out));
}

Result<Value> filesizeformat(const Call& call) {
    INGLE_TRY_ASSIGN(const Value number, callBuiltin(call.in, *findFilter("float"), call.self, {}));
    const bool isBinary = flagArgument(call, 0, false);
    const double base = isBinary ? 1024 : 1000;
    double bytes = *number.number();
    constexpr std::string_view kPrefixes = "kMGTPEZY";
    if (bytes < base)
        return makeText(bytes == 1 ? "1 Byte" : fmt::format("{} Bytes", static_cast<int64_t>(bytes)),
                        Origin::Template);
    constexpr size_t kMostDigitCost = 1024;  // of the largest number
    INGLE_TRY(call.in.spend(kMostDigitCost));
    size_t prefix = 0;
    for (bytes /= base; bytes >= base && prefix + 1 < kPrefixes.size(); ++prefix) bytes /= base;
    const char letter = isBinary && prefix == 0 ? 'K' : kPrefixes[prefix];
    return makeText(fmt::format("{:.1f} {}{}", bytes, letter, isBinary ? "iB" : "B"), Origin::Template);
}

constexpr Builtin kLayoutFilters[] = {
    {"center", center, {"width"}},
    {"truncate", truncate, {"length", "killwords", "end", "leeway"}},
    {"wordwrap", wordwrap, {"width", "break_long_words", "wrapstring", "break_on_hyphens"}},
    {"filesizeformat", filesizeformat, {"binary"}},
};

}  // namespace

std::span<const Builtin> layoutFilters() {
    return kLayoutFilters;
}

}  // namespace ingle::chat::jinja
