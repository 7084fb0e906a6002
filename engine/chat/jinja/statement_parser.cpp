#include <algorithm>
#include <functional>

#include "engine/chat/jinja/parser.h"

namespace ingle::chat::jinja {
namespace {

constexpr size_t kMaxSourceBytes = size_t{1} << 20;

class StatementParser {
  public:
    explicit StatementParser(std::vector<Token> tokens)
        : m_cursor(std::move(tokens)), m_expressions(m_cursor) {}

    Result<Body> run() {
        INGLE_TRY_ASSIGN(Body body, parseBody({}));
        if (m_cursor.peek().kind != Token::Kind::End)
            return fail(ErrorCode::Corrupt, "line {}: '{}' without a beginning", m_cursor.peek().line,
                        shown(m_cursor.peek(1).text));
        return body;
    }

  private:
    using StatementPtr = std::unique_ptr<const Statement>;
    using Names = std::initializer_list<std::string_view>;

    /// Statements up to a tag that begins with one of `ends` (whose `{%` is not taken), or up to the end.
    Result<Body> parseBody(Names ends) {
        const TokenCursor::Nested nested(m_cursor);
        INGLE_TRY(m_cursor.checkDepth());
        Body body;
        for (;;) {
            switch (m_cursor.peek().kind) {
                case Token::Kind::Data: {
                    auto data = std::make_unique<DataStatement>();
                    data->text = m_cursor.take().text;
                    body.push_back(std::move(data));
                    break;
                }
                case Token::Kind::OutputBegin: {
                    m_cursor.take();
                    m_cursor.beginTag();
                    auto output = std::make_unique<OutputStatement>();
                    INGLE_TRY_ASSIGN(output->expression, m_expressions.tuple());
                    INGLE_TRY(m_cursor.expect(Token::Kind::OutputEnd, "the end of the tag"));
                    body.push_back(std::move(output));
                    break;
                }
                case Token::Kind::BlockBegin: {
                    const Token& name = m_cursor.peek(1);
                    if (name.kind == Token::Kind::Name && isEnd(name.text, ends)) return body;
                    m_cursor.take();
                    m_cursor.beginTag();
                    INGLE_TRY_ASSIGN(StatementPtr statement, parseStatement());
                    body.push_back(std::move(statement));
                    break;
                }
                default:
                    return body;
            }
        }
    }

    static bool isEnd(std::string_view name, Names ends) {
        // A stray "endfor" at the top is reported by run().
        return std::ranges::find(ends, name) != ends.end() ||
               (ends.size() == 0 && (name.starts_with("end") || name == "else" || name == "elif"));
    }

    Result<StatementPtr> parseStatement() {
        struct Row {
            std::string_view name;
            Result<StatementPtr> (StatementParser::*parse)();
        };
        static constexpr Row kRows[] = {
            {"if", &StatementParser::parseIf},
            {"for", &StatementParser::parseFor},
            {"set", &StatementParser::parseSet},
            {"macro", &StatementParser::parseMacro},
            {"break", &StatementParser::parseBreak},
            {"continue", &StatementParser::parseContinue},
            {"generation", &StatementParser::parseGeneration},
            {"filter", &StatementParser::parseFilter},
            {"with", &StatementParser::parseWith},
            {"call", &StatementParser::parseCall},
            {"block", &StatementParser::parseNamedBlock},
            {"autoescape", &StatementParser::parseAutoescape},
        };
        const size_t line = m_cursor.peek().line;
        INGLE_TRY_ASSIGN(const std::string name, m_cursor.takeName());
        const auto row = std::ranges::find(kRows, name, &Row::name);
        if (row == std::end(kRows))
            return fail(ErrorCode::Unsupported, "line {}: the tag '{}' is not supported", line, shown(name));
        return (this->*row->parse)();
    }

    Status endOfTag() { return m_cursor.expect(Token::Kind::BlockEnd, "the end of the tag"); }

    /// A body and the tag that ends it, up to and including its name, which is returned.
    Result<std::string> parseBlock(Body& body, Names ends) {
        const size_t line = m_cursor.peek().line;
        INGLE_TRY(endOfTag());
        INGLE_TRY_ASSIGN(body, parseBody(ends));
        if (m_cursor.peek().kind == Token::Kind::End)
            return fail(ErrorCode::Corrupt, "line {}: a block has no '{}'", line, *(ends.end() - 1));
        m_cursor.take();
        m_cursor.beginTag();
        return m_cursor.take().text;
    }

    Result<StatementPtr> parseIf() {
        auto node = std::make_unique<IfStatement>();
        std::string tag = "elif";
        while (tag == "elif") {
            INGLE_TRY_ASSIGN(ExpressionPtr condition, m_expressions.tuple(false));
            node->branches.emplace_back(std::move(condition), Body{});
            INGLE_TRY_ASSIGN(tag, parseBlock(node->branches.back().second, {"elif", "else", "endif"}));
        }
        if (tag == "else") {
            INGLE_TRY_ASSIGN(tag, parseBlock(node->otherwise, {"endif"}));
        }
        INGLE_TRY(endOfTag());
        return node;
    }

    /// One target, or several with commas between them.
    Result<Target> parseTargets() {
        const TokenCursor::Nested nested(m_cursor);
        INGLE_TRY(m_cursor.checkDepth());
        INGLE_TRY_ASSIGN(Target first, parseTarget());
        if (!m_cursor.isOperator(",")) return first;
        Target all;
        all.parts.push_back(std::move(first));
        while (m_cursor.skipOperator(",")) {
            if (m_cursor.isName("in") || m_cursor.isOperator("=") || m_cursor.isOperator(")")) break;
            INGLE_TRY_ASSIGN(Target next, parseTarget());
            all.parts.push_back(std::move(next));
        }
        return all;
    }

    Result<Target> parseTarget() {
        Target target;
        if (m_cursor.skipOperator("(")) {
            INGLE_TRY_ASSIGN(target, parseTargets());
            INGLE_TRY(m_cursor.expectOperator(")"));
            return target;
        }
        INGLE_TRY_ASSIGN(target.name, m_cursor.takeName());
        if (m_cursor.skipOperator(".")) {
            INGLE_TRY_ASSIGN(target.attribute, m_cursor.takeName());
        }
        return target;
    }

    Result<StatementPtr> parseFor() {
        auto node = std::make_unique<ForStatement>();
        INGLE_TRY_ASSIGN(node->target, parseTargets());
        INGLE_TRY(m_cursor.expectName("in"));
        INGLE_TRY_ASSIGN(node->iterable, m_expressions.tuple(false));
        if (m_cursor.skipName("if")) {
            INGLE_TRY_ASSIGN(node->condition, m_expressions.expression());
        }
        node->isRecursive = m_cursor.skipName("recursive");
        ++m_loops;
        Result<std::string> tag = parseBlock(node->body, {"else", "endfor"});
        --m_loops;
        if (tag && *tag == "else") tag = parseBlock(node->otherwise, {"endfor"});
        INGLE_TRY(tag);
        INGLE_TRY(endOfTag());
        return node;
    }

    Result<StatementPtr> parseSet() {
        INGLE_TRY_ASSIGN(Target target, parseTargets());
        if (m_cursor.skipOperator("=")) {
            auto node = std::make_unique<SetStatement>();
            node->target = std::move(target);
            INGLE_TRY_ASSIGN(node->value, m_expressions.tuple());
            INGLE_TRY(endOfTag());
            return node;
        }
        if (!target.parts.empty()) return m_cursor.unexpected("'='");
        auto node = std::make_unique<SetBlockStatement>();
        node->target = std::move(target);
        while (m_cursor.skipOperator("|")) {
            INGLE_TRY_ASSIGN(auto filter, m_expressions.filter());
            node->filters.push_back(std::move(filter));
        }
        INGLE_TRY(parseBlock(node->body, {"endset"}));
        INGLE_TRY(endOfTag());
        return node;
    }

    Result<StatementPtr> parseMacro() {
        auto node = std::make_unique<MacroStatement>();
        INGLE_TRY_ASSIGN(node->name, m_cursor.takeName());
        INGLE_TRY(m_cursor.expectOperator("("));
        INGLE_TRY(parseParameters(*node));
        INGLE_TRY(parseMacroBody(*node, "endmacro"));
        m_cursor.skipName(node->name);
        INGLE_TRY(endOfTag());
        return node;
    }

    /// Up to the parenthesis that closes them.
    Status parseParameters(MacroStatement& node) {
        while (!m_cursor.skipOperator(")")) {
            if (!node.parameters.empty()) INGLE_TRY(m_cursor.expectOperator(","));
            INGLE_TRY_ASSIGN(std::string name, m_cursor.takeName());
            ExpressionPtr fallback;
            if (m_cursor.skipOperator("=")) {
                INGLE_TRY_ASSIGN(fallback, m_expressions.expression());
            }
            node.parameters.emplace_back(std::move(name), std::move(fallback));
        }
        return {};
    }

    Status parseMacroBody(MacroStatement& node, std::string_view end) {
        const size_t loopsOutside = std::exchange(m_loops, 0);
        const auto readOutside = std::exchange(m_expressions.read, {});
        const auto tag = parseBlock(node.body, {end});
        m_loops = loopsOutside;
        const auto read = std::exchange(m_expressions.read, readOutside);
        node.takesMore = read.varargs;
        node.takesMoreNamed = read.kwargs;
        INGLE_TRY(tag);
        return {};
    }

    Result<StatementPtr> parseCall() {
        auto node = std::make_unique<CallStatement>();
        node->caller = std::make_unique<MacroStatement>();
        node->caller->name = "caller";
        if (m_cursor.skipOperator("(")) INGLE_TRY(parseParameters(*node->caller));
        const size_t line = m_cursor.peek().line;
        INGLE_TRY_ASSIGN(ExpressionPtr expression, m_expressions.expression());
        // The parser of expressions makes nodes, which are const; a block calls what its call would.
        auto* call = const_cast<CallExpr*>(dynamic_cast<const CallExpr*>(expression.get()));
        if (!call) return fail(ErrorCode::Corrupt, "line {}: a call block without a call", line);
        node->callee = std::move(call->callee);
        node->arguments = std::move(call->arguments);
        INGLE_TRY(parseMacroBody(*node->caller, "endcall"));
        INGLE_TRY(endOfTag());
        return node;
    }

    Result<StatementPtr> parseFilter() {
        auto node = std::make_unique<FilterStatement>();
        do {
            INGLE_TRY_ASSIGN(auto filter, m_expressions.filter());
            node->filters.push_back(std::move(filter));
        } while (m_cursor.skipOperator("|"));
        INGLE_TRY(parseBlock(node->body, {"endfilter"}));
        INGLE_TRY(endOfTag());
        return node;
    }

    Result<StatementPtr> parseWith() {
        auto node = std::make_unique<WithStatement>();
        while (m_cursor.peek().kind != Token::Kind::BlockEnd) {
            if (!node->variables.empty()) INGLE_TRY(m_cursor.expectOperator(","));
            INGLE_TRY_ASSIGN(std::string name, m_cursor.takeName());
            INGLE_TRY(m_cursor.expectOperator("="));
            INGLE_TRY_ASSIGN(ExpressionPtr value, m_expressions.expression());
            node->variables.emplace_back(std::move(name), std::move(value));
        }
        INGLE_TRY(parseBlock(node->body, {"endwith"}));
        INGLE_TRY(endOfTag());
        return node;
    }

    /// A template that nothing extends has its blocks where they stand.
    Result<StatementPtr> parseNamedBlock() {
        auto node = std::make_unique<ScopeStatement>();
        INGLE_TRY_ASSIGN(const std::string name, m_cursor.takeName());
        while (m_cursor.skipName("scoped") || m_cursor.skipName("required")) {
        }
        INGLE_TRY(parseBlock(node->body, {"endblock"}));
        m_cursor.skipName(name);
        INGLE_TRY(endOfTag());
        return node;
    }

    Result<StatementPtr> parseAutoescape() {
        auto node = std::make_unique<AutoescapeStatement>();
        INGLE_TRY_ASSIGN(node->condition, m_expressions.expression());
        INGLE_TRY(parseBlock(node->body, {"endautoescape"}));
        INGLE_TRY(endOfTag());
        return node;
    }

    Result<StatementPtr> parseJump(Flow flow) {
        if (m_loops == 0) return fail(ErrorCode::Corrupt, "line {}: outside of a loop", m_cursor.peek().line);
        INGLE_TRY(endOfTag());
        return std::make_unique<JumpStatement>(flow);
    }
    Result<StatementPtr> parseBreak() { return parseJump(Flow::Break); }
    Result<StatementPtr> parseContinue() { return parseJump(Flow::Continue); }

    Result<StatementPtr> parseGeneration() {
        auto node = std::make_unique<ScopeStatement>();
        INGLE_TRY(parseBlock(node->body, {"endgeneration"}));
        INGLE_TRY(endOfTag());
        return node;
    }

    TokenCursor m_cursor;
    ExpressionParser m_expressions;
    size_t m_loops = 0;
};

}  // namespace

Result<Body> parseTemplate(std::string_view source) {
    if (source.size() > kMaxSourceBytes)
        return fail(ErrorCode::Unsupported, "the template has {} bytes, more than {}", source.size(),
                    kMaxSourceBytes);
    INGLE_TRY_ASSIGN(auto tokens, tokenize(source));
    return StatementParser(std::move(tokens)).run();
}

}  // namespace ingle::chat::jinja
