#include "app/serve/api/tool_calls.h"

#include <nlohmann/json.hpp>

#include "app/serve/api/json_text.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(kBlank);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::optional<ToolCall> callOf(const json& object) {
    if (!object.is_object() || !object.contains("name") || !object["name"].is_string()) return std::nullopt;
    ToolCall call{.name = object["name"].get<std::string>(), .arguments = "{}"};
    for (const char* key : {"arguments", "parameters"}) {
        const auto found = object.find(key);
        if (found == object.end() || found->is_null()) continue;
        // Some write the object as a text.
        call.arguments = found->is_string() ? found->get<std::string>() : toText(*found);
        break;
    }
    return call;
}

std::optional<std::vector<ToolCall>> fromJson(std::string_view text) {
    const json parsed = parseJson(text);
    std::vector<ToolCall> calls;
    if (parsed.is_array()) {
        for (const json& each : parsed) {
            auto call = callOf(each);
            if (!call) return std::nullopt;
            calls.push_back(std::move(*call));
        }
    } else if (auto call = callOf(parsed)) {
        calls.push_back(std::move(*call));
    }
    if (calls.empty()) return std::nullopt;
    return calls;
}

/// Takes what stands before `mark` off `text`, and the mark. Nothing: there is none.
std::optional<std::string_view> upTo(std::string_view& text, std::string_view mark) {
    const size_t at = text.find(mark);
    if (at == text.npos) return std::nullopt;
    const std::string_view before = text.substr(0, at);
    text.remove_prefix(at + mark.size());
    return before;
}

/// A value is JSON where it can be read as such, else a text.
json valueOf(std::string_view text) {
    json parsed = parseJson(text);
    return parsed.is_discarded() ? json(std::string(text)) : parsed;
}

std::optional<std::vector<ToolCall>> fromTags(std::string_view text) {
    std::vector<ToolCall> calls;
    while (upTo(text, "<function=")) {
        const auto name = upTo(text, ">");
        auto body = upTo(text, "</function>");
        if (!name || !body) return std::nullopt;
        json arguments = json::object();
        while (upTo(*body, "<parameter=")) {
            const auto key = upTo(*body, ">");
            const auto value = upTo(*body, "</parameter>");
            if (!key || !value) return std::nullopt;
            arguments[std::string(trimmed(*key))] = valueOf(trimmed(*value));
        }
        calls.push_back({std::string(trimmed(*name)), toText(arguments)});
    }
    if (calls.empty()) return std::nullopt;
    return calls;
}

}  // namespace

std::optional<std::vector<ToolCall>> parseToolCalls(std::string_view text) {
    text = trimmed(text);
    if (auto calls = fromJson(text)) return calls;
    return fromTags(text);
}

}  // namespace ingle::serve::api
