#include "engine/chat/dialects/nested_values.h"

#include <algorithm>
#include <optional>

#include "engine/chat/dialects/written_values.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;

struct NestedForm {
    std::string_view begin, middle, end;  ///< before the key, behind it, and before the second one
    std::string_view last;

    explicit NestedForm(std::string_view pattern) {
        const auto upTo = [&pattern](std::string_view slot) {
            const std::string_view text = pattern.substr(0, pattern.find(slot));
            pattern.remove_prefix(std::min(text.size() + slot.size(), pattern.size()));
            return text;
        };
        begin = upTo("{key}");
        middle = upTo("{nested}");
        end = upTo("{key}");
        last = pattern;
    }
};

const json* memberSchema(const json* schema, const std::string& key) {
    if (!schema || !schema->is_object()) return nullptr;
    if (key == "item" && schema->contains("items")) return &schema->at("items");
    const auto properties = schema->find("properties");
    if (properties == schema->end() || !properties->is_object()) return nullptr;
    const auto found = properties->find(key);
    return found == properties->end() ? nullptr : &*found;
}

/// Takes a parameter's value off, up to the end that belongs to it.
std::optional<std::string_view> takeInner(std::string_view& rest, const std::string& open,
                                          const std::string& close) {
    size_t depth = 1, at = 0;
    for (;;) {
        const size_t next = rest.find(close, at), inner = rest.find(open, at);
        if (next == rest.npos) return std::nullopt;
        if (inner < next) {
            ++depth;
            at = inner + open.size();
            continue;
        }
        at = next + close.size();
        if (--depth > 0) continue;
        const std::string_view value = rest.substr(0, next);
        rest.remove_prefix(at);
        return value;
    }
}

std::string valueOf(std::string_view written, const NestedForm& form, const json* schema, int depth) {
    constexpr int kMostDepth = 32;
    const auto asItIs = [&] { return typedValue(written, schema); };
    std::string_view rest = written;
    skipBlanks(rest);
    if (!rest.starts_with(form.begin) || depth > kMostDepth || (schema && isTextParameter(*schema)))
        return asItIs();
    std::string object, list;
    bool isList = true;
    for (; !rest.empty(); skipBlanks(rest)) {
        if (!rest.starts_with(form.begin)) return asItIs();
        rest.remove_prefix(form.begin.size());
        const size_t keyEnd = rest.find(form.middle);
        if (keyEnd == rest.npos) return asItIs();
        const std::string key(rest.substr(0, keyEnd));
        rest.remove_prefix(keyEnd + form.middle.size());
        const auto text = [&](std::string_view before, std::string_view after) {
            return std::string(before) + key + std::string(after);
        };
        const auto inner = takeInner(rest, text(form.begin, form.middle), text(form.end, form.last));
        if (!inner) return asItIs();
        const std::string value = valueOf(*inner, form, memberSchema(schema, key), depth + 1);
        isList = isList && key == "item";
        object += (object.empty() ? "" : ",") + jsonString(key) + ':' + value;
        list += (list.empty() ? "" : ",") + value;
    }
    return isList ? '[' + list + ']' : '{' + object + '}';
}

}  // namespace

std::string nestedValue(std::string_view written, std::string_view parameter, const json* schema) {
    return valueOf(written, NestedForm(parameter), schema, 0);
}

}  // namespace ingle::chat
