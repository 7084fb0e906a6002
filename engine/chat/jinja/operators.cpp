// The operators + - * / // % ** as Python defines them.
#include <cmath>
#include <limits>

#include "engine/chat/jinja/text_operations.h"

namespace ingle::chat::jinja {
namespace {

tl::unexpected<Error> unsupported(std::string_view op, const Value& left, const Value& right) {
    if (left.isUndefined()) return Interpreter::undefinedError(left);
    if (right.isUndefined()) return Interpreter::undefinedError(right);
    return fail(ErrorCode::InvalidArgument, "'{}' and '{}' cannot be combined by '{}'", typeName(left),
                typeName(right), op);
}

tl::unexpected<Error> overflow() {
    return fail(ErrorCode::Unsupported, "a number exceeds 64 bits");
}

Status checkDivisor(const Value& right) {
    if (*right.number() == 0) return fail(ErrorCode::InvalidArgument, "division by zero");
    return {};
}

/// `value` `count` times over.
Result<Value> repeat(Interpreter& in, const Value& value, int64_t count) {
    if (const Text* text = value.text()) {
        Text out;
        for (int64_t i = 0; i < count && !text->empty(); ++i) INGLE_TRY(in.append(out, *text));
        return makeText(std::move(out.setMarkup(text->isMarkup())));
    }
    const List& list = *value.list();
    std::vector<Value> items;
    for (int64_t i = 0; i < count && !list.items.empty(); ++i) INGLE_TRY(in.append(items, list.items));
    return makeList(std::move(items), list.kind);
}

bool isSequence(const Value& value) {
    const List* list = value.list();
    return value.text() || (list && (list->kind == List::Kind::List || list->isTuple()));
}

}  // namespace

Result<Value> add(Interpreter& in, const Value& left, const Value& right) {
    if (left.integer() && right.integer()) {
        int64_t sum = 0;
        if (__builtin_add_overflow(*left.integer(), *right.integer(), &sum)) return overflow();
        return sum;
    }
    if (left.number() && right.number()) return *left.number() + *right.number();
    if (left.text() && right.text()) {
        Text joined;
        if (left.text()->isMarkup() || right.text()->isMarkup()) {
            INGLE_TRY_ASSIGN(joined, escapeHtml(in, *left.text()));
            INGLE_TRY_ASSIGN(const Text second, escapeHtml(in, *right.text()));
            INGLE_TRY(in.append(joined, second));
            return makeText(std::move(joined));
        }
        INGLE_TRY(in.append(joined, *left.text()));
        INGLE_TRY(in.append(joined, *right.text()));
        return makeText(std::move(joined));
    }
    const List* first = left.list();
    const List* second = right.list();
    if (first && second && first->kind == second->kind && isSequence(left)) {
        std::vector<Value> items;
        INGLE_TRY(in.append(items, first->items));
        INGLE_TRY(in.append(items, second->items));
        return makeList(std::move(items), first->kind);
    }
    return unsupported("+", left, right);
}

Result<Value> subtract(Interpreter& /*in*/, const Value& left, const Value& right) {
    if (left.integer() && right.integer()) {
        int64_t difference = 0;
        if (__builtin_sub_overflow(*left.integer(), *right.integer(), &difference)) return overflow();
        return difference;
    }
    if (left.number() && right.number()) return *left.number() - *right.number();
    return unsupported("-", left, right);
}

Result<Value> multiply(Interpreter& in, const Value& left, const Value& right) {
    if (left.integer() && right.integer()) {
        int64_t product = 0;
        if (__builtin_mul_overflow(*left.integer(), *right.integer(), &product)) return overflow();
        return product;
    }
    if (left.number() && right.number()) return *left.number() * *right.number();
    if (isSequence(left) && right.integer()) return repeat(in, left, *right.integer());
    if (isSequence(right) && left.integer()) return repeat(in, right, *left.integer());
    return unsupported("*", left, right);
}

Result<Value> divide(Interpreter& /*in*/, const Value& left, const Value& right) {
    if (!left.number() || !right.number()) return unsupported("/", left, right);
    INGLE_TRY(checkDivisor(right));
    return *left.number() / *right.number();
}

Result<Value> floorDivide(Interpreter& /*in*/, const Value& left, const Value& right) {
    if (!left.number() || !right.number()) return unsupported("//", left, right);
    INGLE_TRY(checkDivisor(right));
    if (!left.integer() || !right.integer()) return std::floor(*left.number() / *right.number());
    const int64_t a = *left.integer();
    const int64_t b = *right.integer();
    if (a == std::numeric_limits<int64_t>::min() && b == -1) return overflow();
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Result<Value> modulo(Interpreter& in, const Value& left, const Value& right) {
    if (const Text* format = left.text()) {
        const List* list = right.list();
        if (list && list->isTuple()) return formatPercent(in, *format, list->items);
        return formatPercent(in, *format, {right});
    }
    if (!left.number() || !right.number()) return unsupported("%", left, right);
    INGLE_TRY(checkDivisor(right));
    if (!left.integer() || !right.integer()) {
        const double rest = std::fmod(*left.number(), *right.number());
        return rest != 0 && (rest < 0) != (*right.number() < 0) ? rest + *right.number() : rest;
    }
    const int64_t b = *right.integer();
    if (b == -1) return int64_t{0};
    const int64_t rest = *left.integer() % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Result<Value> power(Interpreter& /*in*/, const Value& left, const Value& right) {
    if (!left.number() || !right.number()) return unsupported("**", left, right);
    const double result = std::pow(*left.number(), *right.number());
    const bool isWhole = left.integer() && right.integer() && *right.integer() >= 0;
    if (!isWhole) return result;
    // Beyond 2^53 a double would not be exact.
    if (std::abs(result) > 9007199254740992.0) return overflow();
    return static_cast<int64_t>(result);
}

}  // namespace ingle::chat::jinja
