/// Runs a template: variables, output, limits, and Python's operations on values.
#pragma once

#include <ctime>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/chat/jinja/meter.h"
#include "engine/chat/jinja/value.h"

namespace ingle::chat::jinja {

/// Variables of a block; the block around it is the parent.
struct Scope {
    std::shared_ptr<Scope> parent;
    std::vector<std::pair<std::string_view, Value>> variables;  ///< names live in the tree or the context

    Value* find(std::string_view name);
    void set(std::string_view name, Value value);
};

/// One rendering. One thread.
class Interpreter {
  public:
    /// `meter` must outlive this.
    Interpreter(const Dict& context, std::tm now, Meter& meter);
    ~Interpreter();

    // Limits. Errors: Unsupported, one sentence; Cancelled.
    Status spend(size_t work) { return m_meter.spend(work); }
    /// Appends to a list that is made of others.
    Status append(std::vector<Value>& out, const std::vector<Value>& items);
    /// On a sentence about that name.
    Status spendOnSentence(std::string_view name) {
        return spend(kCharacterCost * std::min(name.size(), 4 * kShownCharacters));
    }
    /// On comparing a name with those of `count` variables, attributes or keys.
    Status spendOnNames(std::string_view name, size_t count) { return spend(count * (1 + name.size() / 16)); }
    /// One node of the tree is being run while this exists.
    class Step {
      public:
        explicit Step(Interpreter& in) : m_in(in) { ++m_in.m_depth; }
        ~Step() { --m_in.m_depth; }
        Step(const Step&) = delete;
        Step& operator=(const Step&) = delete;
        Status check();

      private:
        Interpreter& m_in;
    };

    // Variables.
    Result<Value> lookUp(std::string_view name);
    Status assign(std::string_view name, Value value);
    /// Gives a variable that exists, in whichever block, another value. Errors: InvalidArgument.
    Status reassign(std::string_view name, Value value);
    const std::shared_ptr<Scope>& scope() const { return m_scope; }
    /// A new scope inside `parent` until it is destroyed.
    class Inside {
      public:
        Inside(Interpreter& in, std::shared_ptr<Scope> parent);
        ~Inside();
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

      private:
        Interpreter& m_in;
        std::shared_ptr<Scope> m_before;
    };
    Namespace* makeNamespace();
    /// Whether what is written is escaped for HTML: inside of {% autoescape true %}.
    bool escapes() const { return m_escapes; }
    class Escaping {
      public:
        Escaping(Interpreter& in, bool escapes) : m_in(in), m_before(std::exchange(in.m_escapes, escapes)) {}
        ~Escaping() { m_in.m_escapes = m_before; }
        Escaping(const Escaping&) = delete;
        Escaping& operator=(const Escaping&) = delete;

      private:
        Interpreter& m_in;
        bool m_before;
    };
    const std::tm& now() const { return m_now; }

    // Output.
    Status write(std::string_view bytes, Origin origin) { return append(m_output, bytes, origin); }
    Status write(const Value& value);
    /// Runs `body` and returns what it wrote.
    Result<Text> capture(const std::function<Status()>& body);
    Text takeOutput() { return std::move(m_output); }

    // Text.
    /// Appends within the budget.
    Status append(Text& out, std::string_view bytes, Origin origin);
    Status append(Text& out, const Text& text, size_t begin, size_t size);
    Status append(Text& out, const Text& text) { return append(out, text, 0, text.size()); }
    /// str(value), and repr(value) as it stands inside lists.
    Result<Text> str(const Value& value);
    Status print(Text& out, const Value& value);
    Status printRepr(Text& out, const Value& value);

    // Python's operations.
    Result<bool> equal(const Value& left, const Value& right);
    /// left < right. Errors: InvalidArgument for types without an order.
    Result<bool> less(const Value& left, const Value& right);
    Result<bool> lessOrEqual(const Value& left, const Value& right);
    Result<bool> contains(const Value& container, const Value& element);
    /// The elements of a value, copied; a generator is used up. Errors: InvalidArgument.
    Result<std::vector<Value>> iterate(const Value& value);
    /// len(value). Errors: InvalidArgument.
    Result<int64_t> length(const Value& value);
    Result<Value> attribute(const Value& object, std::string_view name);
    Result<Value> item(const Value& object, const Value& index);
    /// Null when the dict lacks the key.
    Result<const Value*> findKey(const Dict& dict, const Value& key);
    /// dict[key] = value
    Status insert(Dict& dict, Value key, Value value);
    Result<Value> call(const Value& callee, const Arguments& arguments);

    /// The error for something that is used although it is not defined.
    static tl::unexpected<Error> undefinedError(const Value& value);

  private:
    static constexpr size_t kStepCost = 128;
    static constexpr size_t kCharacterCost = 16;           ///< of one that is escaped
    static constexpr size_t kPieceCost = 8;                ///< of a piece of text, beside its bytes
    static constexpr size_t kCompareCost = 32;             ///< of two values
    static constexpr size_t kMostText = size_t{8} << 20;   ///< bytes of any text, the output's too
    static constexpr size_t kMostItems = size_t{1} << 19;  ///< of a list that is made of others
    /// Nodes of the tree inside one another, macros included.
    static constexpr uint32_t kMostDepth = 400;

    /// On looking for an item of that name.
    Status spendOnItems(const Value& object, std::string_view name);
    static tl::unexpected<Error> textTooLong();

    std::shared_ptr<Scope> m_scope;
    std::deque<Namespace> m_namespaces;
    std::tm m_now;
    Meter& m_meter;
    uint32_t m_depth = 0;
    bool m_escapes = false;
    Text m_output;
};

// Operators of the grammar.
Result<Value> add(Interpreter& in, const Value& left, const Value& right);
Result<Value> subtract(Interpreter& in, const Value& left, const Value& right);
Result<Value> multiply(Interpreter& in, const Value& left, const Value& right);
Result<Value> divide(Interpreter& in, const Value& left, const Value& right);
Result<Value> floorDivide(Interpreter& in, const Value& left, const Value& right);
Result<Value> modulo(Interpreter& in, const Value& left, const Value& right);
Result<Value> power(Interpreter& in, const Value& left, const Value& right);

/// Python's `format % values`. Errors: InvalidArgument.
Result<Value> formatPercent(Interpreter& in, const Text& format, const std::vector<Value>& values);

/// Python's format.format(arguments). Errors: InvalidArgument.
Result<Value> formatBraces(Interpreter& in, const Text& format, const Arguments& arguments);

struct JsonStyle {
    std::optional<Text> indent;  ///< nothing: all on one line
    Text itemSeparator, keySeparator;
    bool asciiOnly = false;
    bool sortKeys = false;
};
/// json.dumps(value). Errors: InvalidArgument for what JSON cannot hold.
Status printJson(Interpreter& in, Text& out, const Value& value, const JsonStyle& style);
/// Quotes `text` as a JSON string.
Status printJsonString(Interpreter& in, Text& out, const Text& text, bool asciiOnly);

/// Python's repr of a float: the shortest digits that give it back.
std::string floatRepr(double value);

}  // namespace ingle::chat::jinja
