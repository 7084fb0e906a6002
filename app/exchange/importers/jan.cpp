/// Jan: a folder per thread with thread.json and messages.jsonl, or the folder `threads` of all of them.
/// Source: src-tauri/src/core/threads and core/src/types of Jan.
#include <algorithm>
#include <filesystem>

#include "app/exchange/foreign_file.h"
#include "app/exchange/importer.h"
#include "app/exchange/json_text.h"
#include "app/exchange/text.h"
#include "app/exchange/tree.h"

namespace ingle::exchange::jan_importer {
namespace {

using nlohmann::json;

constexpr std::string_view kThread = "thread.json";

/// {"type": "text", "text": {"value": …}}; also the text itself.
std::vector<Part> partsOf(const json& message, bool isAnswer, Taker& taker) {
    std::vector<Part> parts;
    const auto say = [&](const std::string& text) {
        auto said = isAnswer ? partsOfAnswer(text) : partsOfText(text);
        parts.insert(parts.end(), said.begin(), said.end());
    };
    const json& content = memberOf(message, "content");
    if (content.is_string()) say(content);
    if (!content.is_array()) return parts;
    for (const json& each : content) {
        const std::string type = textMember(each, "type");
        const json& text = memberOf(each, "text");
        const std::string value = text.is_string() ? text.get<std::string>() : textMember(text, "value");
        if (type == "text")
            say(value);
        else if (type == "reasoning")
            parts.push_back({PartKind::Thought, value, ""});
        else if (type == "image_url" || type == "image")
            taker.leftOut(LossKind::Pictures);
        else
            taker.leftOut(LossKind::UnknownParts);
    }
    for (const json& call : memberOf(memberOf(message, "metadata"), "tool_calls")) {
        const json& function = memberOf(memberOf(call, "tool"), "function");
        parts.push_back(
            {PartKind::ToolCall, textMember(function, "arguments"), textMember(function, "name")});
    }
    if (const json& files = memberOf(message, "attachments"); files.is_array() && !files.empty())
        taker.leftOut(LossKind::Attachments, files.size());
    return parts;
}

Status takeThread(const std::string& folder, Taker& taker) {
    const auto text = contentOf(folder + "/" + std::string(kThread));
    const auto thread = text ? parsed(*text) : Result<json>(tl::unexpected<Error>(text.error()));
    const auto lines = contentOf(folder + "/messages.jsonl");
    if (!thread || !thread->is_object()) {
        taker.leftOut(LossKind::UnreadableConversations);
        return {};
    }
    history::PortableConversation conversation;
    conversation.origin = "jan";
    conversation.title = textMember(*thread, "title");
    conversation.createdMs = timeMember(*thread, "created");
    conversation.updatedMs = timeMember(*thread, "updated");
    conversation.pinned = flagMember(*thread, "isFavorite");
    const json& assistants = memberOf(*thread, "assistants");
    const json assistant = assistants.is_array() && !assistants.empty() ? assistants[0] : json();
    const std::string model = textMember(memberOf(assistant, "model"), "id");
    const std::string instructions = textMember(assistant, "instructions");
    std::vector<std::pair<int64_t, history::PortableMessage>> messages;
    std::string_view rest = lines ? std::string_view(*lines) : std::string_view();
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = trimmed(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.empty()) continue;
        const auto message = parsed(line);
        const std::string role = message ? textMember(*message, "role") : std::string();
        if (role != "user" && role != "assistant" && role != "system") {
            taker.leftOut(LossKind::UnknownMessages);
            continue;
        }
        const Role ours = role == "user" ? Role::User : role == "system" ? Role::System : Role::Assistant;
        auto taken = messageOf(ours, partsOf(*message, ours == Role::Assistant, taker),
                               timeMember(*message, "created_at"));
        if (ours == Role::Assistant) taken.message.modelName = model;
        const std::string status = textMember(*message, "status");
        if (status == "stopped" || status == "pending")
            taken.message.status = history::MessageStatus::Stopped;
        if (status == "error") taken.message.status = history::MessageStatus::Failed;
        messages.emplace_back(taken.message.createdMs, std::move(taken));
    }
    std::ranges::stable_sort(messages, {}, [](const auto& each) { return each.first; });
    if (!instructions.empty() && !messages.empty())
        append(conversation, messageOf(Role::System, partsOfText(instructions), conversation.createdMs));
    for (auto& [time, message] : messages) append(conversation, std::move(message));
    return taker.conversation(std::move(conversation));
}

/// The folders of threads in `folder`, which may be one.
std::vector<std::string> threadsIn(const std::string& folder) {
    std::vector<std::string> threads;
    for (const std::string& path : filesBelow(folder, kThread, 2))
        if (nameOf(path) == kThread) threads.push_back(folderOf(path));
    return threads;
}

/// What was named may be a file of a thread.
std::string rootOf(const Source& source) {
    return source.isFolder ? source.path : folderOf(source.path);
}

bool recognises(const Source& source) {
    if (source.isFolder) return !threadsIn(source.path).empty();
    if (source.name() == "messages.jsonl")
        return std::filesystem::exists(folderOf(source.path) + "/thread.json");
    return source.name() == kThread;
}

Status translate(const Source& source, Taker& taker) {
    for (const std::string& thread : threadsIn(rootOf(source))) INGLE_TRY(takeThread(thread, taker));
    return {};
}

}  // namespace

extern const Importer importer{
    .origin = "jan", .program = "Jan", .recognises = recognises, .translate = translate};

}  // namespace ingle::exchange::jan_importer
