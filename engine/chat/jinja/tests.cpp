// Tests: `value is name`. Source: Jinja's documentation, "List of Builtin Tests".
#include "engine/chat/jinja/builtins.h"
#include "engine/chat/jinja/text_operations.h"

namespace ingle::chat::jinja {
namespace {

bool isSequence(const Value& value) {
    const List* list = value.list();
    const bool isView = list && (list->kind == List::Kind::Keys || list->kind == List::Kind::Values ||
                                 list->kind == List::Kind::Items);
    return value.text() || (list && !isView) || value.dict() || value.isUndefined();
}

bool isIterable(const Value& value) {
    return value.text() || value.list() || value.dict() || value.generator() || value.isUndefined();
}

bool isReal(const Value& value) {
    return value.number() && !value.integer();
}

/// A test of the value alone.
template <bool (*test)(const Value&)>
Result<Value> simple(const Call& call) {
    return test(call.self);
}

/// A test against another value.
template <Result<bool> (Interpreter::*compare)(const Value&, const Value&), bool swapped, bool negated>
Result<Value> compared(const Call& call) {
    const Value& other = *call.arguments[0];
    INGLE_TRY_ASSIGN(const bool holds,
                     swapped ? (call.in.*compare)(other, call.self) : (call.in.*compare)(call.self, other));
    return holds != negated;
}

template <int64_t remainder>
Result<Value> parity(const Call& call) {
    INGLE_TRY_ASSIGN(const Value rest, modulo(call.in, call.self, int64_t{2}));
    return call.in.equal(rest, remainder);
}

Result<Value> divisibleBy(const Call& call) {
    INGLE_TRY_ASSIGN(const Value rest, modulo(call.in, call.self, *call.arguments[0]));
    return !isTrue(rest);
}

/// The same object; for numbers and constants, an equal one of the same type.
Result<Value> sameAs(const Call& call) {
    return call.self.data() == call.arguments[0]->data();
}

template <Case wanted>
Result<Value> isCase(const Call& call) {
    INGLE_TRY_ASSIGN(const Text text, call.in.str(call.self));
    INGLE_TRY_ASSIGN(const Text changed, withCase(call.in, text, wanted));
    INGLE_TRY_ASSIGN(const Text other,
                     withCase(call.in, text, wanted == Case::Upper ? Case::Lower : Case::Upper));
    return changed.bytes() == text.bytes() && other.bytes() != text.bytes();
}

template <const Builtin* (*find)(std::string_view)>
Result<Value> exists(const Call& call) {
    return call.self.text() && find(call.self.text()->bytes()) != nullptr;
}

constexpr auto kEqual = compared<&Interpreter::equal, false, false>;
constexpr auto kUnequal = compared<&Interpreter::equal, false, true>;
constexpr auto kLess = compared<&Interpreter::less, false, false>;
constexpr auto kGreater = compared<&Interpreter::less, true, false>;
constexpr auto kLessOrEqual = compared<&Interpreter::lessOrEqual, false, false>;
constexpr auto kGreaterOrEqual = compared<&Interpreter::lessOrEqual, true, false>;

constexpr Builtin kTests[] = {
    {"defined", simple<[](const Value& v) { return !v.isUndefined(); }>},
    {"undefined", simple<[](const Value& v) { return v.isUndefined(); }>},
    {"none", simple<[](const Value& v) { return v.isNone(); }>},
    {"boolean", simple<[](const Value& v) { return v.boolean() != nullptr; }>},
    {"true", simple<[](const Value& v) { return v.boolean() && *v.boolean(); }>},
    {"false", simple<[](const Value& v) { return v.boolean() && !*v.boolean(); }>},
    {"integer", simple<[](const Value& v) { return v.integer() && !v.boolean(); }>},
    {"float", simple<isReal>},
    {"number", simple<[](const Value& v) { return v.number().has_value(); }>},
    {"string", simple<[](const Value& v) { return v.text() != nullptr; }>},
    {"mapping", simple<[](const Value& v) { return v.dict() != nullptr; }>},
    {"sequence", simple<isSequence>},
    {"iterable", simple<isIterable>},
    {"callable", simple<[](const Value& v) { return v.callable() != nullptr; }>},
    {"escaped", simple<[](const Value& v) { return v.text() && v.text()->isMarkup(); }>},
    {"upper", isCase<Case::Upper>},
    {"lower", isCase<Case::Lower>},
    {"odd", parity<1>},
    {"even", parity<0>},
    {"divisibleby", divisibleBy, {"num"}, 1},
    {"sameas", sameAs, {"other"}, 1},
    {"filter", exists<findFilter>},
    {"test", exists<findTest>},
    {"in", compared<&Interpreter::contains, true, false>, {"seq"}, 1},
    {"eq", kEqual, {"other"}, 1},
    {"==", kEqual, {"other"}, 1},
    {"equalto", kEqual, {"other"}, 1},
    {"ne", kUnequal, {"other"}, 1},
    {"!=", kUnequal, {"other"}, 1},
    {"lt", kLess, {"other"}, 1},
    {"<", kLess, {"other"}, 1},
    {"lessthan", kLess, {"other"}, 1},
    {"le", kLessOrEqual, {"other"}, 1},
    {"<=", kLessOrEqual, {"other"}, 1},
    {"gt", kGreater, {"other"}, 1},
    {">", kGreater, {"other"}, 1},
    {"greaterthan", kGreater, {"other"}, 1},
    {"ge", kGreaterOrEqual, {"other"}, 1},
    {">=", kGreaterOrEqual, {"other"}, 1},
};

}  // namespace

std::span<const Builtin> tests() {
    return kTests;
}

const Builtin* findTest(std::string_view name) {
    return findIn(kTests, name);
}

}  // namespace ingle::chat::jinja
