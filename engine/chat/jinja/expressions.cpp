// How expressions are evaluated.
#include <algorithm>

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/builtins.h"
#include "engine/chat/jinja/text_operations.h"

namespace ingle::chat::jinja {
namespace {

/// An index of a slice, with Python's clamping.
Result<int64_t> sliceBound(Interpreter& in, const ExpressionPtr& expression, int64_t fallback, int64_t lowest,
                           int64_t highest, int64_t count) {
    if (!expression) return fallback;
    INGLE_TRY_ASSIGN(const Value value, expression->evaluate(in));
    if (value.isNone()) return fallback;
    const auto index = value.integer();
    if (!index)
        return fail(ErrorCode::InvalidArgument, "slice indices are whole numbers, not '{}'", typeName(value));
    return std::clamp(*index < 0 ? *index + count : *index, lowest, highest);
}

/// The indices a slice takes from `count` elements.
Result<std::vector<size_t>> slicedIndices(Interpreter& in, const SliceExpr& slice, int64_t count) {
    int64_t step = 1;
    if (slice.step) {
        INGLE_TRY_ASSIGN(const Value value, slice.step->evaluate(in));
        if (!value.isNone()) {
            const auto given = value.integer();
            if (!given || *given == 0)
                return fail(ErrorCode::InvalidArgument, "a slice's step is a whole number, not 0");
            step = std::clamp<int64_t>(*given, -count - 1, count + 1);
        }
    }
    const bool forward = step > 0;
    const int64_t lowest = forward ? 0 : -1;
    const int64_t highest = forward ? count : count - 1;
    INGLE_TRY_ASSIGN(const int64_t start,
                     sliceBound(in, slice.start, forward ? lowest : highest, lowest, highest, count));
    INGLE_TRY_ASSIGN(const int64_t stop,
                     sliceBound(in, slice.stop, forward ? highest : lowest, lowest, highest, count));
    std::vector<size_t> indices;
    for (int64_t i = start; forward ? i < stop : i > stop; i += step)
        indices.push_back(static_cast<size_t>(i));
    return indices;
}

Result<Value> sliceText(Interpreter& in, const SliceExpr& slice, const Text& text) {
    INGLE_TRY(in.spend(Characters::cost(text.bytes()) + text.size()));
    const Characters characters(text.bytes());
    const auto count = static_cast<int64_t>(characters.count());
    if (!slice.step) {
        INGLE_TRY_ASSIGN(const int64_t start, sliceBound(in, slice.start, 0, 0, count, count));
        INGLE_TRY_ASSIGN(const int64_t stop, sliceBound(in, slice.stop, count, 0, count, count));
        const size_t begin = characters.start(static_cast<size_t>(start));
        const size_t end = std::max(begin, characters.start(static_cast<size_t>(stop)));
        Text part;
        INGLE_TRY(in.append(part, text, begin, end - begin));
        return makeText(std::move(part.setMarkup(text.isMarkup())));
    }
    INGLE_TRY(in.spend(text.size() * sizeof(size_t)));
    INGLE_TRY_ASSIGN(const auto indices, slicedIndices(in, slice, count));
    Text part;
    for (const size_t i : indices) INGLE_TRY(in.append(part, text, characters.start(i), characters.size(i)));
    return makeText(std::move(part.setMarkup(text.isMarkup())));
}

}  // namespace

Result<Value> Expression::evaluate(Interpreter& in) const {
    Interpreter::Step step(in);
    INGLE_TRY(step.check());
    return run(in);
}

Result<Value> ConstantExpr::run(Interpreter& /*in*/) const {
    return value;
}

Result<Value> NameExpr::run(Interpreter& in) const {
    return in.lookUp(name);
}

Result<Value> ListExpr::run(Interpreter& in) const {
    std::vector<Value> values;
    INGLE_TRY(in.spend(sizeof(Value) * items.size()));
    for (const ExpressionPtr& item : items) {
        INGLE_TRY_ASSIGN(Value value, item->evaluate(in));
        values.push_back(std::move(value));
    }
    return makeList(std::move(values), kind);
}

Result<Value> DictExpr::run(Interpreter& in) const {
    Dict dict;
    INGLE_TRY(in.spend(2 * sizeof(Value) * entries.size()));
    for (const auto& [keyExpression, valueExpression] : entries) {
        INGLE_TRY_ASSIGN(Value key, keyExpression->evaluate(in));
        INGLE_TRY_ASSIGN(Value value, valueExpression->evaluate(in));
        INGLE_TRY(in.insert(dict, std::move(key), std::move(value)));
    }
    return makeDict(std::move(dict.entries));
}

Result<Value> UnaryExpr::run(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value value, operand->evaluate(in));
    if (op == '!') return !isTrue(value);
    if (value.isUndefined()) return Interpreter::undefinedError(value);
    if (!value.number()) return fail(ErrorCode::InvalidArgument, "'{}' object has no sign", typeName(value));
    return op == '-' ? subtract(in, int64_t{0}, value) : add(in, int64_t{0}, value);
}

Result<Value> BinaryExpr::run(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value first, left->evaluate(in));
    INGLE_TRY_ASSIGN(const Value second, right->evaluate(in));
    return apply(in, first, second);
}

Result<Value> CompareExpr::run(Interpreter& in) const {
    INGLE_TRY_ASSIGN(Value left, first->evaluate(in));
    for (const auto& [compare, expression] : rest) {
        INGLE_TRY_ASSIGN(Value right, expression->evaluate(in));
        INGLE_TRY_ASSIGN(const bool holds, compare(in, left, right));
        if (!holds) return false;
        left = std::move(right);
    }
    return true;
}

Result<Value> LogicExpr::run(Interpreter& in) const {
    Value value;
    for (const ExpressionPtr& operand : operands) {
        INGLE_TRY_ASSIGN(value, operand->evaluate(in));
        if (isTrue(value) == decidedBy) break;
    }
    return value;
}

Result<Value> ConcatExpr::run(Interpreter& in) const {
    std::vector<Value> values;
    bool isMarkup = false;
    for (const ExpressionPtr& part : parts) {
        INGLE_TRY_ASSIGN(Value value, part->evaluate(in));
        isMarkup |= in.escapes() && value.text() && value.text()->isMarkup();
        values.push_back(std::move(value));
    }
    Text joined;
    for (const Value& value : values) {
        if (!isMarkup) {
            INGLE_TRY(in.print(joined, value));
            continue;
        }
        INGLE_TRY_ASSIGN(const Text text, in.str(value));
        INGLE_TRY_ASSIGN(const Text escaped, escapeHtml(in, text));
        INGLE_TRY(in.append(joined, escaped));
    }
    return makeText(std::move(joined.setMarkup(isMarkup)));
}

Result<Value> ConditionalExpr::run(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value decides, condition->evaluate(in));
    if (isTrue(decides)) return then->evaluate(in);
    if (otherwise) return otherwise->evaluate(in);
    return Value::undefined("the condition of an 'if' without 'else' is false");
}

Result<Value> AttributeExpr::run(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value value, object->evaluate(in));
    return in.attribute(value, name);
}

Result<Value> ItemExpr::run(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value value, object->evaluate(in));
    INGLE_TRY_ASSIGN(const Value wanted, index->evaluate(in));
    return in.item(value, wanted);
}

Result<Value> SliceExpr::run(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value value, object->evaluate(in));
    if (value.isUndefined()) return Interpreter::undefinedError(value);
    if (const Text* text = value.text()) return sliceText(in, *this, *text);
    const List* list = value.list();
    if (!list) return Value::undefined(fmt::format("'{}' object cannot be sliced", typeName(value)));
    INGLE_TRY(in.spend((sizeof(Value) + sizeof(size_t)) * list->items.size()));
    INGLE_TRY_ASSIGN(const auto indices, slicedIndices(in, *this, static_cast<int64_t>(list->items.size())));
    std::vector<Value> items;
    for (const size_t i : indices) items.push_back(list->items[i]);
    return makeList(std::move(items), list->kind);
}

Result<Arguments> ArgumentList::evaluate(Interpreter& in) const {
    Arguments arguments;
    for (const ExpressionPtr& expression : positional) {
        INGLE_TRY_ASSIGN(Value value, expression->evaluate(in));
        arguments.positional.push_back(std::move(value));
    }
    for (const auto& [name, expression] : named) {
        INGLE_TRY_ASSIGN(Value value, expression->evaluate(in));
        arguments.named.emplace_back(name, std::move(value));
    }
    if (unpacked) {
        INGLE_TRY_ASSIGN(const Value list, unpacked->evaluate(in));
        INGLE_TRY_ASSIGN(const std::vector<Value> values, in.iterate(list));
        INGLE_TRY(in.append(arguments.positional, values));
    }
    if (!unpackedNamed) return arguments;
    INGLE_TRY_ASSIGN(arguments.unpacked, unpackedNamed->evaluate(in));
    const Dict* dict = arguments.unpacked.dict();
    if (!dict)
        return fail(ErrorCode::InvalidArgument, "what is behind ** is a mapping, not '{}'",
                    typeName(arguments.unpacked));
    INGLE_TRY(in.spend(2 * sizeof(Value) * dict->entries.size()));
    for (const auto& [key, value] : dict->entries) {
        const Text* name = key.text();
        if (!name) return fail(ErrorCode::InvalidArgument, "names of arguments are texts");
        INGLE_TRY(in.spendOnNames(name->bytes(), named.size()));
        const bool isTwice = std::ranges::find(named, name->bytes(), [](const auto& each) {
                                 return std::string_view(each.first);
                             }) != named.end();
        if (isTwice)
            return fail(ErrorCode::InvalidArgument, "the argument '{}' is given twice", shown(name->bytes()));
        arguments.named.emplace_back(name->bytes(), value);
    }
    return arguments;
}

namespace {

/// Gives the variable, or the attribute of a namespace, that `place` names another value.
Status replace(Interpreter& in, const Expression& place, Value value) {
    if (const auto* name = dynamic_cast<const NameExpr*>(&place))
        return in.reassign(name->name, std::move(value));
    if (const auto* attribute = dynamic_cast<const AttributeExpr*>(&place)) {
        INGLE_TRY_ASSIGN(const Value owner, attribute->object->evaluate(in));
        if (Value* held = owner.space() ? owner.space()->find(attribute->name) : nullptr) {
            *held = std::move(value);
            return {};
        }
    }
    return fail(ErrorCode::InvalidArgument, "only the list of a variable can be changed");
}

/// list.append(element) and list.pop(index). Values never change, so what names the list gets another one.
/// Nothing when `callee` is something else.
Result<std::optional<Value>> changeList(Interpreter& in, const Expression& callee,
                                        const ArgumentList& arguments) {
    const auto* method = dynamic_cast<const AttributeExpr*>(&callee);
    const bool isPop = method && method->name == "pop";
    if (!isPop && !(method && method->name == "append")) return std::optional<Value>();
    INGLE_TRY_ASSIGN(const Value held, method->object->evaluate(in));
    const List* list = held.list();
    if (!list || list->kind != List::Kind::List) return std::optional<Value>();
    INGLE_TRY_ASSIGN(const Arguments given, arguments.evaluate(in));
    const size_t numGiven = given.positional.size();
    if (!given.named.empty() || (isPop ? numGiven > 1 : numGiven != 1))
        return fail(ErrorCode::InvalidArgument, "'{}' takes one argument", method->name);
    std::vector<Value> items;
    INGLE_TRY(in.append(items, list->items));
    Value result = None{};
    if (isPop) {
        const auto count = static_cast<int64_t>(items.size());
        const auto index = numGiven == 0 ? std::optional<int64_t>(-1) : given.positional[0].integer();
        const int64_t at = !index ? count : *index < 0 ? *index + count : *index;
        if (at < 0 || at >= count) return fail(ErrorCode::InvalidArgument, "'pop' finds no such element");
        result = items[static_cast<size_t>(at)];
        items.erase(items.begin() + at);
    } else {
        INGLE_TRY(in.append(items, given.positional));
    }
    INGLE_TRY_ASSIGN(Value changed, makeList(std::move(items)));
    INGLE_TRY(replace(in, *method->object, std::move(changed)));
    return std::optional<Value>(std::move(result));
}

}  // namespace

Result<Value> CallExpr::run(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const std::optional<Value> changed, changeList(in, *callee, arguments));
    if (changed) return *changed;
    INGLE_TRY_ASSIGN(const Value function, callee->evaluate(in));
    INGLE_TRY_ASSIGN(const Arguments values, arguments.evaluate(in));
    return in.call(function, values);
}

Result<Value> ApplyExpr::run(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value value, operand->evaluate(in));
    return apply(in, value);
}

Result<Value> ApplyExpr::apply(Interpreter& in, const Value& value) const {
    if (!builtin)
        return fail(ErrorCode::Unsupported, "there is no {} '{}'", isTest ? "test" : "filter", shown(name));
    INGLE_TRY_ASSIGN(const Arguments values, arguments.evaluate(in));
    INGLE_TRY_ASSIGN(Value result, callBuiltin(in, *builtin, value, values));
    return isNegated ? Value(!isTrue(result)) : result;
}

}  // namespace ingle::chat::jinja
