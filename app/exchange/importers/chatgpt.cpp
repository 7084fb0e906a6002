/// ChatGPT's export: conversations.json, or several (conversations-000.json …), in the archive as it comes or
/// out of it. A list of conversations; each has `mapping`, a tree of nodes that name parent and children, and
/// `current_node`. Source: exports as published converters of them read them.
#include <algorithm>

#include "app/exchange/foreign_file.h"
#include "app/exchange/importer.h"
#include "app/exchange/json_text.h"
#include "app/exchange/text.h"
#include "app/exchange/tree.h"

namespace ingle::exchange::chatgpt_importer {
namespace {

using nlohmann::json;

constexpr std::string_view kBegin = "conversations", kEnd = ".json";

/// `parts` is a list of texts, and of objects for what is no text.
void addParts(const json& content, PartKind kind, std::vector<Part>& parts, Taker& taker) {
    for (const json& each : memberOf(content, "parts")) {
        if (each.is_string()) {
            if (const auto& text = each.get_ref<const std::string&>(); !text.empty())
                parts.push_back({kind, text, ""});
            continue;
        }
        const std::string type = textMember(each, "content_type");
        if (type == "image_asset_pointer")
            taker.leftOut(LossKind::Pictures);
        else if (type == "audio_transcription")
            parts.push_back({kind, textMember(each, "text"), ""});
        else if (type.find("audio") != std::string::npos || type.find("video") != std::string::npos)
            taker.leftOut(LossKind::Recordings);
        else
            taker.leftOut(LossKind::UnknownParts);
    }
}

std::vector<Part> partsOf(const json& message, const std::string& role, Taker& taker) {
    const json& content = memberOf(message, "content");
    const std::string type = textMember(content, "content_type");
    const bool isTool = role == "tool";
    const PartKind kind = isTool ? PartKind::ToolResult : PartKind::Text;
    std::vector<Part> parts;
    if (type == "text" || type == "multimodal_text") {
        addParts(content, kind, parts, taker);
    } else if (type == "code" || type == "execution_output" || type == "tether_quote" ||
               type == "tether_browsing_display" || type == "system_error") {
        const std::string text = textMember(content, type == "tether_browsing_display" ? "result" : "text");
        const bool isCall = type == "code" && role == "assistant";
        if (!text.empty()) parts.push_back({isCall ? PartKind::ToolCall : PartKind::ToolResult, text, ""});
    } else if (type == "thoughts") {
        for (const json& thought : memberOf(content, "thoughts"))
            parts.push_back({PartKind::Thought, textMember(thought, "content"), ""});
    } else if (type == "user_editable_context" || type == "model_editable_context") {
        taker.leftOut(LossKind::HiddenMessages);
    } else if (type != "reasoning_recap") {
        taker.leftOut(LossKind::UnknownParts);
    }
    const std::string tool =
        isTool ? textMember(memberOf(message, "author"), "name") : textMember(message, "recipient");
    for (Part& part : parts) {
        // A message to a tool is a call, whatever its form.
        if (role == "assistant" && part.kind == PartKind::Text && !tool.empty() && tool != "all")
            part.kind = PartKind::ToolCall;
        if (part.kind == PartKind::ToolCall || part.kind == PartKind::ToolResult) part.data = tool;
    }
    for (const json& file : memberOf(memberOf(message, "metadata"), "attachments")) {
        if (!textMember(file, "mime_type").starts_with("image/")) {
            parts.push_back({PartKind::Attachment, "", textMember(file, "name")});
            taker.leftOut(LossKind::Attachments);
        }
    }
    return parts;
}

std::optional<history::PortableMessage> messageFrom(const json& message, Taker& taker) {
    if (!message.is_object()) return std::nullopt;
    const std::string role = textMember(memberOf(message, "author"), "role");
    if (flagMember(memberOf(message, "metadata"), "is_visually_hidden_from_conversation")) {
        taker.leftOut(LossKind::HiddenMessages);
        return std::nullopt;
    }
    if (role != "user" && role != "assistant" && role != "tool" && role != "system") {
        taker.leftOut(LossKind::UnknownMessages);
        return std::nullopt;
    }
    auto parts = partsOf(message, role, taker);
    if (parts.empty()) return std::nullopt;
    const Role ours = role == "user" ? Role::User : role == "system" ? Role::System : Role::Assistant;
    auto result = messageOf(ours, std::move(parts), timeMember(message, "create_time"));
    if (ours == Role::Assistant)
        result.message.modelName = textMember(memberOf(message, "metadata"), "model_slug");
    return result;
}

Status takeConversation(const json& value, Taker& taker) {
    const json& mapping = memberOf(value, "mapping");
    if (!mapping.is_object()) {
        taker.leftOut(LossKind::UnreadableConversations);
        return {};
    }
    history::PortableConversation conversation;
    conversation.origin = "chatgpt";
    conversation.title = textMember(value, "title");
    conversation.createdMs = timeMember(value, "create_time");
    conversation.updatedMs = timeMember(value, "update_time");
    if (flagMember(value, "is_archived")) conversation.archivedMs = conversation.updatedMs;
    conversation.pinned = flagMember(value, "is_starred");
    std::map<std::string, Node> nodes;
    std::vector<std::string> order;
    for (const auto& [name, each] : mapping.items())
        nodes[name] = {textMember(each, "parent"), messageFrom(memberOf(each, "message"), taker)};
    // Siblings in the order of their parent's list; whoever is in none comes behind.
    for (const auto& [name, each] : mapping.items())
        for (const json& child : memberOf(each, "children"))
            if (child.is_string() && nodes.contains(child) && nodes[child].parent == name)
                order.push_back(child);
    std::vector<std::string> listed = order;
    std::ranges::sort(listed);
    if (std::ranges::adjacent_find(listed) != listed.end()) {  // a name that is listed twice
        order.clear();
        listed.clear();
    }
    for (const auto& [name, node] : nodes)
        if (!std::ranges::binary_search(listed, name)) order.push_back(name);
    plant(nodes, order, textMember(value, "current_node"), conversation, taker);
    return taker.conversation(std::move(conversation));
}

Status takeList(const std::string& text, Taker& taker) {
    return forEachElement(
        text, [&](std::string_view, const json& value) { return takeConversation(value, taker); });
}

std::vector<std::string> filesIn(const std::string& folder) {
    std::vector<std::string> files = filesBelow(folder, kEnd, 0);
    std::erase_if(files, [](const std::string& path) { return !nameOf(path).starts_with(kBegin); });
    return files;
}

bool recognises(const Source& source) {
    if (source.isFolder) return !filesIn(source.path).empty();
    if (isZip(source))
        return source.beginning.find(kBegin) != std::string::npos ||
               source.beginning.find("chat.html") != std::string::npos;
    const std::string_view text = trimmed(source.beginning);
    return text.starts_with('[') && text.find("\"mapping\"") != std::string_view::npos;
}

Status translate(const Source& source, Taker& taker) {
    if (isZip(source)) {
        bool any = false;
        INGLE_TRY(forEachZipped(source.path, kBegin, kEnd, [&](const std::string& text) {
            any = true;
            return takeList(text, taker);
        }));
        if (any) return {};
        return fail(ErrorCode::Unsupported, "The archive has no conversations.json.");
    }
    if (!source.isFolder) {
        INGLE_TRY_ASSIGN(const std::string text, contentOf(source.path));
        return takeList(text, taker);
    }
    for (const std::string& path : filesIn(source.path)) {
        INGLE_TRY_ASSIGN(const std::string text, contentOf(path));
        INGLE_TRY(takeList(text, taker));
    }
    return {};
}

}  // namespace

extern const Importer importer{
    .origin = "chatgpt", .program = "ChatGPT", .recognises = recognises, .translate = translate};

}  // namespace ingle::exchange::chatgpt_importer
