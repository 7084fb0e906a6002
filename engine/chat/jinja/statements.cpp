// How statements are executed. Source: Jinja's documentation, sections "List of Control Structures" and
// "Assignments".
#include <algorithm>

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/builtins.h"

namespace ingle::chat::jinja {

Result<Flow> execute(Interpreter& in, const Body& body) {
    for (const auto& statement : body) {
        Interpreter::Step step(in);
        INGLE_TRY(step.check());
        INGLE_TRY_ASSIGN(const Flow flow, statement->execute(in));
        if (flow != Flow::Normal) return flow;
    }
    return Flow::Normal;
}

namespace {

Result<Text> executeToText(Interpreter& in, const Body& body) {
    return in.capture([&]() -> Status {
        INGLE_TRY(execute(in, body));
        return {};
    });
}

Status assignAttribute(Interpreter& in, const Target& target, Value value) {
    INGLE_TRY_ASSIGN(const Value owner, in.lookUp(target.name));
    Namespace* space = owner.space();
    if (!space)
        return fail(ErrorCode::InvalidArgument, "'{}' is no namespace, its attributes cannot be set",
                    shown(target.name));
    INGLE_TRY(in.spendOnNames(target.attribute, space->entries.size()));
    if (Value* held = space->find(target.attribute))
        *held = std::move(value);
    else
        space->entries.emplace_back(target.attribute, std::move(value));
    return {};
}

/// Sets what the target names, or unpacks the value into its parts.
Status assignTo(Interpreter& in, const Target& target, Value value) {
    if (!target.attribute.empty()) return assignAttribute(in, target, std::move(value));
    if (target.parts.empty()) return in.assign(target.name, std::move(value));
    INGLE_TRY_ASSIGN(std::vector<Value> parts, in.iterate(value));
    if (parts.size() != target.parts.size())
        return fail(ErrorCode::InvalidArgument, "{} values cannot be given to {} names", parts.size(),
                    target.parts.size());
    for (size_t i = 0; i < parts.size(); ++i) INGLE_TRY(assignTo(in, target.parts[i], std::move(parts[i])));
    return {};
}

// What a macro's body may read beside its parameters: the body of a call block, and further arguments.
constexpr std::string_view kCaller = "caller", kMore = "varargs", kMoreNamed = "kwargs";

/// Applies one filter after the other.
Result<Value> filtered(Interpreter& in, const std::vector<std::unique_ptr<const ApplyExpr>>& filters,
                       Text text) {
    Value value = makeText(std::move(text));
    for (const auto& filter : filters) {
        INGLE_TRY_ASSIGN(value, filter->apply(in, value));
    }
    return value;
}

/// A macro sees the variables of the block it stands in, as they are when it is called.
class Macro final : public Callable {
  public:
    Macro(const MacroStatement& statement, const Interpreter& in)
        : m_statement(statement), m_scope(in.scope()), m_escapes(in.escapes()) {}

    std::string_view name() const override { return m_statement.name; }

    Result<Value> call(Interpreter& in, const Arguments& arguments) const override {
        const auto scope = m_scope.lock();
        if (!scope)
            return fail(ErrorCode::Unsupported, "the macro '{}' is called outside of its block",
                        shown(m_statement.name));
        const Interpreter::Inside inside(in, scope);
        const Interpreter::Escaping escaping(in, m_escapes);
        INGLE_TRY(bindMore(in, arguments));
        INGLE_TRY(bind(in, arguments));
        INGLE_TRY_ASSIGN(Text text, executeToText(in, m_statement.body));
        return makeText(std::move(text.setMarkup(m_escapes)));
    }

  private:
    /// Arguments beyond the parameters.
    Status bindMore(Interpreter& in, const Arguments& arguments) const {
        const auto& parameters = m_statement.parameters;
        std::vector<Value> more;
        if (arguments.positional.size() > parameters.size())
            more.assign(arguments.positional.begin() + static_cast<ptrdiff_t>(parameters.size()),
                        arguments.positional.end());
        if (!more.empty() && !m_statement.takesMore)
            return fail(ErrorCode::InvalidArgument, "the macro '{}' takes at most {} arguments, not {}",
                        shown(m_statement.name), parameters.size(), arguments.positional.size());
        Dict moreNamed;
        for (const auto& [name, value] : arguments.named) {
            INGLE_TRY(in.spendOnNames(name, parameters.size()));
            if (name == kCaller || std::ranges::find(parameters, name, [](const auto& each) {
                                       return std::string_view(each.first);
                                   }) != parameters.end())
                continue;
            if (!m_statement.takesMoreNamed)
                return fail(ErrorCode::InvalidArgument, "the macro '{}' has no argument '{}'",
                            shown(m_statement.name), shown(name));
            INGLE_TRY(in.spend(name.size() + sizeof(Text)));
            INGLE_TRY(in.insert(moreNamed, makeText(name, Origin::Template), value));
        }
        if (m_statement.takesMore) {
            INGLE_TRY(in.spend(sizeof(Value) * more.size()));
            INGLE_TRY_ASSIGN(Value tuple, makeList(std::move(more), List::Kind::Tuple));
            INGLE_TRY(in.assign(kMore, std::move(tuple)));
        }
        if (!m_statement.takesMoreNamed) return {};
        INGLE_TRY_ASSIGN(Value dict, makeDict(std::move(moreNamed.entries)));
        return in.assign(kMoreNamed, std::move(dict));
    }

    Status bind(Interpreter& in, const Arguments& arguments) const {
        for (size_t i = 0; i < m_statement.parameters.size(); ++i) {
            const auto& [name, fallback] = m_statement.parameters[i];
            INGLE_TRY(in.spendOnNames(name, arguments.named.size()));
            const auto named = std::ranges::find(arguments.named, std::string_view(name),
                                                 [](const auto& each) { return each.first; });
            Value value;
            if (i < arguments.positional.size()) {
                value = arguments.positional[i];
            } else if (named != arguments.named.end()) {
                value = named->second;
            } else if (fallback) {
                INGLE_TRY_ASSIGN(value, fallback->evaluate(in));
            } else {
                INGLE_TRY(in.spendOnSentence(name));
                value = Value::undefined(fmt::format("the argument '{}' is undefined", shown(name)));
            }
            INGLE_TRY(in.assign(name, std::move(value)));
        }
        const auto caller =
            std::ranges::find(arguments.named, kCaller, [](const auto& each) { return each.first; });
        if (caller != arguments.named.end()) INGLE_TRY(in.assign(kCaller, caller->second));
        return {};
    }

    const MacroStatement& m_statement;
    std::weak_ptr<Scope> m_scope;
    bool m_escapes;
};

}  // namespace

Result<Flow> DataStatement::execute(Interpreter& in) const {
    INGLE_TRY(in.write(text, Origin::Template));
    return Flow::Normal;
}

Result<Flow> OutputStatement::execute(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value value, expression->evaluate(in));
    INGLE_TRY(in.write(value));
    return Flow::Normal;
}

Result<Flow> IfStatement::execute(Interpreter& in) const {
    for (const auto& [condition, body] : branches) {
        INGLE_TRY_ASSIGN(const Value value, condition->evaluate(in));
        if (isTrue(value)) return jinja::execute(in, body);
    }
    return jinja::execute(in, otherwise);
}

Result<Flow> ForStatement::execute(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value value, iterable->evaluate(in));
    return run(in, value, in.scope(), 1);
}

Result<Flow> ForStatement::run(Interpreter& in, const Value& value, std::shared_ptr<Scope> around,
                               int64_t level) const {
    INGLE_TRY_ASSIGN(std::vector<Value> items, in.iterate(value));
    const Interpreter::Inside rounds(in, std::move(around));
    const std::shared_ptr<Scope> shared = in.scope();
    if (condition) {
        std::vector<Value> kept;
        for (Value& item : items) {
            INGLE_TRY(in.spend(sizeof(Scope)));
            const Interpreter::Inside inside(in, shared);
            INGLE_TRY(assignTo(in, target, item));
            INGLE_TRY_ASSIGN(const Value wanted, condition->evaluate(in));
            if (isTrue(wanted)) kept.push_back(std::move(item));
        }
        items = std::move(kept);
    }
    if (items.empty()) return jinja::execute(in, otherwise);
    uint32_t deepest = 0;
    for (const Value& item : items) deepest = std::max(deepest, depthOf(item));
    const auto all = std::make_shared<const std::vector<Value>>(std::move(items));
    for (size_t i = 0; i < all->size(); ++i) {
        const Interpreter::Inside inside(in, shared);
        INGLE_TRY(in.spend(sizeof(Scope) + sizeof(Loop)));
        INGLE_TRY(in.assign("loop", std::make_shared<const Loop>(Loop{all, i, deepest + 1, shared,
                                                                      isRecursive ? this : nullptr, level})));
        INGLE_TRY(assignTo(in, target, (*all)[i]));
        INGLE_TRY_ASSIGN(const Flow flow, jinja::execute(in, body));
        if (flow == Flow::Break) break;
    }
    return Flow::Normal;
}

Result<Value> runAgain(Interpreter& in, const Loop& loop, const Arguments& arguments) {
    const auto shared = loop.scope.lock();
    if (!loop.recursive || !shared || arguments.positional.size() != 1 || !arguments.named.empty())
        return fail(ErrorCode::InvalidArgument,
                    "'loop' can be called inside of a recursive loop, with a list");
    INGLE_TRY_ASSIGN(Text text, in.capture([&]() -> Status {
        INGLE_TRY(loop.recursive->run(in, arguments.positional[0], shared->parent, loop.level + 1));
        return {};
    }));
    return makeText(std::move(text.setMarkup(in.escapes())));
}

Result<Flow> SetStatement::execute(Interpreter& in) const {
    INGLE_TRY_ASSIGN(Value given, value->evaluate(in));
    INGLE_TRY(assignTo(in, target, std::move(given)));
    return Flow::Normal;
}

Result<Flow> SetBlockStatement::execute(Interpreter& in) const {
    INGLE_TRY_ASSIGN(Text text, executeToText(in, body));
    INGLE_TRY_ASSIGN(Value value, filtered(in, filters, std::move(text)));
    INGLE_TRY(assignTo(in, target, std::move(value)));
    return Flow::Normal;
}

Result<Flow> FilterStatement::execute(Interpreter& in) const {
    INGLE_TRY_ASSIGN(Text text, executeToText(in, body));
    INGLE_TRY_ASSIGN(const Value value, filtered(in, filters, std::move(text)));
    INGLE_TRY(in.write(value));
    return Flow::Normal;
}

Result<Flow> WithStatement::execute(Interpreter& in) const {
    std::vector<Value> values;
    for (const auto& [name, expression] : variables) {
        INGLE_TRY_ASSIGN(Value value, expression->evaluate(in));
        values.push_back(std::move(value));
    }
    const Interpreter::Inside inside(in, in.scope());
    for (size_t i = 0; i < values.size(); ++i) INGLE_TRY(in.assign(variables[i].first, std::move(values[i])));
    return jinja::execute(in, body);
}

Result<Flow> CallStatement::execute(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value function, callee->evaluate(in));
    INGLE_TRY_ASSIGN(Arguments values, arguments.evaluate(in));
    values.named.emplace_back(kCaller, std::shared_ptr<const Callable>(std::make_shared<Macro>(*caller, in)));
    INGLE_TRY_ASSIGN(const Value written, in.call(function, values));
    INGLE_TRY(in.write(written));
    return Flow::Normal;
}

Result<Flow> MacroStatement::execute(Interpreter& in) const {
    INGLE_TRY(in.assign(name, std::shared_ptr<const Callable>(std::make_shared<Macro>(*this, in))));
    return Flow::Normal;
}

Result<Flow> AutoescapeStatement::execute(Interpreter& in) const {
    INGLE_TRY_ASSIGN(const Value escapes, condition->evaluate(in));
    const Interpreter::Inside inside(in, in.scope());
    const Interpreter::Escaping escaping(in, isTrue(escapes));
    return jinja::execute(in, body);
}

Result<Flow> ScopeStatement::execute(Interpreter& in) const {
    const Interpreter::Inside inside(in, in.scope());
    return jinja::execute(in, body);
}

Result<Flow> JumpStatement::execute(Interpreter& /*in*/) const {
    return flow;
}

}  // namespace ingle::chat::jinja
