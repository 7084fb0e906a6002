// What `a.name` and `a[index]` mean. Source: jinja2's Environment.getattr and getitem: attributes and items
// stand in for each other, and what is missing is undefined.
#include "engine/chat/jinja/builtins.h"

namespace ingle::chat::jinja {
namespace {

Value missing(const Value& object, std::string_view name) {
    return Value::undefined(fmt::format("'{} object' has no attribute '{}'", typeName(object), shown(name)));
}

/// The variable `loop`. Source: Jinja's documentation, section "For".
Value loopAttribute(const Loop& loop, std::string_view name) {
    const auto index = static_cast<int64_t>(loop.index);
    const auto count = static_cast<int64_t>(loop.items->size());
    const auto neighbour = [&](int64_t at, const char* why) {
        return at >= 0 && at < count ? (*loop.items)[static_cast<size_t>(at)] : Value::undefined(why);
    };
    if (name == "index") return index + 1;
    if (name == "index0") return index;
    if (name == "revindex") return count - index;
    if (name == "revindex0") return count - index - 1;
    if (name == "first") return index == 0;
    if (name == "last") return index + 1 == count;
    if (name == "length") return count;
    if (name == "depth") return loop.level;
    if (name == "depth0") return loop.level - 1;
    if (name == "previtem") return neighbour(index - 1, "there is no previous item");
    if (name == "nextitem") return neighbour(index + 1, "there is no next item");
    return Value::undefined(fmt::format("'loop' has no attribute '{}'", shown(name)));
}

/// A named item, or nothing.
std::optional<Value> namedItem(const Value& object, std::string_view name) {
    if (const Callable* callable = object.callable()) return callable->attribute(name);
    if (const List* list = object.list(); list && list->kind == List::Kind::Group) {
        if (name == "grouper") return list->items[0];
        if (name == "list") return list->items[1];
    }
    if (const Dict* dict = object.dict())
        if (const Value* found = dict->find(name)) return *found;
    if (Namespace* space = object.space())
        if (const Value* found = space->find(name)) return *found;
    return std::nullopt;
}

std::optional<Value> method(const Value& object, std::string_view name) {
    const Builtin* found = findMethod(object, name);
    return found ? std::optional(boundBuiltin(*found, object)) : std::nullopt;
}

}  // namespace

Status Interpreter::spendOnItems(const Value& object, std::string_view name) {
    const size_t numItems = object.dict()    ? object.dict()->entries.size()
                            : object.space() ? object.space()->entries.size()
                                             : 0;
    return spendOnNames(name, numItems);
}

Result<Value> Interpreter::attribute(const Value& object, std::string_view name) {
    if (object.isUndefined()) return undefinedError(object);
    INGLE_TRY(spendOnItems(object, name));
    INGLE_TRY(spendOnSentence(name));
    if (const Loop* loop = object.loop()) {
        const auto found = method(object, name);
        return found ? *found : loopAttribute(*loop, name);
    }
    if (auto found = method(object, name)) return *found;
    if (auto found = namedItem(object, name)) return *found;
    return missing(object, name);
}

Result<Value> Interpreter::item(const Value& object, const Value& index) {
    if (object.isUndefined()) return undefinedError(object);
    if (const Dict* dict = object.dict()) {
        INGLE_TRY_ASSIGN(const Value* found, findKey(*dict, index));
        if (found) return *found;
    }
    if (const Text* name = index.text()) {
        INGLE_TRY(spendOnItems(object, name->bytes()));
        INGLE_TRY(spendOnSentence(name->bytes()));
        if (auto found = namedItem(object, name->bytes())) return *found;
        if (object.loop()) return loopAttribute(*object.loop(), name->bytes());
        if (auto found = method(object, name->bytes())) return *found;
        return missing(object, name->bytes());
    }
    const auto wanted = index.integer();
    const List* list = object.list();
    const bool isIndexed =
        list && (list->kind == List::Kind::List || list->kind == List::Kind::Range || list->isTuple());
    if (wanted && isIndexed) {
        const auto count = static_cast<int64_t>(list->items.size());
        const int64_t at = *wanted < 0 ? *wanted + count : *wanted;
        if (at >= 0 && at < count) return list->items[static_cast<size_t>(at)];
    }
    if (const Text* text = object.text(); text && wanted) {
        INGLE_TRY(spend(Characters::cost(text->bytes())));
        const Characters characters(text->bytes());
        const auto count = static_cast<int64_t>(characters.count());
        const auto at = static_cast<size_t>(*wanted < 0 ? *wanted + count : *wanted);
        if (at < characters.count()) return makeText(text->slice(characters.start(at), characters.size(at)));
    }
    INGLE_TRY_ASSIGN(const Text spelled, str(index));
    INGLE_TRY(spendOnSentence(spelled.bytes()));
    return Value::undefined(
        fmt::format("'{} object' has no element {}", typeName(object), shown(spelled.bytes())));
}

}  // namespace ingle::chat::jinja
