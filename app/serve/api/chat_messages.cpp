#include "app/serve/api/chat_messages.h"

#include <fmt/format.h>

#include <set>

#include "app/serve/api/fields.h"
#include "app/serve/api/json_text.h"
#include "ingle/shown_text.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kMostMessages = 4096;

/// A text, or a list of parts that are texts.
std::optional<std::vector<Part>> readContent(Fields& fields, std::string_view name) {
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
        const std::string type = part.text("type").value_or("text");
        if (type != "text") {
            part.complain({.message = fmt::format("Unsupported part of a message: '{}'.", shown(type)),
                           .param = part.placeOf("type"),
                           .code = "unsupported_field"});
        } else {
            part.require("text");
            parts.push_back({PartKind::Text, part.text("text").value_or(""), {}});
        }
        if (auto whole = part.finish(); !whole) fields.complain(whole.error());
    }
    return parts;
}

/// Parts of text in one, a line each.
std::string joinedText(const std::vector<Part>& parts) {
    std::string text;
    for (const Part& part : parts) text += (&part == parts.data() ? "" : "\n") + part.text;
    return text;
}

/// Each call as a part: the JSON object of its name and arguments, which stay the text that they came as.
void readToolCalls(Fields& fields, std::vector<Part>& parts, std::set<std::string>& ids) {
    const json* calls = fields.list("tool_calls");
    if (calls == nullptr) return;
    for (size_t index = 0; index < calls->size(); ++index) {
        Fields call((*calls)[index], fmt::format("{}[{}]", fields.placeOf("tool_calls"), index));
        call.ignore("index");
        call.expect("type", "function");
        const std::string id = call.text("id").value_or("");
        call.require("function");
        if (const json* function = call.object("function")) {
            Fields inner(*function, call.placeOf("function"));
            inner.require("name");
            const std::string name = inner.text("name").value_or("");
            const std::string arguments = inner.text("arguments").value_or("{}");
            if (auto whole = inner.finish(); !whole) call.complain(whole.error());
            ids.insert(id);
            parts.push_back(
                {PartKind::ToolCall, toText({{"name", name}, {"arguments", arguments}}), name, id});
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
        for (const char* name : {"annotations", "refusal"}) fields.ignore(name);
        const std::string role = fields.text("role").value_or("");
        if (role == "system" || role == "developer") {
            add(fields, Role::System);
            m_messages.back().fromDeveloper = role == "developer";
        } else if (role == "user") {
            add(fields, Role::User);
        } else if (role == "assistant") {
            addAnswer(fields);
        } else if (role == "tool") {
            addResult(fields);
        } else {
            fields.complain(fmt::format("Unsupported role: '{}'.", shown(role)), "role");
        }
        return fields.finish();
    }

    std::vector<ChatMessage> take() { return std::move(m_messages); }

  private:
    void add(Fields& fields, Role role) {
        fields.require("content");
        m_messages.push_back(
            {role, readContent(fields, "content").value_or(std::vector<Part>{}), false, nameOf(fields)});
    }

    void addAnswer(Fields& fields) {
        ChatMessage message{Role::Assistant, {}, false, nameOf(fields)};
        if (auto thought = fields.text("reasoning_content"); thought && !thought->empty())
            message.parts.push_back({PartKind::Thought, std::move(*thought), {}});
        if (const auto content = readContent(fields, "content"))
            message.parts.insert(message.parts.end(), content->begin(), content->end());
        readToolCalls(fields, message.parts, m_idsOfCalls);
        m_messages.push_back(std::move(message));
    }

    /// Results that follow each other are one message.
    void addResult(Fields& fields) {
        const std::string id = fields.text("tool_call_id").value_or("");
        if (!m_idsOfCalls.contains(id))
            fields.complain(fmt::format("No message before it has a tool call with the id '{}'.", shown(id)),
                            "tool_call_id");
        fields.require("content");
        const auto content = readContent(fields, "content").value_or(std::vector<Part>{});
        Part part{PartKind::ToolResult, joinedText(content), nameOf(fields), id};
        const bool goesOn = !m_messages.empty() && !m_messages.back().parts.empty() &&
                            m_messages.back().parts.back().kind == PartKind::ToolResult;
        if (!goesOn) m_messages.push_back({Role::User, {}});
        m_messages.back().parts.push_back(std::move(part));
    }

    static std::string nameOf(Fields& fields) { return fields.text("name").value_or(""); }

    std::vector<ChatMessage> m_messages;
    std::set<std::string> m_idsOfCalls;
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
