#include "app/bridge/chat_request.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "app/bridge/json_text.h"
#include "app/bridge/sampler_fields.h"
#include "ingle/role_name.h"

namespace ingle::bridge {
namespace {

using nlohmann::json;

struct ToolCall {
    std::string name;
    std::string arguments;  ///< JSON
};

/// The call in a model's own form: {"name": …, "arguments": {…}} (or "parameters", as Llama 3.1 has it), or
/// the arguments alone of a tool that is named beside them.
std::optional<ToolCall> readCall(const Part& part) {
    const auto call = readJson(part.text);
    if (!call || !call->is_object()) return std::nullopt;
    const auto name = textAt(*call, "name");
    for (const char* member : {"arguments", "parameters"}) {
        const json& arguments = memberAt(*call, member);
        if (name && arguments.is_object()) return ToolCall{*name, writeJson(arguments)};
        if (name && arguments.is_string()) return ToolCall{*name, arguments.get<std::string>()};
    }
    if (part.data.empty()) return std::nullopt;
    return ToolCall{part.data, writeJson(*call)};
}

/// Builds the list; calls get ids, which the results that follow name.
class Messages {
  public:
    void add(const ChatMessage& message) {
        for (const Part& part : message.parts) add(message.role, part);
        flush();
    }
    json take() { return std::move(m_list); }

  private:
    struct Open {
        std::string id, name;
    };

    void add(Role role, const Part& part) {
        if (part.text.empty() && part.kind != PartKind::ToolResult) return;
        begin(role);
        switch (part.kind) {
            case PartKind::Thought:
                return;
            case PartKind::ToolCall: {
                const auto call = role == Role::Assistant ? readCall(part) : std::nullopt;
                if (!call) return addBlock("tool_call", part.text);
                const std::string id = part.id.empty() ? fmt::format("call_{}", ++m_numCalls) : part.id;
                m_calls.push_back({{"id", id},
                                   {"type", "function"},
                                   {"function", {{"name", call->name}, {"arguments", call->arguments}}}});
                m_open.push_back({id, call->name});
                return;
            }
            case PartKind::ToolResult: {
                const auto id = answered(part);
                if (!id) return addBlock("tool_result", part.text);
                flush();
                m_list.push_back({{"role", "tool"}, {"tool_call_id", *id}, {"content", part.text}});
                return;
            }
            case PartKind::Attachment:
            case PartKind::Source:
                m_text += fmt::format("{}:\n\n{}\n\n", part.data, part.text);
                return;
            case PartKind::Text:
            case PartKind::Image:
                m_text += part.text;
                return;
        }
    }
    void addBlock(const char* name, const std::string& text) {
        m_text += fmt::format("\n```{}\n{}\n```\n", name, text);
    }
    void begin(Role role) {
        m_role = role;
        m_isOpen = true;
    }
    void flush() {
        if (!m_isOpen) return;
        if (!m_text.empty() || !m_calls.empty()) {
            json message{{"role", roleName(m_role)}, {"content", m_text}};
            if (!m_calls.empty()) message["tool_calls"] = m_calls;
            m_list.push_back(std::move(message));
        }
        m_text.clear();
        m_calls = json::array();
        m_isOpen = false;
    }
    /// The call with the result's id, else the earliest one without a result, of that tool where it is named.
    std::optional<std::string> answered(const Part& result) {
        auto found = result.id.empty() ? std::ranges::find(m_open, result.data, &Open::name)
                                       : std::ranges::find(m_open, result.id, &Open::id);
        if (found == m_open.end() && result.data.empty() && result.id.empty()) found = m_open.begin();
        if (found == m_open.end()) return std::nullopt;
        std::string id = found->id;
        m_open.erase(found);
        return id;
    }

    json m_list = json::array();
    Role m_role = Role::User;
    bool m_isOpen = false;
    std::string m_text;
    json m_calls = json::array();
    uint32_t m_numCalls = 0;
    std::deque<Open> m_open;
};

Status refuse(const GenerateRequest& request) {
    const auto unsupported = [](const char* sentence) {
        return fail(ErrorCode::Unsupported, "{}", sentence);
    };
    if (!request.resumeIds.empty()) return unsupported("A model far away does not go on from ids of tokens.");
    if (!request.rawTokens.empty()) return unsupported("A model far away is not given ids of tokens.");
    if (!request.rawPrompt.empty() || request.messages.empty())
        return unsupported("A model far away is given messages, and no raw text.");
    if (!request.grammar.empty())
        return unsupported("A model far away follows a JSON Schema, and no grammar.");
    if (!request.promptForm.chatTemplate.empty())
        return unsupported("A model far away has its own chat template and is given no other.");
    if (request.chances > 0)
        return unsupported("A model far away does not tell ids of tokens, and so no chances of them.");
    return {};
}

/// JSON that the request has as text.
Result<json> given(const std::string& text, const char* what) {
    auto read = readJson(text);
    if (!read) return fail(ErrorCode::InvalidArgument, "{} is no JSON.", what);
    return std::move(*read);
}

}  // namespace

json chatMessages(std::span<const ChatMessage> messages) {
    Messages made;
    for (const ChatMessage& message : messages) made.add(message);
    return made.take();
}

Result<json> chatRequest(const GenerateRequest& request, const std::string& model) {
    INGLE_TRY(refuse(request));
    json body{{"model", model},
              {"messages", chatMessages(request.messages)},
              {"stream", true},
              {"stream_options", {{"include_usage", true}}}};
    addSampler(body, request.sampler);
    if (request.maxTokens > 0) body["max_tokens"] = request.maxTokens;
    if (!request.stops.empty()) body["stop"] = request.stops;
    if (!request.jsonSchema.empty()) {
        INGLE_TRY_ASSIGN(json schema, given(request.jsonSchema, "The schema of the answer"));
        body["response_format"] = {
            {"type", "json_schema"},
            {"json_schema", {{"name", "answer"}, {"strict", true}, {"schema", std::move(schema)}}}};
    }
    if (!request.promptForm.tools.empty()) {
        INGLE_TRY_ASSIGN(body["tools"], given(request.promptForm.tools, "The list of tools"));
    }
    if (!request.promptForm.templateArguments.empty())
        body["chat_template_kwargs"] =
            readJson(request.promptForm.templateArguments).value_or(json::object());
    if (request.promptForm.thinking != Thinking::AsUsual)
        body["chat_template_kwargs"]["enable_thinking"] = request.promptForm.thinking == Thinking::On;
    return body;
}

json continuedRequest(json request, const std::string& text, uint32_t tokens) {
    if (text.empty()) return request;  // nothing is there to go on from
    request["messages"].push_back({{"role", "assistant"}, {"content", text}});
    request["continue_final_message"] = true;
    request["add_generation_prompt"] = false;
    if (const auto most = countAt(request, "max_tokens"))
        request["max_tokens"] = *most > tokens ? *most - tokens : 1;
    return request;
}

bool refusesToContinue(std::string_view refusal) {
    return namesField(refusal, "continue_final_message") || namesField(refusal, "add_generation_prompt");
}

}  // namespace ingle::bridge
