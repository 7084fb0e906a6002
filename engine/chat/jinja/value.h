/// The values of a template: Python's, as far as templates see them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/chat/jinja/text.h"
#include "ingle/result.h"

namespace ingle::chat::jinja {

class Value;
struct List;
struct Dict;
struct Namespace;
struct Generator;
struct Loop;
class Callable;

/// What has no value. It prints as nothing; doing more with it fails with `why`.
struct Undefined {
    std::shared_ptr<const std::string> why;

    bool operator==(const Undefined&) const { return true; }
};
struct None {
    bool operator==(const None&) const = default;
};

/// Cheap to copy: everything large is shared and never changes, but for generators, namespaces and loops.
class Value {
  public:
    using Data =
        std::variant<Undefined, None, bool, int64_t, double, std::shared_ptr<const Text>,
                     std::shared_ptr<const List>, std::shared_ptr<const Dict>, std::shared_ptr<Generator>,
                     std::shared_ptr<const Loop>, std::shared_ptr<const Callable>, Namespace*>;

    Value() = default;
    template <typename T>
    requires std::is_constructible_v<Data, T&&> Value(T&& value) : m_data(std::forward<T>(value)) {}
    Value(const char*) = delete;

    static Value undefined(std::string why) {
        return Undefined{std::make_shared<const std::string>(std::move(why))};
    }

    const Data& data() const { return m_data; }
    bool isUndefined() const { return std::holds_alternative<Undefined>(m_data); }
    bool isNone() const { return std::holds_alternative<None>(m_data); }
    /// Null unless the value is of that kind.
    const Text* text() const { return shared<const Text>(); }
    const List* list() const { return shared<const List>(); }
    const Dict* dict() const { return shared<const Dict>(); }
    const Loop* loop() const { return shared<const Loop>(); }
    const Callable* callable() const { return shared<const Callable>(); }
    Generator* generator() const { return shared<Generator>(); }
    Namespace* space() const {
        const auto* held = std::get_if<Namespace*>(&m_data);
        return held ? *held : nullptr;
    }
    const bool* boolean() const { return std::get_if<bool>(&m_data); }
    /// A bool counts as 0 or 1.
    std::optional<int64_t> integer() const;
    /// Any number as a double.
    std::optional<double> number() const;

  private:
    template <typename T>
    T* shared() const {
        const auto* held = std::get_if<std::shared_ptr<T>>(&m_data);
        return held ? held->get() : nullptr;
    }

    Data m_data;
};

/// How deep lists and dicts may lie in one another: printing, comparing and freeing them recurses.
constexpr uint32_t kMaxDepth = 128;

/// 0 for scalars, else one more than the deepest element.
uint32_t depthOf(const Value& value);

struct List {
    /// A group is a pair of `groupby`: a tuple whose elements have names.
    enum class Kind { List, Tuple, Group, Range, Keys, Values, Items };
    std::vector<Value> items;
    Kind kind = Kind::List;
    uint32_t depth = 1;

    bool isTuple() const { return kind == Kind::Tuple || kind == Kind::Group; }
};

/// Keys in the order of insertion.
struct Dict {
    std::vector<std::pair<Value, Value>> entries;
    uint32_t depth = 1;

    const Value* find(std::string_view key) const;
};

/// Gives each element once.
struct Generator {
    std::vector<Value> items;
    uint32_t depth = 1;
    size_t next = 0;
};

/// Its attributes may be assigned. Owned by the interpreter, so that a cycle does no harm.
struct Namespace {
    std::vector<std::pair<std::string, Value>> entries;

    Value* find(std::string_view name);
};

struct Scope;
struct ForStatement;

/// The variable `loop` in one round of a loop.
struct Loop {
    std::shared_ptr<const std::vector<Value>> items;
    size_t index = 0;
    uint32_t depth = 1;
    std::weak_ptr<Scope> scope;               ///< that the rounds share
    const ForStatement* recursive = nullptr;  ///< what calling it runs again; null: it cannot be called
    int64_t level = 1;                        ///< runs of a recursive loop that are inside one another
};

class Interpreter;

/// Positional and named arguments of a call.
struct Arguments {
    std::vector<Value> positional;
    std::vector<std::pair<std::string_view, Value>> named;
    Value unpacked;  ///< the dict that holds the names of `named` which came from it
};

/// What can be called: macros, methods of a value, functions.
class Callable {
  public:
    virtual ~Callable() = default;
    virtual Result<Value> call(Interpreter& in, const Arguments& arguments) const = 0;
    virtual std::string_view name() const = 0;
    virtual uint32_t depth() const { return 1; }
    virtual std::optional<Value> attribute(std::string_view /*name*/) const { return std::nullopt; }
};

Value makeText(std::string_view bytes, Origin origin);
Value makeText(Text text);
/// Errors: Unsupported beyond kMaxDepth.
Result<Value> makeList(std::vector<Value> items, List::Kind kind = List::Kind::List);
Result<Value> makeDict(std::vector<std::pair<Value, Value>> entries);
Result<Value> makeGenerator(std::vector<Value> items);

/// Python's name of the value's type.
std::string_view typeName(const Value& value);
bool isTrue(const Value& value);

}  // namespace ingle::chat::jinja
