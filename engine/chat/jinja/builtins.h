/// Filters, tests, methods and functions: one row of a table each.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "engine/chat/jinja/interpreter.h"

namespace ingle::chat::jinja {

/// What a builtin is called with.
struct Call {
    Interpreter& in;
    const Value& self;                      ///< what a filter, test or method is applied to
    const Arguments& all;                   ///< as written
    std::array<const Value*, 4> arguments;  ///< by parameter; null when not given
};

struct Builtin {
    std::string_view name;
    Result<Value> (*call)(const Call& call);
    std::array<std::string_view, 4> parameters{};
    size_t numRequired = 0;
    bool isVariadic = false;  ///< takes any arguments, in Call::all
};

/// Binds arguments to parameters and calls. Errors: InvalidArgument when they do not fit.
Result<Value> callBuiltin(Interpreter& in, const Builtin& builtin, const Value& self,
                          const Arguments& arguments);

/// A builtin as a value: a function, or the method of `self`.
Value boundBuiltin(const Builtin& builtin, Value self);

/// Null when there is none of that name.
const Builtin* findFilter(std::string_view name);
const Builtin* findTest(std::string_view name);
const Builtin* findFunction(std::string_view name);
/// The method `name` of the value's type.
const Builtin* findMethod(const Value& self, std::string_view name);

/// An argument of a certain type; nothing when it is not given or None. Errors: InvalidArgument.
Result<std::optional<int64_t>> integerArgument(const Call& call, size_t index);
Result<const Text*> textArgument(const Call& call, size_t index);
bool flagArgument(const Call& call, size_t index, bool fallback);

const Builtin* findIn(std::span<const Builtin> table, std::string_view name);
// The tables.
std::span<const Builtin> functions();
std::span<const Builtin> tests();
std::span<const Builtin> textFilters();
std::span<const Builtin> layoutFilters();
std::span<const Builtin> htmlFilters();
std::span<const Builtin> sequenceFilters();
std::span<const Builtin> textMethods();
std::span<const Builtin> dictMethods();
std::span<const Builtin> listMethods();
std::span<const Builtin> loopMethods();

}  // namespace ingle::chat::jinja
