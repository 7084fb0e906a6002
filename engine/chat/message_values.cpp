#include "engine/chat/message_values.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "engine/chat/jinja/from_json.h"
#include "engine/chat/message_text.h"
#include "engine/chat/tools.h"
#include "ingle/role_name.h"

namespace ingle::chat {
namespace {

using jinja::makeText;
using jinja::Origin;
using jinja::Value;

class Fields {
  public:
    void set(std::string_view name, Value value) {
        m_entries.emplace_back(makeText(name, Origin::Template), std::move(value));
    }
    void setText(std::string_view name, std::string_view text) { set(name, makeText(text, Origin::Message)); }
    Result<Value> take() { return jinja::makeDict(std::move(m_entries)); }

  private:
    std::vector<std::pair<Value, Value>> m_entries;
};

class ValueList {
  public:
    explicit ValueList(const MessageForm& form) : m_form(form) {}

    /// Results within a message end what was said before them.
    Status add(const ChatMessage& message) {
        m_called.add(message);
        ChatMessage said = message;
        said.parts.clear();
        bool isBegun = message.parts.empty();
        for (const Part& part : message.parts) {
            const bool isResult = part.kind == PartKind::ToolResult && m_form.hasCalls;
            if (!isResult) {
                said.parts.push_back(part);
                isBegun = true;
                continue;
            }
            if (std::exchange(isBegun, false)) INGLE_TRY(addSaid(said));
            said.parts.clear();
            INGLE_TRY(addResult(part));
        }
        if (isBegun) INGLE_TRY(addSaid(said));
        return {};
    }

    Result<Value> take() { return jinja::makeList(std::move(m_messages)); }

  private:
    Status addSaid(const ChatMessage& message) {
        ChatMessage texts = message;
        texts.parts.clear();
        std::vector<Part> calls;
        for (const Part& part : message.parts) {
            const bool isCall = m_form.hasCalls && part.kind == PartKind::ToolCall;
            if (part.kind != PartKind::Thought) (isCall ? calls : texts.parts).push_back(part);
        }
        const std::string thought = textOf(message.parts, PartKind::Thought);
        const bool isDeveloper = message.fromDeveloper && m_form.knowsDevelopers;
        Fields fields;
        fields.set("role", makeText(isDeveloper ? "developer" : roleName(message.role), Origin::Template));
        if (!message.name.empty()) fields.setText("name", message.name);
        INGLE_TRY_ASSIGN(Value content, contentOf(texts, !calls.empty()));
        fields.set("content", std::move(content));
        if (!thought.empty())
            for (const std::string_view name : kThoughtNames) fields.setText(name, thought);
        if (!calls.empty()) {
            INGLE_TRY_ASSIGN(Value list, callList(calls));
            fields.set("tool_calls", std::move(list));
        }
        return push(fields);
    }

    Status push(Fields& fields) {
        INGLE_TRY_ASSIGN(Value message, fields.take());
        m_messages.push_back(std::move(message));
        return {};
    }

    Result<Value> contentOf(const ChatMessage& message, bool hasCalls) const {
        if (message.parts.empty() && hasCalls && !m_form.noneIsEmpty) return jinja::None{};
        const auto role = static_cast<size_t>(message.role);
        const bool showsPictures =
            !m_form.imageMark.empty() && message.role == Role::User &&
            std::ranges::find(message.parts, PartKind::Image, &Part::kind) != message.parts.end();
        const bool areItems = std::ranges::all_of(message.parts, [&](const Part& part) {
            return part.kind == PartKind::Text || (showsPictures && part.kind == PartKind::Image);
        });
        const bool isList = areItems && (message.parts.size() > 1 || showsPictures) && m_form.lists[role];
        const bool mustBeList = m_form.needsLists[role] && !message.parts.empty();
        if (!isList && !mustBeList) return makeText(messageText(message, m_called), Origin::Message);
        std::vector<Value> items;
        const std::vector<Part> whole{{PartKind::Text, isList ? "" : messageText(message, m_called), {}}};
        for (const Part& part : isList ? message.parts : whole) {
            INGLE_TRY_ASSIGN(Value item, itemOf(part));
            items.push_back(std::move(item));
        }
        return jinja::makeList(std::move(items));
    }

    static Result<Value> itemOf(const Part& part) {
        Fields fields;
        const bool isPicture = part.kind == PartKind::Image;
        fields.set("type", makeText(isPicture ? "image" : "text", Origin::Template));
        if (!isPicture) fields.setText("text", part.text);
        return fields.take();
    }

    Result<Value> callList(std::span<const Part> calls) {
        std::vector<Value> list;
        m_open.clear();
        for (const Part& part : calls) {
            const std::string id = part.id.empty() ? fmt::format("call{:05}", m_numCalls) : part.id;
            ++m_numCalls;
            m_open.push_back(id);
            const auto call = readCall(part);
            Fields function;
            function.setText("name", call ? call->name : part.data);
            if (!call || m_form.argumentsAreText) {
                function.setText("arguments", call ? call->argumentText : part.text);
            } else {
                INGLE_TRY_ASSIGN(Value arguments, jinja::fromJson(call->arguments));
                function.set("arguments", std::move(arguments));
            }
            Fields fields;
            fields.setText("id", id);
            fields.set("type", makeText("function", Origin::Template));
            INGLE_TRY_ASSIGN(Value described, function.take());
            fields.set("function", std::move(described));
            INGLE_TRY_ASSIGN(Value value, fields.take());
            list.push_back(std::move(value));
        }
        return jinja::makeList(std::move(list));
    }

    Status addResult(const Part& part) {
        std::string id = part.id;
        if (id.empty() && !m_open.empty()) {
            id = m_open.front();
            m_open.pop_front();
        }
        Fields fields;
        fields.set("role", makeText("tool", Origin::Template));
        if (!id.empty()) fields.setText("tool_call_id", id);
        if (!part.data.empty()) fields.setText("name", part.data);
        fields.setText("content", part.text);
        return push(fields);
    }

    const MessageForm& m_form;
    CalledTools m_called;
    std::vector<Value> m_messages;
    std::deque<std::string> m_open;  ///< ids of the last calls, which results without one answer in order
    size_t m_numCalls = 0;
};

}  // namespace

Result<Value> messageValues(std::span<const ChatMessage> messages, const MessageForm& form) {
    ValueList list(form);
    for (const ChatMessage& message : messages) INGLE_TRY(list.add(message));
    return list.take();
}

}  // namespace ingle::chat
