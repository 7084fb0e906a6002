#include "engine/chat/message_text.h"

#include <fmt/format.h>

#include <string_view>

namespace ingle::chat {
namespace {

struct Marks {
    std::string_view before, after;
};

Marks around(PartKind kind, Thoughts thoughts) {
    switch (kind) {
        case PartKind::Thought:
            return thoughts == Thoughts::Mark ? Marks{"<think>\n", "\n</think>\n\n"} : Marks{};
        case PartKind::ToolCall:
            return {"\n```tool_call\n", "\n```\n"};
        case PartKind::ToolResult:
            return {"\n```tool_result\n", "\n```\n"};
        case PartKind::Text:
        case PartKind::Attachment:
        case PartKind::Image:
        case PartKind::Source:
            break;
    }
    return {};
}

std::string textOf(const Part& part) {
    const bool isNamed = part.kind == PartKind::Attachment || part.kind == PartKind::Source;
    return isNamed ? fmt::format("{}:\n\n{}\n\n", part.data, part.text) : part.text;
}

}  // namespace

std::string messageText(const ChatMessage& message, Thoughts thoughts) {
    std::string out;
    PartKind last = PartKind::Text;
    for (const Part& part : message.parts) {
        if (part.text.empty()) continue;
        // Neighbours of one kind share their marks.
        if (part.kind != last) {
            out += around(last, thoughts).after;
            out += around(part.kind, thoughts).before;
            last = part.kind;
        }
        if (part.kind != PartKind::Thought || thoughts == Thoughts::Mark) out += textOf(part);
    }
    if (last != PartKind::Thought) out += around(last, thoughts).after;
    return out;
}

std::vector<TextMessage> messageTexts(std::span<const ChatMessage> messages, Thoughts thoughts,
                                      ToolForm tools) {
    std::vector<TextMessage> out;
    out.reserve(messages.size());
    for (const ChatMessage& message : messages) {
        if (tools == ToolForm::Text) {
            out.push_back({message.role, messageText(message, thoughts)});
            continue;
        }
        ChatMessage rest{message.role, {}};
        std::vector<Part> calls;
        for (const Part& part : message.parts) {
            if (part.kind == PartKind::ToolResult && message.role == Role::User)
                out.push_back({.role = Role::User, .text = part.text, .resultOf = part.data});
            else
                (part.kind == PartKind::ToolCall ? calls : rest.parts).push_back(part);
        }
        if (!rest.parts.empty() || !calls.empty())
            out.push_back(
                {.role = message.role, .text = messageText(rest, thoughts), .toolCalls = std::move(calls)});
    }
    return out;
}

}  // namespace ingle::chat
