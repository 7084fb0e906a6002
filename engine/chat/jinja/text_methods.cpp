// Methods of str, dict, list and of the variable `loop`. Those that change a value in place do not exist
// here, as in the sandbox that Hugging Face renders templates in.
#include <utf8proc.h>

#include <algorithm>

#include "engine/base/find_text.h"
#include "engine/chat/jinja/builtins.h"
#include "engine/chat/jinja/text_operations.h"

namespace ingle::chat::jinja {
namespace {

using base::findLastText;
using base::findText;

Result<Value> asValue(Result<Text> text) {
    INGLE_TRY(text);
    return makeText(std::move(*text));
}
Result<Value> asValue(Result<bool> truth) {
    INGLE_TRY(truth);
    return *truth;
}

template <Case wanted>
Result<Value> changeCase(const Call& call) {
    return asValue(withCase(call.in, *call.self.text(), wanted));
}

template <Side side>
Result<Value> strip(const Call& call) {
    INGLE_TRY_ASSIGN(const Text* characters, textArgument(call, 0));
    return asValue(strip(call.in, *call.self.text(), side, characters));
}

template <Side from>
Result<Value> split(const Call& call) {
    INGLE_TRY_ASSIGN(const Text* separator, textArgument(call, 0));
    INGLE_TRY_ASSIGN(const auto limit, integerArgument(call, 1));
    return split(call.in, *call.self.text(), separator, limit.value_or(-1), from);
}

Result<Value> splitlines(const Call& call) {
    const Text& text = *call.self.text();
    INGLE_TRY_ASSIGN(const std::vector<Range> ranges, lines(call.in, text.bytes()));
    std::vector<Value> parts;
    for (const Range& line : ranges) {
        INGLE_TRY(call.in.spend(sizeof(Value) + sizeof(Text)));
        Text part;
        INGLE_TRY(call.in.append(part, text, line.begin, line.size));
        parts.push_back(makeText(std::move(part.setMarkup(text.isMarkup()))));
    }
    return makeList(std::move(parts));
}

template <Side side>
Result<bool> standsAt(Interpreter& in, std::string_view text, std::string_view part) {
    INGLE_TRY(in.spend(1 + std::min(text.size(), part.size()) / 16));
    return side == Side::Left ? text.starts_with(part) : text.ends_with(part);
}

/// startswith, endswith: a text, or a tuple of which any may stand there.
template <Side side>
Result<Value> stands(const Call& call) {
    const std::string_view text = call.self.text()->bytes();
    const Value& wanted = *call.arguments[0];
    if (const Text* part = wanted.text()) return asValue(standsAt<side>(call.in, text, part->bytes()));
    const List* list = wanted.list();
    if (!list || list->kind != List::Kind::Tuple)
        return fail(ErrorCode::InvalidArgument, "a text begins and ends with a str, not with '{}'",
                    typeName(wanted));
    for (const Value& each : list->items) {
        const std::string_view part = each.text() ? each.text()->bytes() : "";
        INGLE_TRY_ASSIGN(const bool stands, standsAt<side>(call.in, text, part));
        if (stands && each.text()) return true;
    }
    return false;
}

/// removeprefix, removesuffix
template <Side side>
Result<Value> removeAt(const Call& call) {
    const Text& text = *call.self.text();
    INGLE_TRY_ASSIGN(const Text* part, textArgument(call, 0));
    if (!part) return call.self;
    INGLE_TRY_ASSIGN(const bool stands, standsAt<side>(call.in, text.bytes(), part->bytes()));
    if (!stands) return call.self;
    INGLE_TRY(call.in.spend(text.cost()));
    return makeText(text.slice(side == Side::Left ? part->size() : 0, text.size() - part->size()));
}

Result<Value> replaceMethod(const Call& call) {
    INGLE_TRY_ASSIGN(const Text* from, textArgument(call, 0));
    INGLE_TRY_ASSIGN(const Text* to, textArgument(call, 1));
    INGLE_TRY_ASSIGN(const auto limit, integerArgument(call, 2));
    if (!from || !to) return fail(ErrorCode::InvalidArgument, "'replace' wants two texts");
    return asValue(replace(call.in, *call.self.text(), *from, *to, limit.value_or(-1)));
}

Result<Value> joinMethod(const Call& call) {
    INGLE_TRY_ASSIGN(const std::vector<Value> items, call.in.iterate(*call.arguments[0]));
    for (const Value& item : items)
        if (!item.text())
            return fail(ErrorCode::InvalidArgument, "'join' wants texts, not '{}'", typeName(item));
    return asValue(join(call.in, *call.self.text(), items));
}

enum class Missing { IsMinusOne, Fails };

/// find, rfind, index, rindex: the number of the character where the text stands.
template <Side from, Missing missing>
Result<Value> find(const Call& call) {
    INGLE_TRY_ASSIGN(const Text* part, textArgument(call, 0));
    if (!part) return fail(ErrorCode::InvalidArgument, "'find' wants a text");
    const std::string_view text = call.self.text()->bytes();
    INGLE_TRY(call.in.spend(text.size() + part->size()));
    const size_t at = from == Side::Left ? findText(text, part->bytes()) : findLastText(text, part->bytes());
    if (at != std::string_view::npos) return static_cast<int64_t>(countCharacters(text.substr(0, at)));
    if (missing == Missing::Fails) return fail(ErrorCode::InvalidArgument, "the text was not found");
    return int64_t{-1};
}

Result<Value> count(const Call& call) {
    INGLE_TRY_ASSIGN(const Text* part, textArgument(call, 0));
    const std::string_view text = call.self.text()->bytes();
    INGLE_TRY(call.in.spend(text.size() + (part ? part->size() : 0)));
    if (!part || part->empty()) return static_cast<int64_t>(countCharacters(text)) + 1;
    int64_t found = 0;
    for (size_t at = findText(text, part->bytes()); at != std::string_view::npos;
         at = findText(text, part->bytes(), at + part->size()))
        ++found;
    return found;
}

/// isalpha() and its kin: not empty, and every character is of that kind.
template <bool (*isKind)(std::string_view)>
Result<Value> isAll(const Call& call) {
    std::string_view text = call.self.text()->bytes();
    INGLE_TRY(call.in.spend(kLookUpCost * text.size()));
    if (text.empty()) return false;
    while (!text.empty()) {
        const size_t size = characterSize(text);
        if (!isKind(text.substr(0, size))) return false;
        text.remove_prefix(size);
    }
    return true;
}

utf8proc_category_t categoryOf(std::string_view character) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(codePointOf(character)));
}
bool isAlpha(std::string_view character) {
    return categoryOf(character) >= UTF8PROC_CATEGORY_LU && categoryOf(character) <= UTF8PROC_CATEGORY_LO;
}
bool isDecimal(std::string_view character) {
    return categoryOf(character) == UTF8PROC_CATEGORY_ND;
}
bool isAlphanumeric(std::string_view character) {
    return isAlpha(character) ||
           (categoryOf(character) >= UTF8PROC_CATEGORY_ND && categoryOf(character) <= UTF8PROC_CATEGORY_NO);
}

/// isupper, islower: no character of the other case, and at least one of this.
template <Case wanted>
Result<Value> isCase(const Call& call) {
    INGLE_TRY_ASSIGN(const Text same, withCase(call.in, *call.self.text(), wanted));
    INGLE_TRY_ASSIGN(const Text other,
                     withCase(call.in, *call.self.text(), wanted == Case::Upper ? Case::Lower : Case::Upper));
    return same.bytes() == call.self.text()->bytes() && other.bytes() != same.bytes();
}

template <Side side>
Result<Value> padMethod(const Call& call) {
    INGLE_TRY_ASSIGN(const auto width, integerArgument(call, 0));
    INGLE_TRY_ASSIGN(const Text* fill, textArgument(call, 1));
    return asValue(pad(call.in, *call.self.text(), width.value_or(0), fill ? fill->bytes() : " ", side));
}

Result<Value> zfill(const Call& call) {
    INGLE_TRY_ASSIGN(const auto width, integerArgument(call, 0));
    const Text& text = *call.self.text();
    const bool isSigned = text.bytes().starts_with('-') || text.bytes().starts_with('+');
    INGLE_TRY(call.in.spend(text.cost()));
    const Text digits = text.slice(isSigned ? 1 : 0, text.size() - (isSigned ? 1 : 0));
    INGLE_TRY_ASSIGN(const Text padded,
                     pad(call.in, digits, width.value_or(0) - (isSigned ? 1 : 0), "0", Side::Right));
    Text out = text.slice(0, isSigned ? 1 : 0);
    INGLE_TRY(call.in.append(out, padded));
    return makeText(std::move(out));
}

/// partition, rpartition
template <Side from>
Result<Value> partition(const Call& call) {
    INGLE_TRY_ASSIGN(const Text* separator, textArgument(call, 0));
    if (!separator || separator->empty()) return fail(ErrorCode::InvalidArgument, "the separator is empty");
    const Text& text = *call.self.text();
    INGLE_TRY(call.in.spend(2 * text.cost() + separator->size()));
    const size_t at = from == Side::Left ? findText(text.bytes(), separator->bytes())
                                         : findLastText(text.bytes(), separator->bytes());
    const Value none = makeText(Text());
    if (at == std::string_view::npos)
        return from == Side::Left ? makeList({call.self, none, none}, List::Kind::Tuple)
                                  : makeList({none, none, call.self}, List::Kind::Tuple);
    const size_t behind = at + separator->size();
    return makeList(
        {makeText(text.slice(0, at)), *call.arguments[0], makeText(text.slice(behind, text.size() - behind))},
        List::Kind::Tuple);
}

/// str.format with {} {0} and {name}, without format specifications.
Result<Value> format(const Call& call) {
    const Text& text = *call.self.text();
    const std::string_view bytes = text.bytes();
    Text out;
    size_t next = 0;
    INGLE_TRY(call.in.spend(kLookUpCost * bytes.size()));
    for (size_t at = 0; at < bytes.size();) {
        const size_t brace = std::min(bytes.find_first_of("{}", at), bytes.size());
        INGLE_TRY(call.in.append(out, text, at, brace - at));
        at = brace + 1;
        if (brace == bytes.size()) break;
        if (at < bytes.size() && bytes[at] == bytes[brace]) {
            INGLE_TRY(call.in.append(out, text, at++, 1));
            continue;
        }
        const size_t end = bytes.find('}', at);
        if (bytes[brace] == '}' || end == std::string_view::npos)
            return fail(ErrorCode::InvalidArgument, "a brace stands alone in a format");
        const std::string_view field = bytes.substr(at, end - at);
        at = end + 1;
        const bool isIndex =
            std::ranges::all_of(field, [](char c) { return c >= '0' && c <= '9'; }) && field.size() < 4;
        if (isIndex) {
            size_t index = field.empty() ? next++ : 0;
            for (const char digit : field) index = index * 10 + static_cast<size_t>(digit - '0');
            if (index >= call.all.positional.size())
                return fail(ErrorCode::InvalidArgument, "a format has fewer values than it asks for");
            INGLE_TRY(call.in.print(out, call.all.positional[index]));
            continue;
        }
        INGLE_TRY(call.in.spendOnNames(field, call.all.named.size()));
        const auto named =
            std::ranges::find(call.all.named, field, [](const auto& each) { return each.first; });
        if (named == call.all.named.end())
            return fail(ErrorCode::InvalidArgument, "a format asks for '{}'", shown(field));
        INGLE_TRY(call.in.print(out, named->second));
    }
    return makeText(std::move(out));
}

constexpr Builtin kTextMethods[] = {
    {"upper", changeCase<Case::Upper>},
    {"lower", changeCase<Case::Lower>},
    {"title", changeCase<Case::Title>},
    {"capitalize", changeCase<Case::Capitalized>},
    {"swapcase", changeCase<Case::Swapped>},
    {"strip", strip<Side::Both>, {"chars"}},
    {"lstrip", strip<Side::Left>, {"chars"}},
    {"rstrip", strip<Side::Right>, {"chars"}},
    {"split", split<Side::Left>, {"sep", "maxsplit"}},
    {"rsplit", split<Side::Right>, {"sep", "maxsplit"}},
    {"splitlines", splitlines},
    {"startswith", stands<Side::Left>, {"prefix"}, 1},
    {"endswith", stands<Side::Right>, {"suffix"}, 1},
    {"removeprefix", removeAt<Side::Left>, {"prefix"}, 1},
    {"removesuffix", removeAt<Side::Right>, {"suffix"}, 1},
    {"replace", replaceMethod, {"old", "new", "count"}, 2},
    {"join", joinMethod, {"iterable"}, 1},
    {"find", find<Side::Left, Missing::IsMinusOne>, {"sub"}, 1},
    {"rfind", find<Side::Right, Missing::IsMinusOne>, {"sub"}, 1},
    {"index", find<Side::Left, Missing::Fails>, {"sub"}, 1},
    {"rindex", find<Side::Right, Missing::Fails>, {"sub"}, 1},
    {"count", count, {"sub"}, 1},
    {"isalpha", isAll<isAlpha>},
    {"isdigit", isAll<isDecimal>},
    {"isdecimal", isAll<isDecimal>},
    {"isnumeric", isAll<isDecimal>},
    {"isalnum", isAll<isAlphanumeric>},
    {"isspace", isAll<isSpace>},
    {"isupper", isCase<Case::Upper>},
    {"islower", isCase<Case::Lower>},
    {"ljust", padMethod<Side::Left>, {"width", "fillchar"}, 1},
    {"rjust", padMethod<Side::Right>, {"width", "fillchar"}, 1},
    {"center", padMethod<Side::Both>, {"width", "fillchar"}, 1},
    {"zfill", zfill, {"width"}, 1},
    {"partition", partition<Side::Left>, {"sep"}, 1},
    {"rpartition", partition<Side::Right>, {"sep"}, 1},
    {"format", format, {}, 0, true},
};

}  // namespace

std::span<const Builtin> textMethods() {
    return kTextMethods;
}

}  // namespace ingle::chat::jinja
