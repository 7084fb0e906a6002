#include "engine/chat/message_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/chat/tools.h"

namespace ingle::chat {
namespace {

std::string asJson(const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string callText(const Part& part) {
    const auto call = readCall(part);
    if (!call) return fmt::format("<tool_call>\n{}\n</tool_call>\n", part.text);
    nlohmann::ordered_json told{{"name", call->name}, {"arguments", call->arguments}};
    if (!part.id.empty()) told["id"] = part.id;
    return fmt::format("<tool_call>\n{}\n</tool_call>\n", asJson(told));
}

std::string resultText(const Part& part, const CalledTools& called) {
    const std::string name = called.nameFor(part);
    return fmt::format("<tool_response{}{}>\n{}\n</tool_response>\n",
                       name.empty() ? "" : " name=" + asJson(name),
                       part.id.empty() ? "" : " id=" + asJson(part.id), part.text);
}

/// `last`: the kind of the part before it.
std::string partText(const Part& part, PartKind last, const CalledTools& called) {
    switch (part.kind) {
        case PartKind::Thought:
            return {};
        case PartKind::ToolCall:
            return (last == PartKind::Text ? "\n" : "") + callText(part);
        case PartKind::ToolResult:
            return resultText(part, called);
        case PartKind::Attachment:
        case PartKind::Source:
            return fmt::format("{}:\n\n{}\n\n", part.data, part.text);
        case PartKind::Text:
        case PartKind::Image:
            break;
    }
    return part.text;
}

std::string textOf(const ChatMessage& message, const CalledTools& called) {
    std::string out;
    PartKind last = PartKind::Thought;
    for (const Part& part : message.parts) {
        const bool isSilent = part.text.empty() && part.kind != PartKind::ToolResult;
        if (isSilent || part.kind == PartKind::Thought) continue;
        if (part.kind == PartKind::Text && last == PartKind::Text) out += '\n';
        out += partText(part, last, called);
        last = part.kind;
    }
    return out;
}

}  // namespace

void CalledTools::add(const ChatMessage& message) {
    for (const Part& part : message.parts)
        if (part.kind == PartKind::ToolCall && !part.id.empty()) m_names[part.id] = part.data;
}

std::string CalledTools::nameFor(const Part& result) const {
    if (!result.data.empty()) return result.data;
    const auto found = m_names.find(result.id);
    return found == m_names.end() ? "" : found->second;
}

std::string messageText(const ChatMessage& message, const CalledTools& called) {
    return textOf(message, called);
}

std::vector<TextMessage> messageTexts(std::span<const ChatMessage> messages) {
    std::vector<TextMessage> out;
    out.reserve(messages.size());
    CalledTools called;
    for (const ChatMessage& message : messages) {
        called.add(message);
        out.push_back({message.role, textOf(message, called)});
    }
    return out;
}

}  // namespace ingle::chat
