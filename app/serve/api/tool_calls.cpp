#include "app/serve/api/tool_calls.h"

#include <nlohmann/json.hpp>

#include "app/serve/api/json_text.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

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

/// Arguments as the engine's own form has them: their numbers may have more digits than fit here.
std::optional<std::string_view> argumentsIn(std::string_view text, const std::string& name) {
    const std::string begin = "{\"name\":" + toText(name) + ",\"arguments\":";
    if (!text.starts_with(begin) || !text.ends_with("}}")) return std::nullopt;
    return text.substr(begin.size(), text.size() - begin.size() - 1);
}

}  // namespace

std::optional<std::vector<ToolCall>> parseToolCalls(std::string_view text) {
    const json parsed = parseJson(text);
    std::vector<ToolCall> calls;
    if (parsed.is_array()) {
        for (const json& each : parsed) {
            auto call = callOf(each);
            if (!call) return std::nullopt;
            calls.push_back(std::move(*call));
        }
    } else if (auto call = callOf(parsed)) {
        if (const auto arguments = argumentsIn(text, call->name)) call->arguments = *arguments;
        calls.push_back(std::move(*call));
    }
    if (calls.empty()) return std::nullopt;
    return calls;
}

std::optional<json> argumentsOf(const ToolCall& call) {
    json arguments = parseJson(call.arguments);
    return arguments.is_object() ? std::optional(std::move(arguments)) : std::nullopt;
}

std::string unfinishedText(const ToolCall& call) {
    return call.name + " " + call.arguments;
}

}  // namespace ingle::serve::api
