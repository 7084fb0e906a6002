#include <charconv>
#include <cmath>
#include <limits>

#include "engine/formats/model_file.h"

namespace ingle::formats {
namespace {

std::string_view typeName(const MetaValue& value) {
    struct Visitor {
        std::string_view operator()(int64_t) const { return "an integer"; }
        std::string_view operator()(uint64_t) const { return "an integer"; }
        std::string_view operator()(double) const { return "a number"; }
        std::string_view operator()(bool) const { return "a bool"; }
        std::string_view operator()(const std::string&) const { return "a string"; }
        std::string_view operator()(const std::vector<int64_t>&) const { return "an array of integers"; }
        std::string_view operator()(const std::vector<double>&) const { return "an array of numbers"; }
        std::string_view operator()(const std::vector<std::string>&) const { return "an array of strings"; }
    };
    return std::visit(Visitor{}, value);
}

Result<uint32_t> toU32(std::string_view key, const MetaValue& value) {
    constexpr uint64_t kMax = std::numeric_limits<uint32_t>::max();
    if (const auto* number = std::get_if<int64_t>(&value)) {
        if (*number >= 0 && static_cast<uint64_t>(*number) <= kMax) return static_cast<uint32_t>(*number);
        return fail(ErrorCode::Corrupt, "key '{}' is {}, which is not a 32-bit count", key, *number);
    }
    if (const auto* number = std::get_if<uint64_t>(&value))
        return fail(ErrorCode::Corrupt, "key '{}' is {}, which is not a 32-bit count", key, *number);
    return fail(ErrorCode::Corrupt, "key '{}' is {} where an integer belongs", key, typeName(value));
}

Result<float> toF32(std::string_view key, const MetaValue& value) {
    double number = 0;
    if (const auto* asDouble = std::get_if<double>(&value))
        number = *asDouble;
    else if (const auto* asInt = std::get_if<int64_t>(&value))
        number = static_cast<double>(*asInt);
    else if (const auto* asUint = std::get_if<uint64_t>(&value))
        number = static_cast<double>(*asUint);
    else
        return fail(ErrorCode::Corrupt, "key '{}' is {} where a number belongs", key, typeName(value));
    if (!(std::abs(number) <= std::numeric_limits<float>::max()))
        return fail(ErrorCode::Corrupt, "key '{}' is {}, which is not a finite 32-bit float", key, number);
    return static_cast<float>(number);
}

template <typename T>
Result<T> as(std::string_view key, const MetaValue& value, std::string_view expected) {
    if (const auto* held = std::get_if<T>(&value)) return *held;
    return fail(ErrorCode::Corrupt, "key '{}' is {} where {} belongs", key, typeName(value), expected);
}

template <typename T>
std::optional<T> parseWhole(const std::string& text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<bool> parseBool(const std::string& text) {
    if (text == "true") return true;
    if (text == "false") return false;
    return std::nullopt;
}

std::optional<MetaValue> parseInteger(const std::string& text) {
    if (const auto value = parseWhole<int64_t>(text)) return MetaValue(*value);
    if (const auto value = parseWhole<uint64_t>(text)) return MetaValue(*value);
    return std::nullopt;
}

/// Without a present value the first type that fits is taken.
std::optional<MetaValue> parseLike(const MetaValue* present, const std::string& text) {
    const auto may = [&](auto... types) {
        return !present || (std::holds_alternative<decltype(types)>(*present) || ...);
    };
    if (may(int64_t{}, uint64_t{})) {
        if (auto value = parseInteger(text)) return value;
    }
    if (may(double{})) {
        if (const auto value = parseWhole<double>(text)) return MetaValue(*value);
    }
    if (may(bool{})) {
        if (const auto value = parseBool(text)) return MetaValue(*value);
    }
    if (may(std::string{})) return MetaValue(text);
    return std::nullopt;
}

}  // namespace

void Metadata::set(std::string key, MetaValue value) {
    m_values.insert_or_assign(std::move(key), std::move(value));
}

Status Metadata::override_(const std::string& key, const std::string& text) {
    std::string fullKey = key;
    const std::string architecture = stringOr("general.architecture", "").value_or("");
    const bool isFull = key.starts_with("general.") || key.starts_with("tokenizer.") ||
                        (!architecture.empty() && key.starts_with(architecture + "."));
    if (!isFull) {
        if (architecture.empty())
            return fail(ErrorCode::InvalidArgument,
                        "'{}' needs a full key, since the file names no architecture", key);
        fullKey = fmt::format("{}.{}", architecture, key);
    }
    const MetaValue* present = find(fullKey);
    auto value = parseLike(present, text);
    if (!value)
        return fail(ErrorCode::InvalidArgument, "'{}' cannot be set to '{}': it is {}", shown(fullKey), text,
                    typeName(*present));
    set(std::move(fullKey), std::move(*value));
    return {};
}

const MetaValue* Metadata::find(std::string_view key) const {
    const auto it = m_values.find(key);
    return it == m_values.end() ? nullptr : &it->second;
}

Result<uint32_t> Metadata::u32(std::string_view key) const {
    const MetaValue* value = find(key);
    return value ? toU32(key, *value) : fail(ErrorCode::Corrupt, "missing key '{}'", key);
}

Result<uint32_t> Metadata::u32Or(std::string_view key, uint32_t fallback) const {
    const MetaValue* value = find(key);
    return value ? toU32(key, *value) : fallback;
}

Result<float> Metadata::f32(std::string_view key) const {
    const MetaValue* value = find(key);
    return value ? toF32(key, *value) : fail(ErrorCode::Corrupt, "missing key '{}'", key);
}

Result<float> Metadata::f32Or(std::string_view key, float fallback) const {
    const MetaValue* value = find(key);
    return value ? toF32(key, *value) : fallback;
}

Result<bool> Metadata::boolOr(std::string_view key, bool fallback) const {
    const MetaValue* value = find(key);
    return value ? as<bool>(key, *value, "a bool") : fallback;
}

Result<std::string> Metadata::string(std::string_view key) const {
    const MetaValue* value = find(key);
    return value ? as<std::string>(key, *value, "a string")
                 : fail(ErrorCode::Corrupt, "missing key '{}'", key);
}

Result<std::string> Metadata::stringOr(std::string_view key, std::string fallback) const {
    const MetaValue* value = find(key);
    return value ? as<std::string>(key, *value, "a string") : std::move(fallback);
}

}  // namespace ingle::formats
