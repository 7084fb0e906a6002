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

/// Sets one variable, or unpacks the value into several.
Status assignTo(Interpreter& in, const std::vector<std::string>& targets, Value value) {
    if (targets.size() == 1) return in.assign(targets[0], std::move(value));
    INGLE_TRY_ASSIGN(std::vector<Value> parts, in.iterate(value));
    if (parts.size() != targets.size())
        return fail(ErrorCode::InvalidArgument, "{} values cannot be given to {} names", parts.size(),
                    targets.size());
    for (size_t i = 0; i < parts.size(); ++i) INGLE_TRY(in.assign(targets[i], std::move(parts[i])));
    return {};
}

/// The body of a call block, in the macro that it is given to.
constexpr std::string_view kCaller = "caller";

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
    Macro(const MacroStatement& statement, std::weak_ptr<Scope> scope)
        : m_statement(statement), m_scope(std::move(scope)) {}

    std::string_view name() const override { return m_statement.name; }

    Result<Value> call(Interpreter& in, const Arguments& arguments) const override {
        const auto scope = m_scope.lock();
        if (!scope)
            return fail(ErrorCode::Unsupported, "the macro '{}' is called outside of its block",
                        shown(m_statement.name));
        const auto& parameters = m_statement.parameters;
        if (arguments.positional.size() > parameters.size())
            return fail(ErrorCode::InvalidArgument, "the macro '{}' takes at most {} arguments, not {}",
                        shown(m_statement.name), parameters.size(), arguments.positional.size());
        for (const auto& [name, value] : arguments.named) {
            INGLE_TRY(in.spendOnNames(name, parameters.size()));
            if (name != kCaller && std::ranges::find(parameters, name, [](const auto& each) {
                                       return std::string_view(each.first);
                                   }) == parameters.end())
                return fail(ErrorCode::InvalidArgument, "the macro '{}' has no argument '{}'",
                            shown(m_statement.name), shown(name));
        }
        const Interpreter::Inside inside(in, scope);
        INGLE_TRY(bind(in, arguments));
        INGLE_TRY_ASSIGN(Text text, executeToText(in, m_statement.body));
        return makeText(std::move(text));
    }

  private:
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
    INGLE_TRY_ASSIGN(std::vector<Value> items, in.iterate(value));
    const std::shared_ptr<Scope> around = in.scope();
    if (condition) {
        std::vector<Value> kept;
        for (Value& item : items) {
            INGLE_TRY(in.spend(sizeof(Scope)));
            const Interpreter::Inside inside(in, around);
            INGLE_TRY(assignTo(in, targets, item));
            INGLE_TRY_ASSIGN(const Value wanted, condition->evaluate(in));
            if (isTrue(wanted)) kept.push_back(std::move(item));
        }
        items = std::move(kept);
    }
    if (items.empty()) return jinja::execute(in, otherwise);
    uint32_t deepest = 0;
    for (const Value& item : items) deepest = std::max(deepest, depthOf(item));
    const auto shared = std::make_shared<const std::vector<Value>>(std::move(items));
    for (size_t i = 0; i < shared->size(); ++i) {
        const Interpreter::Inside inside(in, around);
        INGLE_TRY(in.spend(sizeof(Scope) + sizeof(Loop)));
        INGLE_TRY(in.assign("loop", std::make_shared<const Loop>(Loop{shared, i, deepest + 1})));
        INGLE_TRY(assignTo(in, targets, (*shared)[i]));
        INGLE_TRY_ASSIGN(const Flow flow, jinja::execute(in, body));
        if (flow == Flow::Break) break;
    }
    return Flow::Normal;
}

Result<Flow> SetStatement::execute(Interpreter& in) const {
    INGLE_TRY_ASSIGN(Value given, value->evaluate(in));
    if (attribute.empty()) {
        INGLE_TRY(assignTo(in, targets, std::move(given)));
        return Flow::Normal;
    }
    INGLE_TRY_ASSIGN(const Value target, in.lookUp(targets[0]));
    Namespace* space = target.space();
    if (!space)
        return fail(ErrorCode::InvalidArgument, "'{}' is no namespace, its attributes cannot be set",
                    shown(targets[0]));
    INGLE_TRY(in.spendOnNames(attribute, space->entries.size()));
    if (Value* held = space->find(attribute))
        *held = std::move(given);
    else
        space->entries.emplace_back(attribute, std::move(given));
    return Flow::Normal;
}

Result<Flow> SetBlockStatement::execute(Interpreter& in) const {
    INGLE_TRY_ASSIGN(Text text, executeToText(in, body));
    INGLE_TRY_ASSIGN(Value value, filtered(in, filters, std::move(text)));
    INGLE_TRY(in.assign(target, std::move(value)));
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
    values.named.emplace_back(kCaller,
                              std::shared_ptr<const Callable>(std::make_shared<Macro>(*caller, in.scope())));
    INGLE_TRY_ASSIGN(const Value written, in.call(function, values));
    INGLE_TRY(in.write(written));
    return Flow::Normal;
}

Result<Flow> MacroStatement::execute(Interpreter& in) const {
    INGLE_TRY(in.assign(name, std::shared_ptr<const Callable>(std::make_shared<Macro>(*this, in.scope()))));
    return Flow::Normal;
}

Result<Flow> ScopeStatement::execute(Interpreter& in) const {
    const Interpreter::Inside inside(in, in.scope());
    return jinja::execute(in, body);
}

Result<Flow> JumpStatement::execute(Interpreter& /*in*/) const {
    return flow;
}

}  // namespace ingle::chat::jinja
