// Filters for HTML and addresses. Source: Jinja's documentation, "List of Builtin Filters"; striptags as
// MarkupSafe does it.
#include <algorithm>
#include <charconv>

#include "engine/base/find_text.h"
#include "engine/chat/jinja/builtins.h"
#include "engine/chat/jinja/text_operations.h"

namespace ingle::chat::jinja {
namespace {

Result<Value> safe(const Call& call) {
    INGLE_TRY_ASSIGN(Text text, call.in.str(call.self));
    return makeText(std::move(text.setMarkup(true)));
}

Result<Value> escape(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(Text escaped, escapeHtml(call.in, text));
    return makeText(std::move(escaped));
}

Result<Value> forceEscape(const Call& call) {
    INGLE_TRY_ASSIGN(Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(Text escaped, escapeHtml(call.in, text.setMarkup(false)));
    return makeText(std::move(escaped));
}

/// Without what stands between `begin` and `end`.
Result<Text> withoutBetween(Interpreter& in, const Text& text, std::string_view begin, std::string_view end) {
    const std::string_view bytes = text.bytes();
    Text out;
    size_t from = 0;
    INGLE_TRY(in.spend(2 * bytes.size()));
    for (;;) {
        const size_t open = base::findText(bytes, begin, from);
        const size_t close = open == bytes.npos ? open : base::findText(bytes, end, open);
        if (close == bytes.npos) break;
        INGLE_TRY(in.append(out, text, from, open - from));
        from = close + end.size();
    }
    INGLE_TRY(in.append(out, text, from, bytes.size() - from));
    return out;
}

/// The character that an entity stands for; nothing: it is not one of the common ones.
std::optional<std::string> entity(std::string_view name) {
    struct Row {
        std::string_view name, character;
    };
    constexpr Row kRows[] = {{"amp", "&"},   {"lt", "<"},   {"gt", ">"},
                             {"quot", "\""}, {"apos", "'"}, {"nbsp", "\u00A0"}};
    const auto row = std::ranges::find(kRows, name, &Row::name);
    if (row != std::end(kRows)) return std::string(row->character);
    if (!name.starts_with('#')) return std::nullopt;
    const bool isHex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    name.remove_prefix(isHex ? 2 : 1);
    uint32_t code = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), code, isHex ? 16 : 10);
    const bool isWhole = error == std::errc{} && stop == name.data() + name.size() && code <= 0x10FFFF;
    return isWhole ? std::optional(encodeUtf8(code)) : std::nullopt;
}

Result<Value> striptags(const Call& call) {
    INGLE_TRY_ASSIGN(Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(text, withoutBetween(call.in, text, "<!--", "-->"));
    INGLE_TRY_ASSIGN(text, withoutBetween(call.in, text, "<", ">"));
    INGLE_TRY_ASSIGN(const Value words, split(call.in, text, nullptr, -1, Side::Left));
    INGLE_TRY_ASSIGN(text, join(call.in, Text(" ", Origin::Template), words.list()->items));
    constexpr size_t kLongestEntity = 12;
    const std::string_view bytes = text.bytes();
    Text out;
    INGLE_TRY(call.in.spend(kLookUpCost * bytes.size()));
    for (size_t at = 0; at < bytes.size();) {
        const size_t begin = std::min(bytes.find('&', at), bytes.size());
        INGLE_TRY(call.in.append(out, text, at, begin - at));
        if (begin == bytes.size()) break;
        const std::string_view behind = bytes.substr(begin + 1, kLongestEntity);
        const size_t end = behind.find(';');
        const auto character = end == behind.npos ? std::nullopt : entity(behind.substr(0, end));
        INGLE_TRY(call.in.append(out, character.value_or("&"), text.originAt(begin)));
        at = begin + 1 + (character ? end + 1 : 0);
    }
    return makeText(std::move(out.setMarkup(true)));
}

/// In a query a slash is quoted as well, and a space is "+".
enum class Quoted { Path, Query };

Status quote(Interpreter& in, Text& out, const Value& value, Quoted how) {
    INGLE_TRY_ASSIGN(const Text text, in.str(value));
    INGLE_TRY(in.spend(kLookUpCost * text.size()));
    const std::string_view kept = how == Quoted::Path ? "_.-~/" : "_.-~";
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text.bytes()[i];
        const bool isKept = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            kept.find(c) != kept.npos;
        const std::string written = isKept ? std::string(1, c)
                                    : c == ' ' && how == Quoted::Query
                                        ? "+"
                                        : fmt::format("%{:02X}", static_cast<unsigned char>(c));
        INGLE_TRY(in.append(out, written, text.originAt(i)));
    }
    return {};
}

/// A text, or the pairs of a query.
Result<Value> urlencode(const Call& call) {
    Text out;
    if (!call.self.list() && !call.self.dict() && !call.self.generator()) {
        INGLE_TRY(quote(call.in, out, call.self, Quoted::Path));
        return makeText(std::move(out));
    }
    Value pairs = call.self;
    if (pairs.dict()) {
        INGLE_TRY_ASSIGN(pairs, callBuiltin(call.in, *findMethod(pairs, "items"), pairs, {}));
    }
    INGLE_TRY_ASSIGN(const std::vector<Value> all, call.in.iterate(pairs));
    for (const Value& pair : all) {
        const List* list = pair.list();
        if (!list || list->items.size() != 2)
            return fail(ErrorCode::InvalidArgument, "'urlencode' wants pairs, not '{}'", typeName(pair));
        if (!out.empty()) INGLE_TRY(call.in.append(out, "&", Origin::Template));
        INGLE_TRY(quote(call.in, out, list->items[0], Quoted::Query));
        INGLE_TRY(call.in.append(out, "=", Origin::Template));
        INGLE_TRY(quote(call.in, out, list->items[1], Quoted::Query));
    }
    return makeText(std::move(out));
}

/// A dict as attributes of an element of XML.
Result<Value> xmlattr(const Call& call) {
    const Dict* dict = call.self.dict();
    if (!dict)
        return fail(ErrorCode::InvalidArgument, "'xmlattr' wants a dict, not '{}'", typeName(call.self));
    Text out;
    for (const auto& [key, value] : dict->entries) {
        if (value.isNone() || value.isUndefined()) continue;
        INGLE_TRY_ASSIGN(const Text name, call.in.str(key));
        if (name.bytes().find_first_of(" \t\n\r\f/>=") != std::string_view::npos)
            return fail(ErrorCode::InvalidArgument, "'{}' is no name of an attribute", shown(name.bytes()));
        if (!out.empty() || flagArgument(call, 0, true))
            INGLE_TRY(call.in.append(out, " ", Origin::Template));
        INGLE_TRY_ASSIGN(const Text text, call.in.str(value));
        INGLE_TRY_ASSIGN(const Text escapedName, escapeHtml(call.in, name));
        INGLE_TRY_ASSIGN(const Text escaped, escapeHtml(call.in, text));
        INGLE_TRY(call.in.append(out, escapedName));
        INGLE_TRY(call.in.append(out, "=\"", Origin::Template));
        INGLE_TRY(call.in.append(out, escaped));
        INGLE_TRY(call.in.append(out, "\"", Origin::Template));
    }
    return makeText(std::move(out.setMarkup(call.in.escapes())));
}

constexpr Builtin kHtmlFilters[] = {
    {"safe", safe},
    {"escape", escape},
    {"e", escape},
    {"forceescape", forceEscape},
    {"striptags", striptags},
    {"urlencode", urlencode},
    {"xmlattr", xmlattr, {"autospace"}},
};

}  // namespace

std::span<const Builtin> htmlFilters() {
    return kHtmlFilters;
}

}  // namespace ingle::chat::jinja
