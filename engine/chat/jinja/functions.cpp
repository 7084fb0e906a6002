// Functions every template may call: Jinja's own and the two Hugging Face adds for chat templates.
#include <algorithm>
#include <ctime>

#include "engine/chat/jinja/builtins.h"

namespace ingle::chat::jinja {
namespace {

/// As long as jinja2's sandbox allows.
constexpr int64_t kMaxRange = 100'000;

Result<Value> range(const Call& call) {
    int64_t bounds[3] = {0, 0, 1};
    const auto& given = call.all.positional;
    if (given.empty() || given.size() > 3)
        return fail(ErrorCode::InvalidArgument, "'range' wants one to three numbers");
    for (size_t i = 0; i < given.size(); ++i) {
        const auto number = given[i].integer();
        if (!number)
            return fail(ErrorCode::InvalidArgument, "'range' wants whole numbers, not '{}'",
                        typeName(given[i]));
        bounds[given.size() == 1 ? 1 : i] = *number;
    }
    const auto [start, stop, step] = bounds;
    if (step == 0) return fail(ErrorCode::InvalidArgument, "the step of 'range' is 0");
    std::vector<Value> items;
    for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
        if (static_cast<int64_t>(items.size()) == kMaxRange)
            return fail(ErrorCode::Unsupported, "a range has more than {} elements", kMaxRange);
        INGLE_TRY(call.in.spend(sizeof(Value)));
        items.emplace_back(i);
        if (__builtin_add_overflow(i, step, &i)) break;
    }
    return makeList(std::move(items), List::Kind::Range);
}

Result<Value> makeNamespace(const Call& call) {
    INGLE_TRY(call.in.spend(sizeof(Namespace)));
    Namespace* space = call.in.makeNamespace();
    for (const Value& value : call.all.positional) {
        const Dict* dict = value.dict();
        if (!dict)
            return fail(ErrorCode::InvalidArgument, "'namespace' wants a dict, not '{}'", typeName(value));
        INGLE_TRY(call.in.spend(sizeof(space->entries[0]) * dict->entries.size()));
        for (const auto& [key, held] : dict->entries) {
            if (!key.text()) continue;
            INGLE_TRY(call.in.spend(key.text()->size()));
            space->entries.emplace_back(key.text()->bytes(), held);
        }
    }
    for (const auto& [name, value] : call.all.named) space->entries.emplace_back(name, value);
    return space;
}

Result<Value> makeDictValue(const Call& call) {
    Dict dict;
    for (const Value& value : call.all.positional) {
        const Dict* from = value.dict();
        if (!from) return fail(ErrorCode::InvalidArgument, "'dict' wants a dict, not '{}'", typeName(value));
        INGLE_TRY(call.in.spend(2 * sizeof(Value) * from->entries.size()));
        dict.entries = from->entries;
    }
    for (const auto& [name, value] : call.all.named)
        INGLE_TRY(call.in.insert(dict, makeText(name, Origin::Template), value));
    return makeDict(std::move(dict.entries));
}

/// cycler(a, b): gives one value after the other, and begins again.
class Cycler final : public Callable {
  public:
    static std::shared_ptr<const Callable> make(std::vector<Value> values) {
        return std::make_shared<Cycler>(std::make_shared<State>(State{std::move(values), 0}), Part::Whole);
    }
    struct State {
        std::vector<Value> values;
        size_t at;
    };
    enum class Part { Whole, Next, Reset };
    Cycler(std::shared_ptr<State> state, Part part) : m_state(std::move(state)), m_part(part) {}

    std::string_view name() const override { return "cycler"; }
    uint32_t depth() const override {
        uint32_t deepest = 0;
        for (const Value& value : m_state->values) deepest = std::max(deepest, depthOf(value));
        return deepest + 1;
    }
    Result<Value> call(Interpreter& /*in*/, const Arguments& /*arguments*/) const override {
        if (m_part == Part::Whole) return fail(ErrorCode::InvalidArgument, "'cycler' object is not callable");
        const size_t at = m_state->at;
        m_state->at = m_part == Part::Next ? (at + 1) % m_state->values.size() : 0;
        return m_part == Part::Next ? m_state->values[at] : Value(None{});
    }
    std::optional<Value> attribute(std::string_view name) const override {
        const auto method = [this](Part part) {
            return Value(std::shared_ptr<const Callable>(std::make_shared<Cycler>(m_state, part)));
        };
        if (m_part != Part::Whole) return std::nullopt;
        if (name == "current") return m_state->values[m_state->at];
        if (name == "next") return method(Part::Next);
        if (name == "reset") return method(Part::Reset);
        return std::nullopt;
    }

  private:
    std::shared_ptr<State> m_state;
    Part m_part;
};

Result<Value> makeCycler(const Call& call) {
    if (call.all.positional.empty())
        return fail(ErrorCode::InvalidArgument, "'cycler' wants something to cycle through");
    INGLE_TRY(call.in.spend(sizeof(Value) * call.all.positional.size()));
    INGLE_TRY(makeList(call.all.positional));  // which checks how deep they are
    return Cycler::make(call.all.positional);
}

/// joiner(separator): nothing the first time that it is called, then the separator.
class Joiner final : public Callable {
  public:
    explicit Joiner(Value separator) : m_separator(std::move(separator)) {}

    std::string_view name() const override { return "joiner"; }
    uint32_t depth() const override { return depthOf(m_separator) + 1; }
    Result<Value> call(Interpreter& /*in*/, const Arguments& /*arguments*/) const override {
        return std::exchange(m_isUsed, true) ? m_separator : makeText(Text());
    }

  private:
    Value m_separator;
    mutable bool m_isUsed = false;
};

Result<Value> makeJoiner(const Call& call) {
    Value separator = call.arguments[0] ? *call.arguments[0] : makeText(", ", Origin::Template);
    INGLE_TRY(makeList({separator}));
    return std::shared_ptr<const Callable>(std::make_shared<Joiner>(std::move(separator)));
}

Result<Value> raiseException(const Call& call) {
    INGLE_TRY_ASSIGN(const Text message, call.in.str(*call.arguments[0]));
    return fail(ErrorCode::InvalidArgument, "{}", shown(message.bytes()));
}

/// One directive of strftime at a time, so that no width can be given.
Result<Value> strftimeNow(const Call& call) {
    INGLE_TRY_ASSIGN(const Text* format, textArgument(call, 0));
    if (!format) return fail(ErrorCode::InvalidArgument, "'strftime_now' wants a format");
    constexpr std::string_view kDirectives = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%";
    constexpr size_t kDirectiveCost = 512;
    const std::string_view bytes = format->bytes();
    Text out;
    for (size_t at = 0; at < bytes.size(); ++at) {
        const bool isDirective =
            bytes[at] == '%' && at + 1 < bytes.size() && kDirectives.find(bytes[at + 1]) != bytes.npos;
        if (!isDirective) {
            INGLE_TRY(call.in.append(out, *format, at, 1));
            continue;
        }
        INGLE_TRY(call.in.spend(kDirectiveCost));
        const std::string directive{'%', bytes[++at]};
        char text[128];
        const size_t size = std::strftime(text, sizeof text, directive.c_str(), &call.in.now());
        INGLE_TRY(call.in.append(out, {text, size}, Origin::Template));
    }
    return makeText(std::move(out));
}

constexpr Builtin kFunctions[] = {
    {"range", range, {}, 0, true},
    {"namespace", makeNamespace, {}, 0, true},
    {"dict", makeDictValue, {}, 0, true},
    {"cycler", makeCycler, {}, 0, true},
    {"joiner", makeJoiner, {"sep"}},
    {"raise_exception", raiseException, {"message"}, 1},
    {"strftime_now", strftimeNow, {"format"}, 1},
};

}  // namespace

std::span<const Builtin> functions() {
    return kFunctions;
}

const Builtin* findFunction(std::string_view name) {
    return findIn(kFunctions, name);
}

}  // namespace ingle::chat::jinja
