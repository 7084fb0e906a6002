#include <algorithm>
#include <charconv>

#include "engine/chat/jinja/builtins.h"
#include "engine/chat/jinja/parser.h"

namespace ingle::chat::jinja {
namespace {

constexpr uint32_t kMaxNesting = 100;
constexpr uint32_t kMaxLinks = 300;

template <typename T>
Result<Value> numberOf(const Token& token) {
    T value{};
    const char* begin = token.text.data();
    const char* end = begin + token.text.size();
    std::from_chars_result result{};
    if constexpr (std::is_integral_v<T>) {
        const char kind = token.text.size() > 2 && *begin == '0' ? token.text[1] : '\0';
        const int base = kind == 'x' || kind == 'X' ? 16 : kind == 'o' || kind == 'O' ? 8 : 2;
        const bool isPlain = kind == '\0' || (kind >= '0' && kind <= '9');
        result = isPlain ? std::from_chars(begin, end, value) : std::from_chars(begin + 2, end, value, base);
    } else {
        result = std::from_chars(begin, end, value);
    }
    const auto [stop, error] = result;
    if (error != std::errc{} || stop != end)
        return fail(ErrorCode::Corrupt, "line {}: the number {} is out of range", token.line,
                    shown(token.text));
    return value;
}

}  // namespace

tl::unexpected<Error> TokenCursor::unexpected(std::string_view wanted) const {
    const Token& token = peek();
    const bool isText = token.kind == Token::Kind::Name || token.kind == Token::Kind::Operator ||
                        token.kind == Token::Kind::Integer || token.kind == Token::Kind::Float;
    const std::string found = isText                              ? fmt::format("'{}'", shown(token.text))
                              : token.kind == Token::Kind::String ? "a string"
                              : token.kind == Token::Kind::End    ? "the end"
                                                                  : "the end of the tag";
    return fail(ErrorCode::Corrupt, "line {}: {} where {} belongs", token.line, found, wanted);
}

Status TokenCursor::expectOperator(std::string_view text) {
    if (!skipOperator(text)) return unexpected(fmt::format("'{}'", text));
    return {};
}

Status TokenCursor::expectName(std::string_view text) {
    if (!skipName(text)) return unexpected(fmt::format("'{}'", text));
    return {};
}

Result<std::string> TokenCursor::takeName() {
    if (peek().kind != Token::Kind::Name) return unexpected("a name");
    return take().text;
}

Status TokenCursor::expect(Token::Kind kind, std::string_view what) {
    if (peek().kind != kind) return unexpected(what);
    take();
    return {};
}

Status TokenCursor::checkDepth() const {
    if (m_depth > kMaxNesting)
        return fail(ErrorCode::Unsupported, "line {}: nested more than {} deep", peek().line, kMaxNesting);
    return {};
}

Status TokenCursor::link() {
    if (++m_links > kMaxLinks)
        return fail(ErrorCode::Unsupported, "line {}: more than {} operators in one tag", peek().line,
                    kMaxLinks);
    return {};
}

Result<ExpressionPtr> ExpressionParser::expression() {
    const TokenCursor::Nested nested(m_cursor);
    INGLE_TRY(m_cursor.checkDepth());
    INGLE_TRY_ASSIGN(ExpressionPtr result, orExpression());
    while (m_cursor.skipName("if")) {
        INGLE_TRY(m_cursor.link());
        auto node = std::make_unique<ConditionalExpr>();
        node->then = std::move(result);
        INGLE_TRY_ASSIGN(node->condition, orExpression());
        if (m_cursor.skipName("else")) {
            INGLE_TRY_ASSIGN(node->otherwise, expression());
        }
        result = std::move(node);
    }
    return result;
}

Result<ExpressionPtr> ExpressionParser::tuple(bool withConditional) {
    const auto element = [&] { return withConditional ? expression() : orExpression(); };
    INGLE_TRY_ASSIGN(ExpressionPtr first, element());
    if (!m_cursor.isOperator(",")) return first;
    auto node = std::make_unique<ListExpr>();
    node->kind = List::Kind::Tuple;
    node->items.push_back(std::move(first));
    while (m_cursor.skipOperator(",")) {
        const Token& next = m_cursor.peek();
        if (m_cursor.isOperator(")") || next.kind == Token::Kind::BlockEnd ||
            next.kind == Token::Kind::OutputEnd)
            break;
        INGLE_TRY_ASSIGN(ExpressionPtr item, element());
        node->items.push_back(std::move(item));
    }
    return node;
}

Result<ExpressionPtr> ExpressionParser::orExpression() {
    INGLE_TRY_ASSIGN(ExpressionPtr first, andExpression());
    if (!m_cursor.isName("or")) return first;
    auto node = std::make_unique<LogicExpr>();
    node->decidedBy = true;
    node->operands.push_back(std::move(first));
    while (m_cursor.skipName("or")) {
        INGLE_TRY_ASSIGN(ExpressionPtr next, andExpression());
        node->operands.push_back(std::move(next));
    }
    return node;
}

Result<ExpressionPtr> ExpressionParser::andExpression() {
    INGLE_TRY_ASSIGN(ExpressionPtr first, notExpression());
    if (!m_cursor.isName("and")) return first;
    auto node = std::make_unique<LogicExpr>();
    node->operands.push_back(std::move(first));
    while (m_cursor.skipName("and")) {
        INGLE_TRY_ASSIGN(ExpressionPtr next, notExpression());
        node->operands.push_back(std::move(next));
    }
    return node;
}

Result<ExpressionPtr> ExpressionParser::notExpression() {
    if (!m_cursor.skipName("not")) return comparison();
    const TokenCursor::Nested nested(m_cursor);
    INGLE_TRY(m_cursor.checkDepth());
    INGLE_TRY_ASSIGN(ExpressionPtr operand, notExpression());
    return std::make_unique<UnaryExpr>('!', std::move(operand));
}

Result<ExpressionPtr> ExpressionParser::comparison() {
    using Compare = CompareExpr::Compare;
    struct Row {
        std::string_view text;
        Compare compare;
    };
    static constexpr Row kRows[] = {
        {"==", [](Interpreter& in, const Value& a, const Value& b) { return in.equal(a, b); }},
        {"!=",
         [](Interpreter& in, const Value& a, const Value& b) -> Result<bool> {
             INGLE_TRY_ASSIGN(const bool same, in.equal(a, b));
             return !same;
         }},
        {"<", [](Interpreter& in, const Value& a, const Value& b) { return in.less(a, b); }},
        {">", [](Interpreter& in, const Value& a, const Value& b) { return in.less(b, a); }},
        {"<=", [](Interpreter& in, const Value& a, const Value& b) { return in.lessOrEqual(a, b); }},
        {">=", [](Interpreter& in, const Value& a, const Value& b) { return in.lessOrEqual(b, a); }},
        {"in", [](Interpreter& in, const Value& a, const Value& b) { return in.contains(b, a); }},
        {"not in",
         [](Interpreter& in, const Value& a, const Value& b) -> Result<bool> {
             INGLE_TRY_ASSIGN(const bool found, in.contains(b, a));
             return !found;
         }},
    };
    const auto takeOperator = [&]() -> Compare {
        if (m_cursor.isName("not") && m_cursor.peek(1).is(Token::Kind::Name, "in")) {
            m_cursor.take();
            m_cursor.take();
            return kRows[std::size(kRows) - 1].compare;
        }
        const Token::Kind kind = m_cursor.peek().kind;
        if (kind != Token::Kind::Operator && !m_cursor.isName("in")) return nullptr;
        const auto row = std::ranges::find(kRows, m_cursor.peek().text, &Row::text);
        if (row == std::end(kRows)) return nullptr;
        m_cursor.take();
        return row->compare;
    };
    INGLE_TRY_ASSIGN(ExpressionPtr first, sum());
    Compare compare = takeOperator();
    if (!compare) return first;
    auto node = std::make_unique<CompareExpr>();
    node->first = std::move(first);
    for (; compare; compare = takeOperator()) {
        INGLE_TRY_ASSIGN(ExpressionPtr next, sum());
        node->rest.emplace_back(compare, std::move(next));
    }
    return node;
}

Result<ExpressionPtr> ExpressionParser::sum() {
    INGLE_TRY_ASSIGN(ExpressionPtr left, concatenation());
    while (m_cursor.isOperator("+") || m_cursor.isOperator("-")) {
        INGLE_TRY(m_cursor.link());
        const BinaryOperator apply = m_cursor.take().text == "+" ? add : subtract;
        INGLE_TRY_ASSIGN(ExpressionPtr right, concatenation());
        left = std::make_unique<BinaryExpr>(apply, std::move(left), std::move(right));
    }
    return left;
}

Result<ExpressionPtr> ExpressionParser::concatenation() {
    INGLE_TRY_ASSIGN(ExpressionPtr first, product());
    if (!m_cursor.isOperator("~")) return first;
    auto node = std::make_unique<ConcatExpr>();
    node->parts.push_back(std::move(first));
    while (m_cursor.skipOperator("~")) {
        INGLE_TRY_ASSIGN(ExpressionPtr next, product());
        node->parts.push_back(std::move(next));
    }
    return node;
}

Result<ExpressionPtr> ExpressionParser::product() {
    struct Row {
        std::string_view text;
        BinaryOperator apply;
    };
    static constexpr Row kRows[] = {{"*", multiply}, {"/", divide}, {"//", floorDivide}, {"%", modulo}};
    INGLE_TRY_ASSIGN(ExpressionPtr left, powerExpression());
    for (;;) {
        const auto row =
            std::ranges::find_if(kRows, [&](const Row& each) { return m_cursor.isOperator(each.text); });
        if (row == std::end(kRows)) return left;
        INGLE_TRY(m_cursor.link());
        m_cursor.take();
        INGLE_TRY_ASSIGN(ExpressionPtr right, powerExpression());
        left = std::make_unique<BinaryExpr>(row->apply, std::move(left), std::move(right));
    }
}

Result<ExpressionPtr> ExpressionParser::powerExpression() {
    INGLE_TRY_ASSIGN(ExpressionPtr left, unary(Filters::Allowed));
    while (m_cursor.skipOperator("**")) {
        INGLE_TRY(m_cursor.link());
        INGLE_TRY_ASSIGN(ExpressionPtr right, unary(Filters::Allowed));
        left = std::make_unique<BinaryExpr>(power, std::move(left), std::move(right));
    }
    return left;
}

Result<ExpressionPtr> ExpressionParser::unary(Filters filters) {
    const TokenCursor::Nested nested(m_cursor);
    INGLE_TRY(m_cursor.checkDepth());
    ExpressionPtr result;
    if (m_cursor.isOperator("-") || m_cursor.isOperator("+")) {
        const char op = m_cursor.take().text[0];
        INGLE_TRY_ASSIGN(ExpressionPtr operand, unary(Filters::None));
        result = std::make_unique<UnaryExpr>(op, std::move(operand));
    } else {
        INGLE_TRY_ASSIGN(result, primary());
    }
    INGLE_TRY_ASSIGN(result, postfix(std::move(result)));
    return filters == Filters::Allowed ? filtersAndTests(std::move(result)) : std::move(result);
}

Result<ExpressionPtr> ExpressionParser::primary() {
    struct Row {
        std::string_view name;
        Value value;
    };
    static const Row kConstants[] = {{"true", true},   {"True", true},   {"false", false},
                                     {"False", false}, {"none", None{}}, {"None", None{}}};
    const Token& next = m_cursor.peek();
    switch (next.kind) {
        case Token::Kind::Name: {
            const auto row = std::ranges::find(kConstants, next.text, &Row::name);
            Token token = m_cursor.take();
            read.varargs |= token.text == "varargs";
            read.kwargs |= token.text == "kwargs";
            if (row != std::end(kConstants)) return std::make_unique<ConstantExpr>(row->value);
            return std::make_unique<NameExpr>(std::move(token.text));
        }
        case Token::Kind::String: {
            std::string text = m_cursor.take().text;
            while (m_cursor.peek().kind == Token::Kind::String) text += m_cursor.take().text;
            return std::make_unique<ConstantExpr>(makeText(text, Origin::Template));
        }
        case Token::Kind::Integer: {
            INGLE_TRY_ASSIGN(Value value, numberOf<int64_t>(m_cursor.take()));
            return std::make_unique<ConstantExpr>(std::move(value));
        }
        case Token::Kind::Float: {
            INGLE_TRY_ASSIGN(Value value, numberOf<double>(m_cursor.take()));
            return std::make_unique<ConstantExpr>(std::move(value));
        }
        default:
            if (m_cursor.skipOperator("(")) return parenthesized();
            if (m_cursor.skipOperator("[")) return listLiteral();
            if (m_cursor.skipOperator("{")) return dictLiteral();
            return m_cursor.unexpected("a value");
    }
}

Result<ExpressionPtr> ExpressionParser::parenthesized() {
    if (m_cursor.skipOperator(")")) {
        auto empty = std::make_unique<ListExpr>();
        empty->kind = List::Kind::Tuple;
        return empty;
    }
    INGLE_TRY_ASSIGN(ExpressionPtr inner, tuple());
    INGLE_TRY(m_cursor.expectOperator(")"));
    return inner;
}

Result<ExpressionPtr> ExpressionParser::listLiteral() {
    auto node = std::make_unique<ListExpr>();
    while (!m_cursor.skipOperator("]")) {
        if (!node->items.empty()) {
            INGLE_TRY(m_cursor.expectOperator(","));
            if (m_cursor.skipOperator("]")) break;
        }
        INGLE_TRY_ASSIGN(ExpressionPtr item, expression());
        node->items.push_back(std::move(item));
    }
    return node;
}

Result<ExpressionPtr> ExpressionParser::dictLiteral() {
    auto node = std::make_unique<DictExpr>();
    while (!m_cursor.skipOperator("}")) {
        if (!node->entries.empty()) {
            INGLE_TRY(m_cursor.expectOperator(","));
            if (m_cursor.skipOperator("}")) break;
        }
        INGLE_TRY_ASSIGN(ExpressionPtr key, expression());
        INGLE_TRY(m_cursor.expectOperator(":"));
        INGLE_TRY_ASSIGN(ExpressionPtr value, expression());
        node->entries.emplace_back(std::move(key), std::move(value));
    }
    return node;
}

Result<ExpressionPtr> ExpressionParser::postfix(ExpressionPtr operand) {
    for (;;) {
        if (m_cursor.isOperator(".") || m_cursor.isOperator("[") || m_cursor.isOperator("("))
            INGLE_TRY(m_cursor.link());
        if (m_cursor.skipOperator(".")) {
            if (m_cursor.peek().kind == Token::Kind::Integer) {
                auto node = std::make_unique<ItemExpr>();
                INGLE_TRY_ASSIGN(Value index, numberOf<int64_t>(m_cursor.take()));
                node->object = std::move(operand);
                node->index = std::make_unique<ConstantExpr>(std::move(index));
                operand = std::move(node);
                continue;
            }
            auto node = std::make_unique<AttributeExpr>();
            node->object = std::move(operand);
            INGLE_TRY_ASSIGN(node->name, m_cursor.takeName());
            operand = std::move(node);
        } else if (m_cursor.skipOperator("[")) {
            INGLE_TRY_ASSIGN(operand, subscript(std::move(operand)));
        } else if (m_cursor.isOperator("(")) {
            auto node = std::make_unique<CallExpr>();
            node->callee = std::move(operand);
            INGLE_TRY_ASSIGN(node->arguments, arguments());
            operand = std::move(node);
        } else {
            return operand;
        }
    }
}

Result<ExpressionPtr> ExpressionParser::subscript(ExpressionPtr object) {
    ExpressionPtr start;
    if (m_cursor.isOperator("]")) {  // object[]
        auto nothing = std::make_unique<ListExpr>();
        nothing->kind = List::Kind::Tuple;
        start = std::move(nothing);
    } else if (!m_cursor.isOperator(":")) {
        INGLE_TRY_ASSIGN(start, tuple());
    }
    if (m_cursor.skipOperator("]")) {
        auto node = std::make_unique<ItemExpr>();
        node->object = std::move(object);
        node->index = std::move(start);
        return node;
    }
    auto node = std::make_unique<SliceExpr>();
    node->object = std::move(object);
    node->start = std::move(start);
    INGLE_TRY(m_cursor.expectOperator(":"));
    if (!m_cursor.isOperator(":") && !m_cursor.isOperator("]")) {
        INGLE_TRY_ASSIGN(node->stop, expression());
    }
    if (m_cursor.skipOperator(":") && !m_cursor.isOperator("]")) {
        INGLE_TRY_ASSIGN(node->step, expression());
    }
    INGLE_TRY(m_cursor.expectOperator("]"));
    return node;
}

Result<ExpressionPtr> ExpressionParser::filtersAndTests(ExpressionPtr operand) {
    for (;;) {
        if (m_cursor.isOperator("|") || m_cursor.isName("is") || m_cursor.isOperator("("))
            INGLE_TRY(m_cursor.link());
        if (m_cursor.skipOperator("|")) {
            INGLE_TRY_ASSIGN(auto node, filter());
            node->operand = std::move(operand);
            operand = std::move(node);
        } else if (m_cursor.skipName("is")) {
            INGLE_TRY_ASSIGN(operand, test(std::move(operand)));
        } else if (m_cursor.isOperator("(")) {
            auto node = std::make_unique<CallExpr>();
            node->callee = std::move(operand);
            INGLE_TRY_ASSIGN(node->arguments, arguments());
            operand = std::move(node);
        } else {
            return operand;
        }
    }
}

Result<std::unique_ptr<ApplyExpr>> ExpressionParser::filter() {
    auto node = std::make_unique<ApplyExpr>();
    INGLE_TRY_ASSIGN(node->name, m_cursor.takeName());
    node->builtin = findFilter(node->name);
    if (m_cursor.isOperator("(")) {
        INGLE_TRY_ASSIGN(node->arguments, arguments());
    }
    return node;
}

bool ExpressionParser::startsTestArgument() const {
    const Token& next = m_cursor.peek();
    switch (next.kind) {
        case Token::Kind::Name:
            return next.text != "else" && next.text != "or" && next.text != "and" && next.text != "is" &&
                   next.text != "if" && next.text != "not" && next.text != "in";
        case Token::Kind::String:
        case Token::Kind::Integer:
        case Token::Kind::Float:
            return true;
        default:
            return m_cursor.isOperator("[") || m_cursor.isOperator("{");
    }
}

Result<ExpressionPtr> ExpressionParser::test(ExpressionPtr operand) {
    auto node = std::make_unique<ApplyExpr>();
    node->isTest = true;
    node->operand = std::move(operand);
    node->isNegated = m_cursor.skipName("not");
    INGLE_TRY_ASSIGN(node->name, m_cursor.takeName());
    node->builtin = findTest(node->name);
    if (m_cursor.isOperator("(")) {
        INGLE_TRY_ASSIGN(node->arguments, arguments());
    } else if (startsTestArgument()) {
        INGLE_TRY_ASSIGN(ExpressionPtr argument, primary());
        INGLE_TRY_ASSIGN(argument, postfix(std::move(argument)));
        node->arguments.positional.push_back(std::move(argument));
    }
    return node;
}

Result<ArgumentList> ExpressionParser::arguments() {
    ArgumentList list;
    INGLE_TRY(m_cursor.expectOperator("("));
    while (!m_cursor.skipOperator(")")) {
        if (!list.positional.empty() || !list.named.empty() || list.unpacked || list.unpackedNamed) {
            INGLE_TRY(m_cursor.expectOperator(","));
            if (m_cursor.skipOperator(")")) break;
        }
        const bool isList = m_cursor.isOperator("*");
        if (!list.unpackedNamed && ((isList && !list.unpacked) || m_cursor.isOperator("**"))) {
            m_cursor.take();
            INGLE_TRY_ASSIGN((isList ? list.unpacked : list.unpackedNamed), expression());
            continue;
        }
        if (list.unpackedNamed) return m_cursor.unexpected("')'");
        if (m_cursor.peek().kind == Token::Kind::Name && m_cursor.peek(1).is(Token::Kind::Operator, "=")) {
            std::string name = m_cursor.take().text;
            m_cursor.take();
            INGLE_TRY_ASSIGN(ExpressionPtr value, expression());
            list.named.emplace_back(std::move(name), std::move(value));
            continue;
        }
        if (!list.named.empty() || list.unpacked) return m_cursor.unexpected("a named argument");
        INGLE_TRY_ASSIGN(ExpressionPtr value, expression());
        list.positional.push_back(std::move(value));
    }
    return list;
}

}  // namespace ingle::chat::jinja
