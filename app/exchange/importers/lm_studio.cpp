/// LM Studio: a file per chat, <time>.conversation.json, in folders as the person has made them. A list of
/// messages, each with `versions` and which one is `currentlySelected`; an answer has `steps`, of which some
/// are thoughts. Source: such files, as published readers of them describe them.
#include <algorithm>
#include <filesystem>

#include "app/exchange/foreign_file.h"
#include "app/exchange/importer.h"
#include "app/exchange/json_text.h"
#include "app/exchange/text.h"
#include "app/exchange/tree.h"

namespace ingle::exchange::lm_studio_importer {
namespace {

using nlohmann::json;

constexpr std::string_view kEnding = ".conversation.json";

void addContent(const json& content, bool isAnswer, bool isThought, std::vector<Part>& parts, Taker& taker) {
    const auto say = [&](const std::string& text) {
        if (isThought) return parts.push_back({PartKind::Thought, text, ""});
        auto said = isAnswer ? partsOfAnswer(text) : partsOfText(text);
        parts.insert(parts.end(), said.begin(), said.end());
    };
    if (content.is_string()) return say(content);
    if (!content.is_array()) return;
    for (const json& each : content) {
        const std::string type = textMember(each, "type");
        if (type == "text") {
            say(textMember(each, "text"));
        } else if (type == "file") {
            const bool isPicture = textMember(each, "fileType") == "image";
            taker.leftOut(isPicture ? LossKind::Pictures : LossKind::Attachments);
            if (!isPicture) parts.push_back({PartKind::Attachment, "", textMember(each, "name")});
        } else if (type == "toolCallRequest") {
            const json& arguments = memberOf(each, "arguments");
            parts.push_back({PartKind::ToolCall,
                             arguments.is_string()
                                 ? arguments.get<std::string>()
                                 : arguments.dump(-1, ' ', false, json::error_handler_t::replace),
                             textMember(each, "name")});
        } else if (type == "toolCallResult") {
            parts.push_back({PartKind::ToolResult, textMember(each, "content"), textMember(each, "name")});
        } else {
            taker.leftOut(LossKind::UnknownParts);
        }
    }
}

/// Steps are named by when they began: "1754424586190-0.123".
int64_t timeOf(const json& step) {
    const std::string name = textMember(step, "stepIdentifier");
    return millisecondsOf(std::strtod(name.substr(0, name.find('-')).c_str(), nullptr));
}

std::optional<history::PortableMessage> versionFrom(const json& version, Taker& taker) {
    const std::string role = textMember(version, "role");
    if (role != "user" && role != "assistant" && role != "system") {
        taker.leftOut(LossKind::UnknownMessages);
        return std::nullopt;
    }
    const Role ours = role == "user" ? Role::User : role == "system" ? Role::System : Role::Assistant;
    std::vector<Part> parts;
    std::string model = textMember(memberOf(version, "senderInfo"), "senderName");
    int64_t time = 0;
    addContent(memberOf(version, "content"), ours == Role::Assistant, false, parts, taker);
    for (const json& step : memberOf(version, "steps")) {
        const std::string type = textMember(step, "type");
        if (const std::string name = textMember(memberOf(step, "genInfo"), "identifier"); !name.empty())
            model = name;
        if (type != "contentBlock") continue;  // what the program notes for itself
        if (time == 0) time = timeOf(step);
        const bool isThought = textMember(memberOf(step, "style"), "type") == "thinking";
        addContent(memberOf(step, "content"), ours == Role::Assistant, isThought, parts, taker);
    }
    auto message = messageOf(ours, std::move(parts), time);
    if (ours == Role::Assistant) message.message.modelName = model;
    return message;
}

Status takeChat(const std::string& path, history::Number folder, Taker& taker) {
    const auto text = contentOf(path);
    const auto chat = text ? parsed(*text) : Result<json>(tl::unexpected<Error>(text.error()));
    if (!chat || !memberOf(*chat, "messages").is_array()) {
        taker.leftOut(LossKind::UnreadableConversations);
        return {};
    }
    history::PortableConversation conversation;
    conversation.origin = "lm-studio";
    conversation.folder = folder;
    conversation.title = textMember(*chat, "name");
    conversation.createdMs = conversation.updatedMs = timeMember(*chat, "createdAt");
    conversation.pinned = flagMember(*chat, "pinned");
    const json& messages = memberOf(*chat, "messages");
    if (const std::string system = textMember(*chat, "systemPrompt"); !system.empty() && !messages.empty())
        append(conversation, messageOf(Role::System, partsOfText(system), conversation.createdMs));
    for (const json& each : messages) {
        const json& versions = memberOf(each, "versions");
        if (!versions.is_array() || versions.empty()) {
            taker.leftOut(LossKind::UnknownMessages);
            continue;
        }
        const double selected = numberMember(each, "currentlySelected");
        const history::Number parent = conversation.activeLeaf;
        history::Number chosen = 0;
        for (size_t i = 0; i < versions.size(); ++i) {
            auto message = versionFrom(versions[i], taker);
            if (!message) continue;
            conversation.activeLeaf = parent;
            if (message->message.createdMs == 0) message->message.createdMs = conversation.updatedMs;
            conversation.updatedMs = std::max(conversation.updatedMs, message->message.createdMs);
            append(conversation, std::move(*message));
            if (chosen == 0 || static_cast<double>(i) == selected) chosen = conversation.activeLeaf;
        }
        conversation.activeLeaf = chosen == 0 ? parent : chosen;
    }
    return taker.conversation(std::move(conversation));
}

bool recognises(const Source& source) {
    if (source.isFolder) return !filesBelow(source.path, kEnding, 8).empty();
    if (source.name().ends_with(kEnding)) return true;
    const std::string_view text = trimmed(source.beginning);
    return text.starts_with('{') && text.find("\"currentlySelected\"") != std::string_view::npos &&
           text.find("\"versions\"") != std::string_view::npos;
}

Status translate(const Source& source, Taker& taker) {
    if (!source.isFolder) {
        INGLE_TRY(takeChat(source.path, 0, taker));
        if (!taker.findings().leftOut.contains(LossKind::UnreadableConversations)) return {};
        return fail(ErrorCode::Corrupt, "The chat is damaged or ends too early.");
    }
    const std::vector<std::string> paths = filesBelow(source.path, kEnding, 8);
    std::map<std::filesystem::path, history::Number> numbers;
    for (const std::string& path : paths) {
        std::filesystem::path at;
        for (const auto& step : std::filesystem::path(path).parent_path().lexically_relative(source.path)) {
            if (step == ".") continue;
            const history::Number parent = at.empty() ? 0 : numbers[at];
            at /= step;
            if (numbers.contains(at)) continue;
            const auto number = static_cast<history::Number>(numbers.size()) + 1;
            numbers[at] = number;
            INGLE_TRY(taker.folder({number, parent, step.string(), number}));
        }
    }
    for (const std::string& path : paths) {
        auto at = std::filesystem::path(path).parent_path().lexically_relative(source.path);
        if (at == ".") at.clear();
        INGLE_TRY(takeChat(path, at.empty() ? 0 : numbers[at], taker));
    }
    return {};
}

}  // namespace

extern const Importer importer{
    .origin = "lm-studio", .program = "LM Studio", .recognises = recognises, .translate = translate};

}  // namespace ingle::exchange::lm_studio_importer
