/// The grammar shared by expressions and statements.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/lexer.h"

namespace ingle::chat::jinja {

/// Walks over the tokens of a template. Limits keep the tree shallow enough for recursion.
class TokenCursor {
  public:
    explicit TokenCursor(std::vector<Token> tokens) : m_tokens(std::move(tokens)) {}

    const Token& peek(size_t ahead = 0) const {
        return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
    }
    Token take() { return m_at + 1 < m_tokens.size() ? std::move(m_tokens[m_at++]) : m_tokens.back(); }
    bool isOperator(std::string_view text) const { return peek().is(Token::Kind::Operator, text); }
    bool isName(std::string_view text) const { return peek().is(Token::Kind::Name, text); }
    bool skipOperator(std::string_view text) { return skipIf(isOperator(text)); }
    bool skipName(std::string_view text) { return skipIf(isName(text)); }
    Status expectOperator(std::string_view text);
    Status expectName(std::string_view text);
    Result<std::string> takeName();
    Status expect(Token::Kind kind, std::string_view what);
    /// An error at the next token.
    tl::unexpected<Error> unexpected(std::string_view wanted) const;

    /// Held while something nested is parsed.
    class Nested {
      public:
        explicit Nested(TokenCursor& cursor) : m_cursor(cursor) { ++m_cursor.m_depth; }
        ~Nested() { --m_cursor.m_depth; }
        Nested(const Nested&) = delete;
        Nested& operator=(const Nested&) = delete;

      private:
        TokenCursor& m_cursor;
    };
    Status checkDepth() const;
    /// Counts an operator that makes the tree of the current tag deeper without nesting in the source.
    Status link();
    void beginTag() { m_links = 0; }

  private:
    bool skipIf(bool wanted) {
        if (wanted) ++m_at;
        return wanted;
    }

    std::vector<Token> m_tokens;  ///< ends with End
    size_t m_at = 0;
    uint32_t m_depth = 0;
    uint32_t m_links = 0;
};

class ExpressionParser {
  public:
    explicit ExpressionParser(TokenCursor& cursor) : m_cursor(cursor) {}

    /// Of names that mean something in the body of a macro: which were read since this was reset.
    struct Read {
        bool varargs = false, kwargs = false;
    };
    Read read;

    Result<ExpressionPtr> expression();
    /// Without `a if b else c`.
    Result<ExpressionPtr> logic() { return orExpression(); }
    /// One expression, or several with commas as a tuple.
    Result<ExpressionPtr> tuple(bool withConditional = true);
    /// Behind the `|`.
    Result<std::unique_ptr<ApplyExpr>> filter();

  private:
    Result<ExpressionPtr> orExpression();
    Result<ExpressionPtr> andExpression();
    Result<ExpressionPtr> notExpression();
    Result<ExpressionPtr> comparison();
    Result<ExpressionPtr> sum();
    Result<ExpressionPtr> concatenation();
    Result<ExpressionPtr> product();
    Result<ExpressionPtr> powerExpression();
    enum class Filters { Allowed, None };
    Result<ExpressionPtr> unary(Filters filters);
    Result<ExpressionPtr> primary();
    Result<ExpressionPtr> parenthesized();
    Result<ExpressionPtr> listLiteral();
    Result<ExpressionPtr> dictLiteral();
    Result<ExpressionPtr> postfix(ExpressionPtr operand);
    Result<ExpressionPtr> filtersAndTests(ExpressionPtr operand);
    Result<ExpressionPtr> subscript(ExpressionPtr object);
    Result<ExpressionPtr> test(ExpressionPtr operand);
    Result<ArgumentList> arguments();
    bool startsTestArgument() const;

    TokenCursor& m_cursor;
};

}  // namespace ingle::chat::jinja
