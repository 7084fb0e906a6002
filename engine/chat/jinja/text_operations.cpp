#include "engine/chat/jinja/text_operations.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>

#include "engine/base/find_text.h"

namespace ingle::chat::jinja {
namespace {

using base::findLastText;
using base::findText;

bool isLetter(char32_t code) {
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

std::string upper(char32_t code) {
    if (code == 0xDF) return "SS";  // the only one people write whose capital has two letters
    return encodeUtf8(static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code))));
}

std::string lower(char32_t code) {
    return encodeUtf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code))));
}

/// `afterLetter`: whether the character before is a letter; `isFirst`: whether there is none before.
std::string inCase(char32_t code, Case wanted, bool afterLetter, bool isFirst) {
    switch (wanted) {
        case Case::Upper:
            return upper(code);
        case Case::Lower:
            return lower(code);
        case Case::Title:
            return afterLetter ? lower(code) : upper(code);
        case Case::Capitalized:
            return isFirst ? upper(code) : lower(code);
        case Case::Swapped:
            return lower(code) == encodeUtf8(code) ? upper(code) : lower(code);
    }
    return encodeUtf8(code);
}

/// A line ends at any of the characters of Python's str.splitlines().
size_t lineEndSize(std::string_view text) {
    if (text.starts_with("\r\n")) return 2;
    const char32_t code = codePointOf(text.substr(0, characterSize(text)));
    constexpr char32_t kEnds[] = {'\n', '\r', '\v', '\f', 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029};
    return std::ranges::find(kEnds, code) != std::end(kEnds) ? characterSize(text) : 0;
}

/// Ranges between runs of space, in order.
std::vector<Range> words(std::string_view text, int64_t limit, Side from) {
    std::vector<Range> out;
    std::string_view rest = text;
    const bool fromLeft = from == Side::Left;
    const auto offset = [&] { return static_cast<size_t>(rest.data() - text.data()); };
    for (;;) {
        const Range kept = stripped(rest, fromLeft ? Side::Left : Side::Right, isSpace);
        rest = rest.substr(kept.begin, kept.size);
        if (rest.empty()) break;
        size_t size = 0;
        const bool isLast = limit >= 0 && static_cast<int64_t>(out.size()) == limit;
        while (size < rest.size()) {
            const std::string_view ahead = fromLeft ? rest.substr(size) : rest.substr(0, rest.size() - size);
            const size_t begin = fromLeft ? 0 : lastCharacter(ahead);
            const std::string_view character = ahead.substr(begin, characterSize(ahead.substr(begin)));
            if (!isLast && isSpace(character)) break;
            size += character.size();
        }
        out.push_back({fromLeft ? offset() : offset() + rest.size() - size, size});
        rest = fromLeft ? rest.substr(size) : rest.substr(0, rest.size() - size);
    }
    if (!fromLeft) std::ranges::reverse(out);
    return out;
}

std::vector<Range> fields(std::string_view text, std::string_view separator, int64_t limit, Side from) {
    std::vector<Range> out;
    size_t begin = 0;
    size_t end = text.size();
    const auto mayCut = [&] { return limit < 0 || static_cast<int64_t>(out.size()) < limit; };
    if (from == Side::Left) {
        for (size_t at = findText(text, separator); at != std::string_view::npos && mayCut();
             at = findText(text, separator, begin)) {
            out.push_back({begin, at - begin});
            begin = at + separator.size();
        }
        out.push_back({begin, end - begin});
        return out;
    }
    while (mayCut()) {
        const size_t at = findLastText(text.substr(0, end), separator);
        if (at == std::string_view::npos) break;
        out.push_back({at + separator.size(), end - at - separator.size()});
        end = at;
    }
    out.push_back({0, end});
    std::ranges::reverse(out);
    return out;
}

}  // namespace

Result<Text> withCase(Interpreter& in, const Text& text, Case wanted) {
    const std::string_view bytes = text.bytes();
    Text out;
    bool afterLetter = false;
    INGLE_TRY(in.spend(kLookUpCost * bytes.size()));
    for (size_t at = 0; at < bytes.size();) {
        const std::string_view character = bytes.substr(at, characterSize(bytes.substr(at)));
        const char32_t code = codePointOf(character);
        const bool isWhole = character.size() > 1 || code < 0x80;  // else a byte that is no UTF-8
        INGLE_TRY(in.append(out,
                            isWhole ? inCase(code, wanted, afterLetter, at == 0) : std::string(character),
                            text.originAt(at)));
        afterLetter = isLetter(code);
        at += character.size();
    }
    return std::move(out.setMarkup(text.isMarkup()));
}

Result<Text> escapeHtml(Interpreter& in, const Text& text) {
    constexpr std::string_view kSpecial = "&<>'\"";
    constexpr std::string_view kEntities[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
    Text out;
    size_t begin = 0;
    const std::string_view bytes = text.bytes();
    INGLE_TRY(in.spend(bytes.size()));
    for (size_t at = 0; at < bytes.size() && !text.isMarkup(); ++at) {
        const size_t special = kSpecial.find(bytes[at]);
        if (special == std::string_view::npos) continue;
        INGLE_TRY(in.append(out, text, begin, at - begin));
        INGLE_TRY(in.append(out, kEntities[special], text.originAt(at)));
        begin = at + 1;
    }
    INGLE_TRY(in.append(out, text, begin, text.size() - begin));
    return std::move(out.setMarkup(true));
}

Result<Text> strip(Interpreter& in, const Text& text, Side side, const Text* characters) {
    INGLE_TRY(in.spend(kLookUpCost * (text.size() + (characters ? characters->size() : 0))));
    std::array<bool, 256> isUnwantedByte{};
    std::vector<std::string_view> unwanted;  // longer characters, sorted
    for (std::string_view rest = characters ? characters->bytes() : ""; !rest.empty();) {
        const std::string_view each = rest.substr(0, characterSize(rest));
        if (each.size() == 1)
            isUnwantedByte[static_cast<unsigned char>(each[0])] = true;
        else
            unwanted.push_back(each);
        rest.remove_prefix(each.size());
    }
    INGLE_TRY(in.spend(kLookUpCost * unwanted.size() * static_cast<size_t>(std::bit_width(unwanted.size()))));
    std::ranges::sort(unwanted);
    const auto isUnwanted = [&](std::string_view each) {
        return each.size() == 1 ? isUnwantedByte[static_cast<unsigned char>(each[0])]
                                : std::ranges::binary_search(unwanted, each);
    };
    const Range kept =
        characters ? stripped(text.bytes(), side, isUnwanted) : stripped(text.bytes(), side, isSpace);
    Text out;
    INGLE_TRY(in.append(out, text, kept.begin, kept.size));
    return std::move(out.setMarkup(text.isMarkup()));
}

Result<Text> replace(Interpreter& in, const Text& text, const Text& from, const Text& to, int64_t limit) {
    const std::string_view bytes = text.bytes();
    Text out;
    size_t begin = 0;
    INGLE_TRY(in.spend(bytes.size() + from.size()));
    if (from.empty()) {  // between all characters, and at both ends
        for (size_t at = 0; limit != 0; --limit) {
            INGLE_TRY(in.append(out, to));
            if (at == bytes.size()) break;
            const size_t size = characterSize(bytes.substr(at));
            INGLE_TRY(in.append(out, text, at, size));
            begin = at += size;
        }
    } else {
        for (; limit != 0; --limit) {
            const size_t at = findText(bytes, from.bytes(), begin);
            if (at == std::string_view::npos) break;
            INGLE_TRY(in.append(out, text, begin, at - begin));
            INGLE_TRY(in.append(out, to));
            begin = at + from.size();
        }
    }
    INGLE_TRY(in.append(out, text, begin, bytes.size() - begin));
    return out;
}

Result<Text> join(Interpreter& in, const Text& separator, std::span<const Value> items) {
    Text out;
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) INGLE_TRY(in.append(out, separator));
        INGLE_TRY(in.print(out, items[i]));
    }
    return out;
}

Result<Value> split(Interpreter& in, const Text& text, const Text* separator, int64_t limit, Side from) {
    if (separator && separator->empty()) return fail(ErrorCode::InvalidArgument, "the separator is empty");
    INGLE_TRY(in.spend(kLookUpCost * text.size() + (separator ? separator->size() : 0)));
    const auto ranges =
        separator ? fields(text.bytes(), separator->bytes(), limit, from) : words(text.bytes(), limit, from);
    std::vector<Value> parts;
    for (const Range& range : ranges) {
        INGLE_TRY(in.spend(sizeof(Value) + sizeof(Text)));
        Text part;
        INGLE_TRY(in.append(part, text, range.begin, range.size));
        part.setMarkup(text.isMarkup());
        parts.push_back(makeText(std::move(part)));
    }
    return makeList(std::move(parts));
}

Result<std::vector<Range>> lines(Interpreter& in, std::string_view text) {
    std::vector<Range> out;
    size_t begin = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t end = lineEndSize(text.substr(at));
        const size_t taken = end > 0 ? end : characterSize(text.substr(at));
        INGLE_TRY(in.spend(kLookUpCost * taken + (end > 0 ? sizeof(Range) : 0)));
        if (end > 0) {
            out.push_back({begin, at - begin});
            begin = at + end;
        }
        at += taken;
    }
    if (begin < text.size()) out.push_back({begin, text.size() - begin});
    return out;
}

Result<Text> indent(Interpreter& in, const Text& text, const Text& indentation, bool first, bool blank) {
    INGLE_TRY_ASSIGN(std::vector<Range> ranges, lines(in, text.bytes()));
    // A text that ends with a line end keeps it.
    if (text.empty() || ranges.empty() || ranges.back().begin + ranges.back().size < text.size())
        ranges.push_back({text.size(), 0});
    Text out;
    for (size_t i = 0; i < ranges.size(); ++i) {
        if (i > 0) INGLE_TRY(in.append(out, "\n", text.originAt(ranges[i].begin - 1)));
        const bool isIndented = i == 0 ? first : blank || ranges[i].size > 0;
        if (isIndented) INGLE_TRY(in.append(out, indentation));
        INGLE_TRY(in.append(out, text, ranges[i].begin, ranges[i].size));
    }
    return out;
}

Result<Text> pad(Interpreter& in, const Text& text, int64_t width, std::string_view fill, Side side) {
    INGLE_TRY(in.spend(text.size()));
    const auto count = static_cast<int64_t>(countCharacters(text.bytes()));
    const int64_t missing = std::max<int64_t>(width - count, 0);
    const int64_t before = side == Side::Right ? missing : side == Side::Both ? missing / 2 : 0;
    Text out;
    for (int64_t i = 0; i < before; ++i) INGLE_TRY(in.append(out, fill, Origin::Template));
    INGLE_TRY(in.append(out, text));
    for (int64_t i = before; i < missing; ++i) INGLE_TRY(in.append(out, fill, Origin::Template));
    return out;
}

}  // namespace ingle::chat::jinja
