#include "engine/chat/jinja/builtins.h"

#include <algorithm>

namespace ingle::chat::jinja {
namespace {

class BoundBuiltin final : public Callable {
  public:
    BoundBuiltin(const Builtin& builtin, Value self) : m_builtin(builtin), m_self(std::move(self)) {}

    Result<Value> call(Interpreter& in, const Arguments& arguments) const override {
        return callBuiltin(in, m_builtin, m_self, arguments);
    }
    std::string_view name() const override { return m_builtin.name; }
    uint32_t depth() const override { return depthOf(m_self) + 1; }

  private:
    const Builtin& m_builtin;
    Value m_self;
};

}  // namespace

Result<Value> callBuiltin(Interpreter& in, const Builtin& builtin, const Value& self,
                          const Arguments& arguments) {
    Call call{in, self, arguments, {}};
    if (builtin.isVariadic) return builtin.call(call);
    const auto numParameters = static_cast<size_t>(std::ranges::count_if(
        builtin.parameters, [](std::string_view parameter) { return !parameter.empty(); }));
    if (arguments.positional.size() > numParameters)
        return fail(ErrorCode::InvalidArgument, "'{}' takes at most {} arguments, not {}", builtin.name,
                    numParameters, arguments.positional.size());
    for (size_t i = 0; i < arguments.positional.size(); ++i) call.arguments[i] = &arguments.positional[i];
    for (const auto& [name, value] : arguments.named) {
        const auto parameter = std::ranges::find(builtin.parameters, name);
        if (parameter == builtin.parameters.end())
            return fail(ErrorCode::InvalidArgument, "'{}' has no argument '{}'", builtin.name, shown(name));
        call.arguments[static_cast<size_t>(parameter - builtin.parameters.begin())] = &value;
    }
    for (size_t i = 0; i < builtin.numRequired; ++i)
        if (!call.arguments[i])
            return fail(ErrorCode::InvalidArgument, "'{}' lacks its argument '{}'", builtin.name,
                        builtin.parameters[i]);
    return builtin.call(call);
}

Value boundBuiltin(const Builtin& builtin, Value self) {
    return std::shared_ptr<const Callable>(std::make_shared<BoundBuiltin>(builtin, std::move(self)));
}

const Builtin* findIn(std::span<const Builtin> table, std::string_view name) {
    const auto row = std::ranges::find(table, name, &Builtin::name);
    return row == table.end() ? nullptr : &*row;
}

const Builtin* findFilter(std::string_view name) {
    for (const auto table : {textFilters(), layoutFilters(), htmlFilters(), sequenceFilters()})
        if (const Builtin* found = findIn(table, name)) return found;
    return nullptr;
}

const Builtin* findMethod(const Value& self, std::string_view name) {
    if (self.text()) return findIn(textMethods(), name);
    if (self.dict()) return findIn(dictMethods(), name);
    if (self.list()) return findIn(listMethods(), name);
    if (self.loop()) return findIn(loopMethods(), name);
    return nullptr;
}

Result<std::optional<int64_t>> integerArgument(const Call& call, size_t index) {
    const Value* value = call.arguments[index];
    if (!value || value->isNone()) return std::nullopt;
    if (const auto number = value->integer()) return number;
    return fail(ErrorCode::InvalidArgument, "'{}' object is no whole number", typeName(*value));
}

Result<const Text*> textArgument(const Call& call, size_t index) {
    const Value* value = call.arguments[index];
    if (!value || value->isNone()) return nullptr;
    if (const Text* text = value->text()) return text;
    if (value->isUndefined()) return Interpreter::undefinedError(*value);
    return fail(ErrorCode::InvalidArgument, "'{}' object is no text", typeName(*value));
}

bool flagArgument(const Call& call, size_t index, bool fallback) {
    return call.arguments[index] ? isTrue(*call.arguments[index]) : fallback;
}

}  // namespace ingle::chat::jinja
