#include "app/serve/api/chat_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/serve/api/fields.h"
#include "app/serve/api/json_text.h"
#include "app/serve/api/pictures.h"
#include "ingle/shown_text.h"

namespace ingle::serve::api {
using json = nlohmann::ordered_json;

void Conversation::addToAnswer(Part part) {
    if (m_messages.empty() || m_messages.back().role != Role::Assistant)
        m_messages.push_back({Role::Assistant, {}});
    if (part.kind == PartKind::ToolCall) m_idsOfCalls.insert(part.id);
    m_messages.back().parts.push_back(std::move(part));
}

Part Conversation::call(const std::string& name, const std::string& arguments, const std::string& id) {
    return {PartKind::ToolCall, toText({{"name", name}, {"arguments", arguments}}), name, id};
}

void Conversation::addAnswer(ChatMessage message) {
    for (const Part& part : message.parts)
        if (part.kind == PartKind::ToolCall) m_idsOfCalls.insert(part.id);
    m_messages.push_back(std::move(message));
}

bool Conversation::addResult(std::string text, const std::string& name, const std::string& id) {
    const bool goesOn = !m_messages.empty() && !m_messages.back().parts.empty() &&
                        m_messages.back().parts.back().kind == PartKind::ToolResult;
    if (!goesOn) m_messages.push_back({Role::User, {}});
    m_messages.back().parts.push_back({PartKind::ToolResult, std::move(text), name, id});
    return m_idsOfCalls.contains(id);
}

std::optional<std::vector<Part>> readContent(Fields& fields, std::string_view name,
                                             std::initializer_list<std::string_view> types) {
    const json* content = fields.any(name);
    if (content == nullptr) return std::nullopt;
    std::vector<Part> parts;
    if (content->is_string()) {
        parts.push_back({PartKind::Text, content->get<std::string>(), {}});
        return parts;
    }
    if (!content->is_array()) {
        fields.complain(fmt::format("'{}' must be a text or a list of parts.", fields.placeOf(name)), name);
        return std::nullopt;
    }
    for (size_t index = 0; index < content->size(); ++index) {
        Fields part((*content)[index], fmt::format("{}[{}]", fields.placeOf(name), index));
        // They stand in answers that clients send back.
        for (const char* ignored : {"annotations", "logprobs"}) part.ignore(ignored);
        part.ignoreHints();
        const std::string type = part.text("type").value_or("text");
        if (std::ranges::find(types, type) == types.end()) {
            part.complain({.message = fmt::format("Unsupported part of a message: '{}'.", shown(type)),
                           .param = part.placeOf("type"),
                           .code = "unsupported_field"});
        } else if (type == "image_url" || type == "input_image") {
            part.ignore("detail");
            if (auto picture = pictureOfUrl(part, "image_url")) parts.push_back(*std::move(picture));
        } else {
            part.require("text");
            parts.push_back({PartKind::Text, part.text("text").value_or(""), {}});
        }
        if (auto whole = part.finish(); !whole) fields.complain(whole.error());
    }
    return parts;
}

std::string joinedText(const std::vector<Part>& parts) {
    std::string text;
    for (const Part& part : parts) text += (&part == parts.data() ? "" : "\n") + part.text;
    return text;
}

namespace {

/// Each call as a part: the JSON object of its name and arguments, which stay the text that they came as.
void readToolCalls(Fields& fields, std::vector<Part>& parts) {
    const json* calls = fields.list("tool_calls");
    if (calls == nullptr) return;
    for (size_t index = 0; index < calls->size(); ++index) {
        Fields call((*calls)[index], fmt::format("{}[{}]", fields.placeOf("tool_calls"), index));
        for (const char* ignored : {"index", "extra_content", "provider_specific_fields"})
            call.ignore(ignored);
        call.expect("type", "function");
        const std::string id = call.text("id").value_or("");
        call.require("function");
        if (const json* function = call.object("function")) {
            Fields inner(*function, call.placeOf("function"));
            inner.require("name");
            const std::string name = inner.text("name").value_or("");
            const std::string arguments = inner.text("arguments").value_or("{}");
            if (auto whole = inner.finish(); !whole) call.complain(whole.error());
            parts.push_back(Conversation::call(name, arguments, id));
        }
        if (auto whole = call.finish(); !whole) fields.complain(whole.error());
    }
}

class MessageReader {
  public:
    Expected<void> read(const json& object, const std::string& place) {
        Fields fields(object, place);
        fields.require("role");
        // They stand in answers that clients send back.
        for (const char* name : {"annotations", "refusal", "provider_specific_fields", "reasoning_details"})
            fields.ignore(name);
        fields.ignoreHints();
        const std::string role = fields.text("role").value_or("");
        if (role == "system" || role == "developer") {
            add(fields, Role::System, role == "developer");
        } else if (role == "user") {
            add(fields, Role::User, false, {"text", "image_url"});
        } else if (role == "assistant") {
            addAnswer(fields);
        } else if (role == "tool") {
            addResult(fields);
        } else {
            fields.complain(fmt::format("Unsupported role: '{}'.", shown(role)), "role");
        }
        return fields.finish();
    }

    std::vector<ChatMessage> take() { return m_conversation.take(); }

  private:
    void add(Fields& fields, Role role, bool fromDeveloper,
             std::initializer_list<std::string_view> types = {"text"}) {
        fields.require("content");
        m_conversation.add({role, readContent(fields, "content", types).value_or(std::vector<Part>{}),
                            fromDeveloper, nameOf(fields)});
    }

    void addAnswer(Fields& fields) {
        ChatMessage message{Role::Assistant, {}, false, nameOf(fields)};
        const auto thought = fields.text("reasoning_content");
        const auto byOtherName = fields.text("reasoning");
        if (const std::string text = thought.value_or(byOtherName.value_or("")); !text.empty())
            message.parts.push_back({PartKind::Thought, text, {}});
        if (const auto content = readContent(fields, "content"))
            message.parts.insert(message.parts.end(), content->begin(), content->end());
        readToolCalls(fields, message.parts);
        m_conversation.addAnswer(std::move(message));
    }

    void addResult(Fields& fields) {
        const std::string id = fields.text("tool_call_id").value_or("");
        fields.require("content");
        const auto content = readContent(fields, "content").value_or(std::vector<Part>{});
        if (!m_conversation.addResult(joinedText(content), nameOf(fields), id))
            fields.complain(fmt::format("No message before it has a tool call with the id '{}'.", shown(id)),
                            "tool_call_id");
    }

    static std::string nameOf(Fields& fields) { return fields.text("name").value_or(""); }

    Conversation m_conversation;
};

}  // namespace

Expected<std::vector<ChatMessage>> readMessages(const json& messages) {
    if (!messages.is_array() || messages.empty() || messages.size() > kMostMessages)
        return refuse(fmt::format("'messages' must be a list of 1 to {} messages.", kMostMessages),
                      "messages");
    MessageReader reader;
    for (size_t index = 0; index < messages.size(); ++index) {
        if (auto read = reader.read(messages[index], fmt::format("messages[{}]", index)); !read)
            return tl::unexpected(read.error());
    }
    return reader.take();
}

}  // namespace ingle::serve::api
