#include <fmt/format.h>

#include <algorithm>

#include "app/serve/api/chat_messages.h"
#include "app/serve/api/json_text.h"
#include "app/serve/api/messages.h"
#include "app/serve/api/pictures.h"
#include "ingle/shown_text.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

/// Messages of blocks: results of tools stand in the user's.
class BlockReader {
  public:
    void system(std::vector<Part> parts) { m_conversation.add({Role::System, std::move(parts)}); }

    Expected<void> read(const json& object, const std::string& place) {
        Fields message(object, place);
        message.ignoreHints();
        const std::string role = message.requiredText("role");
        message.require("content");
        const json* content = message.any("content");
        if (role != "user" && role != "assistant")
            message.complain(fmt::format("Unsupported role: '{}'.", shown(role)), "role");
        m_isAnswer = role == "assistant";
        m_parts.clear();
        if (content != nullptr && content->is_string()) {
            m_parts.push_back({PartKind::Text, content->get<std::string>(), {}});
        } else if (const json* blocks = message.list("content")) {
            for (size_t index = 0; index < blocks->size(); ++index)
                if (auto read = readBlock((*blocks)[index], fmt::format("{}.content[{}]", place, index));
                    !read)
                    message.complain(read.error());
        }
        say();
        return message.finish();
    }

    std::vector<ChatMessage> take() { return m_conversation.take(); }

  private:
    /// A message of the parts so far.
    void say() {
        if (m_parts.empty()) return;
        ChatMessage message{m_isAnswer ? Role::Assistant : Role::User, std::exchange(m_parts, {})};
        if (m_isAnswer)
            m_conversation.addAnswer(std::move(message));
        else
            m_conversation.add(std::move(message));
    }

    Expected<void> readBlock(const json& object, const std::string& place) {
        Fields block(object, place);
        block.ignoreHints();
        const std::string type = block.requiredText("type");
        if (type == "text") {
            block.ignore("citations");
            m_parts.push_back({PartKind::Text, block.requiredText("text"), {}});
        } else if (type == "image" && !m_isAnswer) {
            if (auto picture = pictureOfSource(block, "source")) m_parts.push_back(*std::move(picture));
        } else if (type == "thinking" && m_isAnswer) {
            block.ignore("signature");
            m_parts.push_back({PartKind::Thought, block.requiredText("thinking"), {}});
        } else if (type == "redacted_thinking" && m_isAnswer) {
            block.ignore("data");
        } else if (type == "tool_use" && m_isAnswer) {
            const std::string id = block.requiredText("id"), name = block.requiredText("name");
            const json* input = block.object("input");
            m_parts.push_back(Conversation::call(name, input ? toText(*input) : "{}", id));
        } else if (type == "tool_result" && !m_isAnswer) {
            say();
            readResult(block);
        } else {
            block.complain({.message = fmt::format("Unsupported block of a message: '{}'.", shown(type)),
                            .param = block.placeOf("type"),
                            .code = "unsupported_field"});
        }
        return block.finish();
    }

    void readResult(Fields& block) {
        (void)block.boolean("is_error");  // its text says so
        const std::string id = block.requiredText("tool_use_id");
        const auto content = readContent(block, "content").value_or(std::vector<Part>{});
        if (!m_conversation.addResult(joinedText(content), "", id))
            block.complain(fmt::format("No message before it has a tool_use with the id '{}'.", shown(id)),
                           "tool_use_id");
    }

    Conversation m_conversation;
    bool m_isAnswer = false;
    std::vector<Part> m_parts;
};

void readBlocks(Fields& fields, AnswerRequest& request) {
    BlockReader reader;
    if (auto system = readContent(fields, "system"); system && !system->empty())
        reader.system(*std::move(system));
    fields.require("messages");
    const json* messages = fields.list("messages");
    if (messages == nullptr) return;
    if (messages->empty() || messages->size() > kMostMessages)
        return fields.complain(fmt::format("'messages' must be a list of 1 to {} messages.", kMostMessages),
                               "messages");
    for (size_t index = 0; index < messages->size(); ++index)
        if (auto read = reader.read((*messages)[index], fmt::format("messages[{}]", index)); !read)
            return fields.complain(read.error());
    request.generate.messages = reader.take();
    if (request.generate.messages.empty()) return fields.complain("The messages are empty.", "messages");
    continueLastMessage(request.generate);  // as this API has it, where the last one is an answer's beginning
}

/// Tools with their "input_schema", as chats have them. Errors, of `fields`: those that run elsewhere.
json chatToolsOf(Fields& fields, const json& tools) {
    json translated = json::array();
    for (size_t index = 0; index < tools.size(); ++index) {
        Fields tool(tools[index], fmt::format("tools[{}]", index));
        tool.ignoreHints();
        tool.expect("type", "custom");
        json function{{"name", tool.requiredText("name")}};
        if (const auto description = tool.text("description")) function["description"] = *description;
        if (const json* schema = tool.object("input_schema")) function["parameters"] = *schema;
        for (const char* name : {"strict", "input_examples", "eager_input_streaming"}) tool.ignore(name);
        if (auto whole = tool.finish(); !whole) fields.complain(whole.error());
        translated.push_back({{"type", "function"}, {"function", std::move(function)}});
    }
    return translated;
}

/// {"type": "auto", "any", "tool" with a "name", or "none"}
void readToolUse(Fields& fields, AnswerRequest& request) {
    json asChat = json::object();
    if (const json* tools = fields.list("tools"); tools != nullptr && !tools->empty())
        asChat["tools"] = chatToolsOf(fields, *tools);
    if (const json* choice = fields.object("tool_choice")) {
        Fields inner(*choice, "tool_choice");
        const std::string type = inner.requiredText("type");
        if (type == "tool")
            asChat["tool_choice"] = {{"type", "function"},
                                     {"function", {{"name", inner.requiredText("name")}}}};
        else
            asChat["tool_choice"] = type == "any" ? "required" : type;
        if (inner.boolean("disable_parallel_tool_use").value_or(false)) asChat["parallel_tool_calls"] = false;
        if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
    }
    Fields chat(asChat);
    Tools read = readTools(chat);
    if (auto whole = chat.finish(); !whole) return fields.complain(whole.error());
    applyTools(fields, std::move(read), request);
}

void readThinking(Fields& fields, PromptForm& form) {
    const json* thinking = fields.object("thinking");
    if (thinking == nullptr) return;
    Fields inner(*thinking, "thinking");
    for (const char* name : {"budget_tokens", "display"}) inner.ignore(name);
    const std::string type = inner.requiredText("type");
    if (type == "enabled")
        form.thinking = Thinking::On;
    else if (type == "disabled")
        form.thinking = Thinking::Off;
    else if (type != "adaptive")
        inner.complain("'thinking.type' must be enabled, disabled or adaptive.", "type");
    if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
}

/// {"type": "json_schema", "schema"}
void readOutputForm(Fields& fields, const char* name, GenerateRequest& request) {
    const json* described = fields.object(name);
    if (described == nullptr) return;
    Fields format(*described, fields.placeOf(name));
    format.require("type");
    format.expect("type", "json_schema");
    format.require("schema");
    if (const json* schema = format.object("schema")) request.jsonSchema = schema->dump();
    if (auto whole = format.finish(); !whole) fields.complain(whole.error());
}

/// {"effort", "format"}
void readOutputConfig(Fields& fields, GenerateRequest& request) {
    const json* config = fields.object("output_config");
    if (config == nullptr) return;
    Fields inner(*config, "output_config");
    if (const auto effort = inner.text("effort")) applyEffort(*effort, request.promptForm);
    readOutputForm(inner, "format", request);
    if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
}

void readStopSequences(Fields& fields, std::vector<std::string>& stops) {
    constexpr size_t kMostSequences = 16;
    const json* given = fields.list("stop_sequences");
    if (given == nullptr) return;
    const auto isText = [](const json& each) {
        return each.is_string() && !each.get_ref<const std::string&>().empty();
    };
    if (given->size() > kMostSequences || !std::ranges::all_of(*given, isText))
        return fields.complain(
            fmt::format("'stop_sequences' must be a list of at most {} texts.", kMostSequences),
            "stop_sequences");
    for (const json& each : *given) stops.push_back(each.get<std::string>());
}

void readMessagesBody(Fields& fields, AnswerRequest& request) {
    readCommon(fields, request);
    readLimit(fields, "max_tokens", request);
    readBlocks(fields, request);
    readStopSequences(fields, request.generate.stops);
    readThinking(fields, request.generate.promptForm);
    readOutputForm(fields, "output_format", request.generate);
    readOutputConfig(fields, request.generate);
    readToolUse(fields, request);
}

}  // namespace

Expected<AnswerRequest> readMessagesRequest(std::string_view body) {
    return readBody<AnswerRequest>(body, readMessagesBody);
}

}  // namespace ingle::serve::api
