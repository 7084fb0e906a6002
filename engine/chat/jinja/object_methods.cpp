// Methods of dict, list and the variable `loop`. Those that change a value in place do not exist here, as in
// the sandbox that Hugging Face renders templates in.
#include "engine/chat/jinja/builtins.h"

namespace ingle::chat::jinja {
namespace {

template <List::Kind kind>
Result<Value> view(const Call& call) {
    const Dict& dict = *call.self.dict();
    INGLE_TRY(call.in.spend(4 * sizeof(Value) * dict.entries.size()));
    std::vector<Value> items;
    for (const auto& [key, value] : dict.entries) {
        if constexpr (kind == List::Kind::Keys) {
            items.push_back(key);
        } else if constexpr (kind == List::Kind::Values) {
            items.push_back(value);
        } else {
            INGLE_TRY_ASSIGN(Value pair, makeList({key, value}, List::Kind::Tuple));
            items.push_back(std::move(pair));
        }
    }
    return makeList(std::move(items), kind);
}

Result<Value> get(const Call& call) {
    INGLE_TRY_ASSIGN(const Value* found, call.in.findKey(*call.self.dict(), *call.arguments[0]));
    if (found) return *found;
    return call.arguments[1] ? *call.arguments[1] : Value(None{});
}

Result<Value> copy(const Call& call) {
    return call.self;
}

Result<Value> count(const Call& call) {
    int64_t found = 0;
    for (const Value& item : call.self.list()->items) {
        INGLE_TRY_ASSIGN(const bool same, call.in.equal(item, *call.arguments[0]));
        found += same ? 1 : 0;
    }
    return found;
}

Result<Value> index(const Call& call) {
    const auto& items = call.self.list()->items;
    for (size_t i = 0; i < items.size(); ++i) {
        INGLE_TRY_ASSIGN(const bool same, call.in.equal(items[i], *call.arguments[0]));
        if (same) return static_cast<int64_t>(i);
    }
    return fail(ErrorCode::InvalidArgument, "the list does not contain the element");
}

/// loop.cycle(a, b): the arguments in turn.
Result<Value> cycle(const Call& call) {
    const auto& values = call.all.positional;
    if (values.empty()) return fail(ErrorCode::InvalidArgument, "'cycle' wants something to cycle through");
    return values[call.self.loop()->index % values.size()];
}

/// loop.changed(a, b): whether the arguments are others than in the round before.
Result<Value> changed(const Call& call) {
    // In the scope of the rounds, under a name that no template can write.
    constexpr std::string_view kLast = "loop.changed";
    const auto scope = call.self.loop()->scope.lock();
    if (!scope) return fail(ErrorCode::InvalidArgument, "'changed' is used outside of its loop");
    INGLE_TRY(call.in.spend(sizeof(Value) * (1 + call.all.positional.size())));
    INGLE_TRY_ASSIGN(Value now, makeList(call.all.positional, List::Kind::Tuple));
    if (const Value* last = scope->find(kLast)) {
        INGLE_TRY_ASSIGN(const bool same, call.in.equal(*last, now));
        if (same) return false;
    }
    scope->set(kLast, std::move(now));
    return true;
}

constexpr Builtin kDictMethods[] = {
    {"items", view<List::Kind::Items>},
    {"keys", view<List::Kind::Keys>},
    {"values", view<List::Kind::Values>},
    {"get", get, {"key", "default"}, 1},
    {"copy", copy},
};
constexpr Builtin kListMethods[] = {
    {"count", count, {"value"}, 1},
    {"index", index, {"value"}, 1},
    {"copy", copy},
};
constexpr Builtin kLoopMethods[] = {{"cycle", cycle, {}, 0, true}, {"changed", changed, {}, 0, true}};

}  // namespace

std::span<const Builtin> dictMethods() {
    return kDictMethods;
}
std::span<const Builtin> listMethods() {
    return kListMethods;
}
std::span<const Builtin> loopMethods() {
    return kLoopMethods;
}

}  // namespace ingle::chat::jinja
