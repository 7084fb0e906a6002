#include "engine/formats/checkpoint/json_flattener.h"

namespace ingle::formats {
namespace {

std::string nameOf(std::span<const JsonStep> path) {
    std::string name;
    for (const JsonStep& step : path) {
        if (!name.empty()) name += '.';
        name += step.isIndex ? std::to_string(step.index) : step.key;
    }
    return name;
}

MetaValue held(const JsonValue& value) {
    if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* number = std::get_if<uint64_t>(&value)) return *number;
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    return std::get<int64_t>(value);
}

}  // namespace

Status JsonFlattener::key(const JsonPath& path) {
    const std::string name = nameOf(path);
    m_values.erase(name);
    m_nulls.erase(name);
    return {};
}

Status JsonFlattener::value(const JsonPath& path, const JsonValue& value) {
    const bool isNull = std::holds_alternative<std::nullptr_t>(value);
    if (isNull && !path.back().isIndex) m_nulls.insert(nameOf(path));
    if (isNull) return {};
    if (path.back().isIndex)
        append(nameOf(std::span(path).first(path.size() - 1)), held(value));
    else
        m_values.insert_or_assign(nameOf(path), held(value));
    return {};
}

void JsonFlattener::emptyArray(const JsonPath& path) {
    if (!path.back().isIndex) m_nulls.insert(nameOf(path));
}

Metadata JsonFlattener::take() {
    Metadata metadata;
    for (auto& [key, value] : m_values) metadata.set(key, std::move(value));
    return metadata;
}

void JsonFlattener::append(const std::string& name, const MetaValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return push<std::string>(name, *text);
    if (const auto* number = std::get_if<double>(&value)) return push<double>(name, *number);
    if (const auto* flag = std::get_if<bool>(&value)) return push<int64_t>(name, *flag ? 1 : 0);
    const auto* number = std::get_if<int64_t>(&value);
    if (!number) return;  // beyond the range of any number of ours
    if (std::holds_alternative<std::vector<double>>(m_values[name]))
        push<double>(name, static_cast<double>(*number));
    else
        push<int64_t>(name, *number);
}

template <typename T>
void JsonFlattener::push(const std::string& name, T value) {
    MetaValue& list = m_values[name];
    if (!std::holds_alternative<std::vector<T>>(list)) {
        std::vector<T> begun;
        // Whole numbers among others are such numbers, too.
        if constexpr (std::is_same_v<T, double>) {
            if (const auto* integers = std::get_if<std::vector<int64_t>>(&list))
                begun.assign(integers->begin(), integers->end());
        }
        list = std::move(begun);
    }
    std::get<std::vector<T>>(list).push_back(std::move(value));
}

Result<Metadata> flattenJson(std::string_view text) {
    JsonFlattener flattener;
    INGLE_TRY(walkJson(text, flattener));
    return flattener.take();
}

}  // namespace ingle::formats
