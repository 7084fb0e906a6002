#include "engine/chat/jinja/interpreter.h"

#include <algorithm>

#include "engine/base/find_text.h"
#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/builtins.h"
#include "engine/chat/jinja/text_operations.h"

namespace ingle::chat::jinja {

Value* Scope::find(std::string_view name) {
    const auto it = std::ranges::find(variables, name, [](const auto& variable) { return variable.first; });
    return it == variables.end() ? nullptr : &it->second;
}

void Scope::set(std::string_view name, Value value) {
    if (Value* held = find(name))
        *held = std::move(value);
    else
        variables.emplace_back(name, std::move(value));
}

Interpreter::Interpreter(const Dict& context, std::tm now, Meter& meter)
    : m_scope(std::make_shared<Scope>()), m_now(now), m_meter(meter) {
    for (const auto& [name, value] : context.entries) m_scope->set(name.text()->bytes(), value);
}

Interpreter::~Interpreter() {
    // Macros hold their scope weakly and namespaces are plain pointers, so nothing is left in a cycle.
    m_scope.reset();
}

Status Interpreter::Step::check() {
    if (m_in.m_depth > kMostDepth)
        return fail(ErrorCode::Unsupported, "the template calls itself or nests more than {} deep",
                    kMostDepth);
    return m_in.spend(kStepCost);
}

Result<Value> Interpreter::lookUp(std::string_view name) {
    size_t numCompared = 0;
    const Value* value = nullptr;
    for (Scope* scope = m_scope.get(); scope && !value; scope = scope->parent.get()) {
        numCompared += scope->variables.size();
        value = scope->find(name);
    }
    INGLE_TRY(spendOnNames(name, numCompared));
    if (value) return *value;
    if (const Builtin* function = findFunction(name)) return boundBuiltin(*function, Value());
    INGLE_TRY(spendOnSentence(name));
    return Value::undefined(fmt::format("'{}' is undefined", shown(name)));
}

Status Interpreter::assign(std::string_view name, Value value) {
    INGLE_TRY(spendOnNames(name, m_scope->variables.size()));
    m_scope->set(name, std::move(value));
    return {};
}

Status Interpreter::reassign(std::string_view name, Value value) {
    for (Scope* scope = m_scope.get(); scope; scope = scope->parent.get()) {
        INGLE_TRY(spendOnNames(name, scope->variables.size()));
        Value* held = scope->find(name);
        if (!held) continue;
        *held = std::move(value);
        return {};
    }
    return fail(ErrorCode::InvalidArgument, "'{}' is undefined", shown(name));
}

Interpreter::Inside::Inside(Interpreter& in, std::shared_ptr<Scope> parent) : m_in(in), m_before(in.m_scope) {
    m_in.m_scope = std::make_shared<Scope>();
    m_in.m_scope->parent = std::move(parent);
}

Interpreter::Inside::~Inside() {
    m_in.m_scope = std::move(m_before);
}

Namespace* Interpreter::makeNamespace() {
    return &m_namespaces.emplace_back();
}

tl::unexpected<Error> Interpreter::textTooLong() {
    return fail(ErrorCode::Unsupported, "the template writes more than {} MiB", kMostText >> 20);
}

Status Interpreter::append(std::vector<Value>& out, const std::vector<Value>& items) {
    // Freeing it is not charged, and asks nobody whether to stop.
    if (out.size() + items.size() > kMostItems)
        return fail(ErrorCode::Unsupported, "a list of the template has more than {} items", kMostItems);
    INGLE_TRY(spend(sizeof(Value) * items.size()));
    out.insert(out.end(), items.begin(), items.end());
    return {};
}

Result<Text> Interpreter::capture(const std::function<Status()>& body) {
    Text outside = std::exchange(m_output, Text());
    const Status status = body();
    Text written = std::exchange(m_output, std::move(outside));
    INGLE_TRY(status);
    return written;
}

Status Interpreter::write(const Value& value) {
    if (!m_escapes || value.number()) return print(m_output, value);
    INGLE_TRY_ASSIGN(const Text text, str(value));
    INGLE_TRY_ASSIGN(const Text escaped, escapeHtml(*this, text));
    return append(m_output, escaped);
}

Status Interpreter::append(Text& out, std::string_view bytes, Origin origin) {
    if (out.size() + bytes.size() > kMostText) return textTooLong();
    INGLE_TRY(spend(bytes.size() + kPieceCost));
    out.append(bytes, origin);
    return {};
}

Status Interpreter::append(Text& out, const Text& text, size_t begin, size_t size) {
    // A slice never has more runs than the whole, nor than bytes.
    if (out.size() + size > kMostText) return textTooLong();
    INGLE_TRY(spend(size + kPieceCost + sizeof(Text::Run) * std::min(size, text.runs().size())));
    out.append(text, begin, size);
    return {};
}

tl::unexpected<Error> Interpreter::undefinedError(const Value& value) {
    const auto* undefined = std::get_if<Undefined>(&value.data());
    const bool isTold = undefined && undefined->why;
    return fail(ErrorCode::InvalidArgument, "{}", isTold ? *undefined->why : "a value is undefined");
}

Result<bool> Interpreter::equal(const Value& left, const Value& right) {
    INGLE_TRY(spend(kCompareCost));
    if (const Text* text = left.text()) {
        INGLE_TRY(spend(text->size() / 16));
        return right.text() && right.text()->bytes() == text->bytes();
    }
    if (const auto number = left.number()) {
        const auto integer = left.integer();
        const auto other = right.integer();
        if (integer && other) return *integer == *other;
        return right.number() == number;
    }
    if (const List* list = left.list()) {
        const List* other = right.list();
        if (!other || list->kind != other->kind || list->items.size() != other->items.size()) return false;
        for (size_t i = 0; i < list->items.size(); ++i) {
            INGLE_TRY_ASSIGN(const bool same, equal(list->items[i], other->items[i]));
            if (!same) return false;
        }
        return true;
    }
    if (const Dict* dict = left.dict()) {
        const Dict* other = right.dict();
        if (!other || dict->entries.size() != other->entries.size()) return false;
        for (const auto& [key, value] : dict->entries) {
            INGLE_TRY_ASSIGN(const Value* found, findKey(*other, key));
            if (!found) return false;
            INGLE_TRY_ASSIGN(const bool same, equal(value, *found));
            if (!same) return false;
        }
        return true;
    }
    return left.data() == right.data();
}

Result<const Value*> Interpreter::findKey(const Dict& dict, const Value& key) {
    if (const Text* text = key.text()) {
        INGLE_TRY(spendOnNames(text->bytes(), dict.entries.size()));
        return dict.find(text->bytes());
    }
    for (const auto& [name, value] : dict.entries) {
        INGLE_TRY_ASSIGN(const bool same, equal(name, key));
        if (same) return &value;
    }
    return nullptr;
}

namespace {

/// Tuples may be keys where all of their elements may.
bool canBeKey(const Value& value) {
    const List* list = value.list();
    if (list && list->isTuple()) return std::ranges::all_of(list->items, canBeKey);
    return !list && !value.dict() && !value.isUndefined();
}

}  // namespace

Status Interpreter::insert(Dict& dict, Value key, Value value) {
    if (key.list()) INGLE_TRY(spend(key.list()->items.size()));
    if (!canBeKey(key))
        return fail(ErrorCode::InvalidArgument, "'{}' object cannot be the key of a dict", typeName(key));
    for (auto& [name, held] : dict.entries) {
        INGLE_TRY_ASSIGN(const bool same, equal(name, key));
        if (!same) continue;
        held = std::move(value);
        return {};
    }
    dict.entries.emplace_back(std::move(key), std::move(value));
    return {};
}

Result<bool> Interpreter::less(const Value& left, const Value& right) {
    INGLE_TRY(spend(kCompareCost));
    if (left.isUndefined()) return undefinedError(left);
    if (right.isUndefined()) return undefinedError(right);
    if (left.integer() && right.integer()) return *left.integer() < *right.integer();
    if (left.number() && right.number()) return *left.number() < *right.number();
    if (left.text() && right.text()) {
        INGLE_TRY(spend(std::min(left.text()->size(), right.text()->size()) / 16));
        return left.text()->bytes() < right.text()->bytes();
    }
    const List* first = left.list();
    const List* second = right.list();
    if (first && second && first->kind == second->kind) {
        for (size_t i = 0; i < std::min(first->items.size(), second->items.size()); ++i) {
            INGLE_TRY_ASSIGN(const bool same, equal(first->items[i], second->items[i]));
            if (!same) return less(first->items[i], second->items[i]);
        }
        return first->items.size() < second->items.size();
    }
    return fail(ErrorCode::InvalidArgument, "'{}' and '{}' have no order", typeName(left), typeName(right));
}

Result<bool> Interpreter::lessOrEqual(const Value& left, const Value& right) {
    INGLE_TRY_ASSIGN(const bool isGreater, less(right, left));
    // NaN is neither.
    const bool isOrdered = !left.number() || !right.number() || *left.number() <= *right.number();
    return !isGreater && isOrdered;
}

Result<bool> Interpreter::contains(const Value& container, const Value& element) {
    if (const Text* text = container.text()) {
        const Text* part = element.text();
        if (!part)
            return fail(ErrorCode::InvalidArgument, "'in' looks for a str in a str, not for '{}'",
                        typeName(element));
        INGLE_TRY(spend(text->size() + part->size()));
        return base::findText(text->bytes(), part->bytes()) != std::string_view::npos;
    }
    if (const Dict* dict = container.dict()) {
        INGLE_TRY_ASSIGN(const Value* found, findKey(*dict, element));
        return found != nullptr;
    }
    if (const List* list = container.list()) {
        for (const Value& each : list->items) {
            INGLE_TRY_ASSIGN(const bool same, equal(each, element));
            if (same) return true;
        }
        return false;
    }
    INGLE_TRY_ASSIGN(const std::vector<Value> items, iterate(container));
    for (const Value& each : items) {
        INGLE_TRY_ASSIGN(const bool same, equal(each, element));
        if (same) return true;
    }
    return false;
}

Result<std::vector<Value>> Interpreter::iterate(const Value& value) {
    std::vector<Value> items;
    if (value.isUndefined()) return items;
    if (const List* list = value.list()) {
        INGLE_TRY(spend(sizeof(Value) * list->items.size()));
        return list->items;
    }
    if (const Dict* dict = value.dict()) {
        INGLE_TRY(spend(sizeof(Value) * dict->entries.size()));
        for (const auto& [key, held] : dict->entries) items.push_back(key);
        return items;
    }
    if (Generator* generator = value.generator()) {
        INGLE_TRY(spend(sizeof(Value) * generator->items.size()));
        items.assign(generator->items.begin() + static_cast<ptrdiff_t>(generator->next),
                     generator->items.end());
        generator->next = generator->items.size();
        return items;
    }
    if (const Text* text = value.text()) {
        INGLE_TRY(spend(Characters::cost(text->bytes())));
        const Characters characters(text->bytes());
        for (size_t i = 0; i < characters.count(); ++i) {
            // Two pieces of memory each, which are given back as well.
            INGLE_TRY(spend(sizeof(Value) + 4 * sizeof(Text)));
            items.push_back(makeText(text->slice(characters.start(i), characters.size(i))));
        }
        return items;
    }
    return fail(ErrorCode::InvalidArgument, "'{}' object is not iterable", typeName(value));
}

Result<int64_t> Interpreter::length(const Value& value) {
    if (value.isUndefined()) return 0;
    if (const List* list = value.list()) return static_cast<int64_t>(list->items.size());
    if (const Dict* dict = value.dict()) return static_cast<int64_t>(dict->entries.size());
    if (const Loop* loop = value.loop()) return static_cast<int64_t>(loop->items->size());
    if (const Text* text = value.text()) {
        INGLE_TRY(spend(text->size()));
        return static_cast<int64_t>(countCharacters(text->bytes()));
    }
    return fail(ErrorCode::InvalidArgument, "object of type '{}' has no length", typeName(value));
}

Result<Value> Interpreter::call(const Value& callee, const Arguments& arguments) {
    if (callee.isUndefined()) return undefinedError(callee);
    if (const Loop* loop = callee.loop()) return runAgain(*this, *loop, arguments);
    const Callable* callable = callee.callable();
    if (!callable) return fail(ErrorCode::InvalidArgument, "'{}' object is not callable", typeName(callee));
    return callable->call(*this, arguments);
}

}  // namespace ingle::chat::jinja
