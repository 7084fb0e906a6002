#include "engine/chat/message_text.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "engine/chat/tools.h"

namespace ingle::chat {
namespace {

using NamesOfCalls = std::map<std::string, std::string>;  ///< by the call's id

std::string asJson(const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string callText(const Part& part) {
    const auto call = readCall(part);
    const std::string text =
        call ? asJson({{"name", call->name}, {"arguments", call->arguments}}) : part.text;
    return fmt::format("<tool_call>\n{}\n</tool_call>\n", text);
}

std::string resultText(const Part& part, const NamesOfCalls& names) {
    const auto called = names.find(part.id);
    const std::string& name = !part.data.empty()      ? part.data
                              : called == names.end() ? part.id
                                                      : called->second;
    if (name.empty()) return fmt::format("<tool_response>\n{}\n</tool_response>\n", part.text);
    return fmt::format("<tool_response name={}>\n{}\n</tool_response>\n", asJson(name), part.text);
}

/// `last`: the kind of the part before it.
std::string partText(const Part& part, PartKind last, const NamesOfCalls& names) {
    switch (part.kind) {
        case PartKind::Thought:
            return {};
        case PartKind::ToolCall:
            return (last == PartKind::Text ? "\n" : "") + callText(part);
        case PartKind::ToolResult:
            return resultText(part, names);
        case PartKind::Attachment:
        case PartKind::Source:
            return fmt::format("{}:\n\n{}\n\n", part.data, part.text);
        case PartKind::Text:
        case PartKind::Image:
            break;
    }
    return part.text;
}

std::string textOf(const ChatMessage& message, const NamesOfCalls& names) {
    std::string out;
    PartKind last = PartKind::Thought;
    for (const Part& part : message.parts) {
        if (part.text.empty() || part.kind == PartKind::Thought) continue;
        if (part.kind == PartKind::Text && last == PartKind::Text) out += '\n';
        out += partText(part, last, names);
        last = part.kind;
    }
    return out;
}

}  // namespace

std::string messageText(const ChatMessage& message) {
    return textOf(message, {});
}

std::vector<TextMessage> messageTexts(std::span<const ChatMessage> messages) {
    std::vector<TextMessage> out;
    out.reserve(messages.size());
    NamesOfCalls names;
    for (const ChatMessage& message : messages) {
        for (const Part& part : message.parts)
            if (part.kind == PartKind::ToolCall && !part.id.empty()) names[part.id] = part.data;
        out.push_back({message.role, textOf(message, names)});
    }
    return out;
}

}  // namespace ingle::chat
