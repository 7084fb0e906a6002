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
    INGLE_TRY_ASSIGN(std::vector<Range> ranges, lines(call.in, text.bytes()));
    if (flagArgument(call, 0, false))
        for (size_t i = 0; i < ranges.size(); ++i)
            ranges[i].size = (i + 1 < ranges.size() ? ranges[i + 1].begin : text.size()) - ranges[i].begin;
    std::vector<Value> parts;
    for (const Range& line : ranges) {
        INGLE_TRY(call.in.spend(sizeof(Value) + sizeof(Text)));
        Text part;
        INGLE_TRY(call.in.append(part, text, line.begin, line.size));
        parts.push_back(makeText(std::move(part.setMarkup(text.isMarkup()))));
    }
    return makeList(std::move(parts));
}

/// The bytes between the characters that the arguments 1 and 2 number; nothing: they leave none.
Result<std::optional<Range>> windowOf(const Call& call) {
    const std::string_view text = call.self.text()->bytes();
    INGLE_TRY_ASSIGN(const auto start, integerArgument(call, 1));
    INGLE_TRY_ASSIGN(const auto stop, integerArgument(call, 2));
    if (!start && !stop) return Range{0, text.size()};
    INGLE_TRY(call.in.spend(Characters::cost(text)));
    const Characters characters(text);
    const auto count = static_cast<int64_t>(characters.count());
    const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + count : at, 0, count); };
    const int64_t begin = place(start.value_or(0)), end = place(stop.value_or(count));
    if (begin > end || start.value_or(0) > count) return std::optional<Range>();
    const size_t at = characters.start(static_cast<size_t>(begin));
    return Range{at, characters.start(static_cast<size_t>(end)) - at};
}

template <Side side>
Result<bool> standsAt(Interpreter& in, std::string_view text, std::string_view part) {
    INGLE_TRY(in.spend(1 + std::min(text.size(), part.size()) / 16));
    return side == Side::Left ? text.starts_with(part) : text.ends_with(part);
}

/// startswith, endswith: a text, or a tuple of which any may stand there.
template <Side side>
Result<Value> stands(const Call& call) {
    INGLE_TRY_ASSIGN(const auto window, windowOf(call));
    if (!window) return false;
    const std::string_view text = call.self.text()->bytes().substr(window->begin, window->size);
    const Value& wanted = *call.arguments[0];
    if (const Text* part = wanted.text()) return asValue(standsAt<side>(call.in, text, part->bytes()));
    const List* list = wanted.list();
    if (!list || !list->isTuple())
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
    const std::string_view all = call.self.text()->bytes();
    INGLE_TRY(call.in.spend(all.size() + part->size()));
    INGLE_TRY_ASSIGN(const auto window, windowOf(call));
    const std::string_view text = window ? all.substr(window->begin, window->size) : std::string_view();
    const size_t at = !window              ? std::string_view::npos
                      : from == Side::Left ? findText(text, part->bytes())
                                           : findLastText(text, part->bytes());
    if (at != std::string_view::npos)
        return static_cast<int64_t>(countCharacters(all.substr(0, window->begin + at)));
    if (missing == Missing::Fails) return fail(ErrorCode::InvalidArgument, "the text was not found");
    return int64_t{-1};
}

Result<Value> count(const Call& call) {
    INGLE_TRY_ASSIGN(const Text* part, textArgument(call, 0));
    INGLE_TRY_ASSIGN(const auto window, windowOf(call));
    if (!window) return int64_t{0};
    const std::string_view text = call.self.text()->bytes().substr(window->begin, window->size);
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

/// isascii, isprintable: every character, of none too, is of that kind.
template <bool (*isKind)(std::string_view)>
Result<Value> isAllOrEmpty(const Call& call) {
    if (call.self.text()->empty()) return true;
    return isAll<isKind>(call);
}

bool isAscii(std::string_view character) {
    return static_cast<unsigned char>(character[0]) < 0x80;
}
bool isPrintableCharacter(std::string_view character) {
    const auto category = categoryOf(character);
    return character == " " || (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_SO);
}

bool isOfIdentifiers(std::string_view character) {
    return character == "_" || isAlphanumeric(character);
}

Result<Value> isIdentifier(const Call& call) {
    const std::string_view text = call.self.text()->bytes();
    if (text.empty() || isDecimal(text.substr(0, characterSize(text)))) return false;
    return isAll<isOfIdentifiers>(call);
}

Result<Value> isTitle(const Call& call) {
    INGLE_TRY_ASSIGN(const Text title, withCase(call.in, *call.self.text(), Case::Title));
    INGLE_TRY_ASSIGN(const Text swapped, withCase(call.in, title, Case::Swapped));
    return title.bytes() == call.self.text()->bytes() && swapped.bytes() != title.bytes();
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

Result<Value> format(const Call& call) {
    return formatBraces(call.in, *call.self.text(), call.all);
}

Result<Value> formatMap(const Call& call) {
    Arguments arguments;
    const Dict* dict = call.arguments[0]->dict();
    if (!dict)
        return fail(ErrorCode::InvalidArgument, "'format_map' wants a dict, not '{}'",
                    typeName(*call.arguments[0]));
    INGLE_TRY(call.in.spend(2 * sizeof(Value) * dict->entries.size()));
    for (const auto& [key, value] : dict->entries)
        if (const Text* name = key.text()) arguments.named.emplace_back(name->bytes(), value);
    return formatBraces(call.in, *call.self.text(), arguments);
}

/// Texts without regard to case: lower, and ß as ss.
Result<Value> casefold(const Call& call) {
    INGLE_TRY_ASSIGN(const Text lower, withCase(call.in, *call.self.text(), Case::Lower));
    return asValue(
        replace(call.in, lower, Text("\u00DF", Origin::Template), Text("ss", Origin::Template), -1));
}

Result<Value> expandtabs(const Call& call) {
    INGLE_TRY_ASSIGN(const auto given, integerArgument(call, 0));
    const Text& text = *call.self.text();
    const int64_t width = std::max<int64_t>(given.value_or(8), 0);
    Text out;
    int64_t column = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t size = characterSize(text.bytes().substr(at));
        const char c = text.bytes()[at];
        if (c == '\t') {
            for (int64_t missing = width == 0 ? 0 : width - column % width; missing > 0; --missing, ++column)
                INGLE_TRY(call.in.append(out, " ", text.originAt(at)));
        } else {
            INGLE_TRY(call.in.append(out, text, at, size));
            column = c == '\n' || c == '\r' ? 0 : column + 1;
        }
        at += size;
    }
    return makeText(std::move(out));
}

/// Characters by their codes: another text, another code, or None for nothing.
Result<Value> translate(const Call& call) {
    const Dict* table = call.arguments[0]->dict();
    if (!table) return fail(ErrorCode::InvalidArgument, "'translate' wants a dict of codes");
    const Text& text = *call.self.text();
    Text out;
    for (size_t at = 0; at < text.size();) {
        const std::string_view character = text.bytes().substr(at, characterSize(text.bytes().substr(at)));
        INGLE_TRY_ASSIGN(const Value* found,
                         call.in.findKey(*table, static_cast<int64_t>(codePointOf(character))));
        if (!found) {
            INGLE_TRY(call.in.append(out, text, at, character.size()));
        } else if (found->text()) {
            INGLE_TRY(call.in.append(out, *found->text()));
        } else if (const auto code = found->integer()) {
            if (*code < 0 || *code > 0x10FFFF)
                return fail(ErrorCode::InvalidArgument, "{} is no character", *code);
            INGLE_TRY(call.in.append(out, encodeUtf8(static_cast<char32_t>(*code)), text.originAt(at)));
        } else if (!found->isNone()) {
            return fail(ErrorCode::InvalidArgument, "'translate' gives texts, codes or None");
        }
        at += character.size();
    }
    return makeText(std::move(out));
}

/// The table of `translate` from a text to one that has as many characters, or of a dict; a third are
/// dropped.
Result<Value> maketrans(const Call& call) {
    Dict table;
    const auto codesOf = [&](size_t index) -> Result<std::vector<int64_t>> {
        INGLE_TRY_ASSIGN(const Text* text, textArgument(call, index));
        std::vector<int64_t> codes;
        for (std::string_view rest = text ? text->bytes() : ""; !rest.empty();
             rest.remove_prefix(characterSize(rest))) {
            INGLE_TRY(call.in.spend(sizeof(int64_t)));
            codes.push_back(static_cast<int64_t>(codePointOf(rest)));
        }
        return codes;
    };
    if (const Dict* dict = call.arguments[0]->dict()) {
        for (const auto& [key, value] : dict->entries) {
            const Text* character = key.text();
            if (character && character->empty()) return fail(ErrorCode::InvalidArgument, "a key is empty");
            const Value code = character ? Value(static_cast<int64_t>(codePointOf(character->bytes()))) : key;
            INGLE_TRY(call.in.insert(table, code, value));
        }
        return makeDict(std::move(table.entries));
    }
    INGLE_TRY_ASSIGN(const auto from, codesOf(0));
    INGLE_TRY_ASSIGN(const auto to, codesOf(1));
    INGLE_TRY_ASSIGN(const auto dropped, codesOf(2));
    if (from.size() != to.size())
        return fail(ErrorCode::InvalidArgument, "'maketrans' wants two texts of the same length");
    for (size_t i = 0; i < from.size(); ++i) INGLE_TRY(call.in.insert(table, from[i], to[i]));
    for (const int64_t code : dropped) INGLE_TRY(call.in.insert(table, code, None{}));
    return makeDict(std::move(table.entries));
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
    {"splitlines", splitlines, {"keepends"}},
    {"startswith", stands<Side::Left>, {"prefix", "start", "end"}, 1},
    {"endswith", stands<Side::Right>, {"suffix", "start", "end"}, 1},
    {"removeprefix", removeAt<Side::Left>, {"prefix"}, 1},
    {"removesuffix", removeAt<Side::Right>, {"suffix"}, 1},
    {"replace", replaceMethod, {"old", "new", "count"}, 2},
    {"join", joinMethod, {"iterable"}, 1},
    {"find", find<Side::Left, Missing::IsMinusOne>, {"sub", "start", "end"}, 1},
    {"rfind", find<Side::Right, Missing::IsMinusOne>, {"sub", "start", "end"}, 1},
    {"index", find<Side::Left, Missing::Fails>, {"sub", "start", "end"}, 1},
    {"rindex", find<Side::Right, Missing::Fails>, {"sub", "start", "end"}, 1},
    {"count", count, {"sub", "start", "end"}, 1},
    {"isalpha", isAll<isAlpha>},
    {"isdigit", isAll<isDecimal>},
    {"isdecimal", isAll<isDecimal>},
    {"isnumeric", isAll<isDecimal>},
    {"isalnum", isAll<isAlphanumeric>},
    {"isspace", isAll<isSpace>},
    {"isascii", isAllOrEmpty<isAscii>},
    {"isprintable", isAllOrEmpty<isPrintableCharacter>},
    {"isidentifier", isIdentifier},
    {"istitle", isTitle},
    {"isupper", isCase<Case::Upper>},
    {"islower", isCase<Case::Lower>},
    {"ljust", padMethod<Side::Left>, {"width", "fillchar"}, 1},
    {"rjust", padMethod<Side::Right>, {"width", "fillchar"}, 1},
    {"center", padMethod<Side::Both>, {"width", "fillchar"}, 1},
    {"zfill", zfill, {"width"}, 1},
    {"partition", partition<Side::Left>, {"sep"}, 1},
    {"rpartition", partition<Side::Right>, {"sep"}, 1},
    {"format", format, {}, 0, true},
    {"format_map", formatMap, {"mapping"}, 1},
    {"casefold", casefold},
    {"expandtabs", expandtabs, {"tabsize"}},
    {"translate", translate, {"table"}, 1},
    {"maketrans", maketrans, {"x", "y", "z"}, 1},
};

}  // namespace

std::span<const Builtin> textMethods() {
    return kTextMethods;
}

}  // namespace ingle::chat::jinja
