#include "engine/chat/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/chat/jinja/from_json.h"
#include "ingle/bounded_json.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostFunctions = 128;

json parseJson(std::string_view text) {
    return parseBounded<json>(text, {.depth = kMostToolDepth});
}

bool isFunction(const json& tool) {
    return tool.is_object() && tool.value("type", json()) == "function" && tool.contains("function") &&
           tool["function"].is_object() && tool["function"].value("name", json()).is_string();
}

Result<json> parse(std::string_view tools) {
    if (tools.size() > kMostBytes)
        return fail(ErrorCode::InvalidArgument, "The list of tools has {} bytes: {} at most.", tools.size(),
                    kMostBytes);
    json list = parseJson(tools);
    if (!list.is_array() || list.empty() || list.size() > kMostFunctions ||
        !std::ranges::all_of(list, isFunction))
        return fail(ErrorCode::InvalidArgument, "The tools are no JSON list of 1 to {} functions.",
                    kMostFunctions);
    return list;
}

std::string instructions(std::string_view tools) {
    std::string text =
        "You may call functions to help with the question. They are, one a line, as JSON Schema:\n<tools>\n";
    const auto list = parse(tools);
    if (list)
        for (const json& tool : *list)
            text += tool.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
    return text +
           "</tools>\nTo call one, write a JSON object with its name and its arguments between these marks:\n"
           "<tool_call>\n{\"name\": \"the function's name\", \"arguments\": {}}\n</tool_call>";
}

}  // namespace

bool isToolResult(const ChatMessage& message) {
    return !message.parts.empty() && std::ranges::all_of(message.parts, [](const Part& part) {
        return part.kind == PartKind::ToolResult;
    });
}

Status checkTools(std::string_view tools) {
    INGLE_TRY(toolList(tools));
    return {};
}

Result<jinja::Value> toolList(std::string_view tools) {
    INGLE_TRY_ASSIGN(const json list, parse(tools));
    auto value = jinja::fromJson(list);
    if (!value) return fail(ErrorCode::InvalidArgument, "The tools: {}.", value.error().message);
    return value;
}

std::vector<ChatMessage> toldOfTools(std::span<const ChatMessage> messages, std::string_view tools) {
    std::vector<ChatMessage> told(messages.begin(), messages.end());
    const bool hasSystem = !told.empty() && told.front().role == Role::System;
    if (!hasSystem) told.insert(told.begin(), textMessage(Role::System, {}));
    auto& parts = told.front().parts;
    if (parts.empty() || parts.back().kind != PartKind::Text) parts.push_back({PartKind::Text, {}, {}});
    std::string& text = parts.back().text;
    text += (text.empty() ? "" : "\n\n") + instructions(tools);
    return told;
}

std::optional<CallInPart> readCall(const Part& part) {
    const json object = parseJson(part.text);
    if (!object.is_object()) return std::nullopt;
    CallInPart call{.name = part.data, .arguments = json::object(), .argumentText = {}};
    if (const auto name = object.find("name"); name != object.end() && name->is_string())
        call.name = name->get<std::string>();
    if (const auto given = object.find("arguments"); given != object.end()) call.arguments = *given;
    if (call.arguments.is_string()) {
        call.argumentText = call.arguments.get<std::string>();
        if (json parsed = parseJson(call.argumentText); !parsed.is_discarded()) call.arguments = parsed;
    } else {
        call.argumentText = call.arguments.dump(-1, ' ', false, json::error_handler_t::replace);
    }
    return call;
}

}  // namespace ingle::chat
