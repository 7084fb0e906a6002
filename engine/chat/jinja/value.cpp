#include "engine/chat/jinja/value.h"

#include <algorithm>

namespace ingle::chat::jinja {
namespace {

Result<uint32_t> depthAround(uint32_t deepest) {
    if (deepest >= kMaxDepth)
        return fail(ErrorCode::Unsupported, "lists and dicts are nested more than {} deep", kMaxDepth);
    return deepest + 1;
}

Result<uint32_t> depthAround(const std::vector<Value>& items) {
    uint32_t deepest = 0;
    for (const Value& item : items) deepest = std::max(deepest, depthOf(item));
    return depthAround(deepest);
}

}  // namespace

std::optional<int64_t> Value::integer() const {
    if (const auto* held = std::get_if<int64_t>(&m_data)) return *held;
    if (const bool* held = boolean()) return *held ? 1 : 0;
    return std::nullopt;
}

std::optional<double> Value::number() const {
    if (const auto* held = std::get_if<double>(&m_data)) return *held;
    if (const auto held = integer()) return static_cast<double>(*held);
    return std::nullopt;
}

uint32_t depthOf(const Value& value) {
    if (const List* list = value.list()) return list->depth;
    if (const Dict* dict = value.dict()) return dict->depth;
    if (const Generator* generator = value.generator()) return generator->depth;
    if (const Loop* loop = value.loop()) return loop->depth;
    if (const Callable* callable = value.callable()) return callable->depth();
    return 0;
}

const Value* Dict::find(std::string_view key) const {
    for (const auto& [name, value] : entries)
        if (const Text* text = name.text(); text && text->bytes() == key) return &value;
    return nullptr;
}

Value* Namespace::find(std::string_view name) {
    const auto it = std::ranges::find(entries, name, [](const auto& entry) { return entry.first; });
    return it == entries.end() ? nullptr : &it->second;
}

Value makeText(std::string_view bytes, Origin origin) {
    return std::make_shared<const Text>(bytes, origin);
}

Value makeText(Text text) {
    return std::make_shared<const Text>(std::move(text));
}

Result<Value> makeList(std::vector<Value> items, List::Kind kind) {
    INGLE_TRY_ASSIGN(const uint32_t depth, depthAround(items));
    return std::make_shared<const List>(List{std::move(items), kind, depth});
}

Result<Value> makeDict(std::vector<std::pair<Value, Value>> entries) {
    uint32_t deepest = 0;
    for (const auto& [key, value] : entries) deepest = std::max({deepest, depthOf(key), depthOf(value)});
    INGLE_TRY_ASSIGN(const uint32_t depth, depthAround(deepest));
    return std::make_shared<const Dict>(Dict{std::move(entries), depth});
}

Result<Value> makeGenerator(std::vector<Value> items) {
    INGLE_TRY_ASSIGN(const uint32_t depth, depthAround(items));
    return std::make_shared<Generator>(Generator{std::move(items), depth});
}

std::string_view typeName(const Value& value) {
    struct Visitor {
        std::string_view operator()(const Undefined&) const { return "Undefined"; }
        std::string_view operator()(None) const { return "NoneType"; }
        std::string_view operator()(bool) const { return "bool"; }
        std::string_view operator()(int64_t) const { return "int"; }
        std::string_view operator()(double) const { return "float"; }
        std::string_view operator()(const std::shared_ptr<const Text>&) const { return "str"; }
        std::string_view operator()(const std::shared_ptr<const List>& list) const {
            switch (list->kind) {
                case List::Kind::List:
                    break;
                case List::Kind::Tuple:
                case List::Kind::Group:
                    return "tuple";
                case List::Kind::Range:
                    return "range";
                case List::Kind::Keys:
                    return "dict_keys";
                case List::Kind::Values:
                    return "dict_values";
                case List::Kind::Items:
                    return "dict_items";
            }
            return "list";
        }
        std::string_view operator()(const std::shared_ptr<const Dict>&) const { return "dict"; }
        std::string_view operator()(const std::shared_ptr<Generator>&) const { return "generator"; }
        std::string_view operator()(const std::shared_ptr<const Loop>&) const { return "LoopContext"; }
        std::string_view operator()(const std::shared_ptr<const Callable>&) const { return "function"; }
        std::string_view operator()(const Namespace*) const { return "Namespace"; }
    };
    return std::visit(Visitor{}, value.data());
}

bool isTrue(const Value& value) {
    if (value.isUndefined() || value.isNone()) return false;
    if (const Text* text = value.text()) return !text->empty();
    if (const List* list = value.list()) return !list->items.empty();
    if (const Dict* dict = value.dict()) return !dict->entries.empty();
    if (const auto number = value.number()) return *number != 0;
    return true;
}

}  // namespace ingle::chat::jinja
