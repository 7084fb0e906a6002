#include "engine/chat/jinja/from_json.h"

#include <limits>

namespace ingle::chat::jinja {
namespace {

Result<Value> convert(const nlohmann::ordered_json& json, uint32_t depth) {
    if (depth > kMaxDepth)
        return fail(ErrorCode::Unsupported, "lists and dicts are nested more than {} deep", kMaxDepth);
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()})
        return json.get<double>();
    if (json.is_number_integer()) return json.get<int64_t>();
    if (json.is_number()) return json.get<double>();
    if (json.is_string()) return makeText(json.get_ref<const std::string&>(), Origin::Message);
    if (json.is_array()) {
        std::vector<Value> items;
        for (const auto& element : json) {
            INGLE_TRY_ASSIGN(Value item, convert(element, depth + 1));
            items.push_back(std::move(item));
        }
        return makeList(std::move(items));
    }
    if (json.is_object()) {
        std::vector<std::pair<Value, Value>> entries;
        for (const auto& [key, element] : json.items()) {
            INGLE_TRY_ASSIGN(Value value, convert(element, depth + 1));
            entries.emplace_back(makeText(key, Origin::Message), std::move(value));
        }
        return makeDict(std::move(entries));
    }
    return None{};
}

}  // namespace

Result<Value> fromJson(const nlohmann::ordered_json& json) {
    return convert(json, 1);
}

}  // namespace ingle::chat::jinja
