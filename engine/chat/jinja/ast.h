/// The syntax tree of a template. Each node knows how to run itself (expressions.cpp, statements.cpp).
/// Source: Jinja's template designer documentation; names and precedence are its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/chat/jinja/value.h"

namespace ingle::chat::jinja {

class Interpreter;
struct Builtin;

struct Expression {
    virtual ~Expression() = default;
    /// A step of the interpreter. Errors: those of the expression, and of the limits.
    Result<Value> evaluate(Interpreter& in) const;

  private:
    virtual Result<Value> run(Interpreter& in) const = 0;
};
using ExpressionPtr = std::unique_ptr<const Expression>;

struct ConstantExpr final : Expression {
    explicit ConstantExpr(Value v) : value(std::move(v)) {}
    Result<Value> run(Interpreter& in) const override;
    Value value;
};

struct NameExpr final : Expression {
    explicit NameExpr(std::string n) : name(std::move(n)) {}
    Result<Value> run(Interpreter& in) const override;
    std::string name;
};

struct ListExpr final : Expression {
    Result<Value> run(Interpreter& in) const override;
    List::Kind kind = List::Kind::List;
    std::vector<ExpressionPtr> items;
};

struct DictExpr final : Expression {
    Result<Value> run(Interpreter& in) const override;
    std::vector<std::pair<ExpressionPtr, ExpressionPtr>> entries;
};

/// `not`, `-` or `+`.
struct UnaryExpr final : Expression {
    UnaryExpr(char o, ExpressionPtr e) : op(o), operand(std::move(e)) {}
    Result<Value> run(Interpreter& in) const override;
    char op;  ///< '!', '-' or '+'
    ExpressionPtr operand;
};

using BinaryOperator = Result<Value> (*)(Interpreter& in, const Value& left, const Value& right);

struct BinaryExpr final : Expression {
    BinaryExpr(BinaryOperator o, ExpressionPtr l, ExpressionPtr r)
        : apply(o), left(std::move(l)), right(std::move(r)) {}
    Result<Value> run(Interpreter& in) const override;
    BinaryOperator apply;
    ExpressionPtr left, right;
};

/// a < b <= c: every neighbouring pair must hold.
struct CompareExpr final : Expression {
    using Compare = Result<bool> (*)(Interpreter& in, const Value& left, const Value& right);
    Result<Value> run(Interpreter& in) const override;
    ExpressionPtr first;
    std::vector<std::pair<Compare, ExpressionPtr>> rest;
};

/// `and`, `or`: the value that decides, as in Python.
struct LogicExpr final : Expression {
    Result<Value> run(Interpreter& in) const override;
    bool decidedBy = false;  ///< `or` ends at the first true value, `and` at the first false one
    std::vector<ExpressionPtr> operands;
};

/// a ~ b ~ c
struct ConcatExpr final : Expression {
    Result<Value> run(Interpreter& in) const override;
    std::vector<ExpressionPtr> parts;
};

/// a if condition else b; `otherwise` may be null.
struct ConditionalExpr final : Expression {
    Result<Value> run(Interpreter& in) const override;
    ExpressionPtr condition, then, otherwise;
};

/// a.name
struct AttributeExpr final : Expression {
    Result<Value> run(Interpreter& in) const override;
    ExpressionPtr object;
    std::string name;
};

/// a[index]
struct ItemExpr final : Expression {
    Result<Value> run(Interpreter& in) const override;
    ExpressionPtr object, index;
};

/// a[start:stop:step], each of which may be null.
struct SliceExpr final : Expression {
    Result<Value> run(Interpreter& in) const override;
    ExpressionPtr object, start, stop, step;
};

struct ArgumentList {
    Result<Arguments> evaluate(Interpreter& in) const;
    std::vector<ExpressionPtr> positional;
    std::vector<std::pair<std::string, ExpressionPtr>> named;
    ExpressionPtr unpacked, unpackedNamed;  ///< *list and **dict; either may be null
};

struct CallExpr final : Expression {
    Result<Value> run(Interpreter& in) const override;
    ExpressionPtr callee;
    ArgumentList arguments;
};

/// A filter or test applied to a value. In the block form of `set`, `operand` of the innermost is null and
/// the text of the block is given to apply().
struct ApplyExpr final : Expression {
    Result<Value> run(Interpreter& in) const override;
    Result<Value> apply(Interpreter& in, const Value& value) const;
    const Builtin* builtin = nullptr;  ///< null: the name is unknown, which matters only when it is reached
    std::string name;
    ExpressionPtr operand;
    ArgumentList arguments;
    bool isTest = false;
    bool isNegated = false;
};

/// How a statement ended.
enum class Flow { Normal, Break, Continue };

struct Statement {
    virtual ~Statement() = default;
    virtual Result<Flow> execute(Interpreter& in) const = 0;
};
using Body = std::vector<std::unique_ptr<const Statement>>;

struct DataStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    std::string text;
};

struct OutputStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    ExpressionPtr expression;
};

struct IfStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    std::vector<std::pair<ExpressionPtr, Body>> branches;
    Body otherwise;
};

/// What is given a value: a variable, the attribute of a namespace, or several targets that it is unpacked
/// into.
struct Target {
    std::string name;
    std::string attribute;      ///< empty: the variable itself
    std::vector<Target> parts;  ///< empty: one variable
};

struct ForStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    /// Runs over `value`, as a loop that stands in `around`.
    Result<Flow> run(Interpreter& in, const Value& value, std::shared_ptr<Scope> around, int64_t level) const;
    Target target;
    ExpressionPtr iterable;
    ExpressionPtr condition;  ///< null: all elements
    bool isRecursive = false;
    Body body, otherwise;
};

/// loop(value) in a recursive loop: what the loop writes of that value.
Result<Value> runAgain(Interpreter& in, const Loop& loop, const Arguments& arguments);

/// {% set a, b = value %} or {% set space.name = value %}
struct SetStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    Target target;
    ExpressionPtr value;
};

/// {% set a | filter %}…{% endset %}
struct SetBlockStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    Target target;
    std::vector<std::unique_ptr<const ApplyExpr>> filters;
    Body body;
};

/// {% filter a | b %}…{% endfilter %}
struct FilterStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    std::vector<std::unique_ptr<const ApplyExpr>> filters;
    Body body;
};

/// {% with a = 1, b = 2 %}…{% endwith %}
struct WithStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    std::vector<std::pair<std::string, ExpressionPtr>> variables;
    Body body;
};

struct MacroStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    std::string name;
    std::vector<std::pair<std::string, ExpressionPtr>> parameters;  ///< default may be null
    // Whether the body reads `varargs` and `kwargs`, and so takes more arguments than it has parameters.
    bool takesMore = false, takesMoreNamed = false;
    Body body;
};

/// {% call(parameters) macro(arguments) %}…{% endcall %}: the macro can call the body as `caller`.
struct CallStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    std::unique_ptr<MacroStatement> caller;
    ExpressionPtr callee;
    ArgumentList arguments;
};

/// {% autoescape condition %}…{% endautoescape %}
struct AutoescapeStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    ExpressionPtr condition;
    Body body;
};

/// Statements with variables of their own: {% generation %}, {% block name %}.
struct ScopeStatement final : Statement {
    Result<Flow> execute(Interpreter& in) const override;
    Body body;
};

struct JumpStatement final : Statement {
    explicit JumpStatement(Flow f) : flow(f) {}
    Result<Flow> execute(Interpreter& in) const override;
    Flow flow;
};

/// Runs statements until one jumps.
Result<Flow> execute(Interpreter& in, const Body& body);

/// Errors: Corrupt, with the line; Unsupported for what is too deep or no part of chat templates.
Result<Body> parseTemplate(std::string_view source);

}  // namespace ingle::chat::jinja
