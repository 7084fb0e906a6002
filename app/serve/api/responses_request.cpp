#include <fmt/format.h>

#include <algorithm>

#include "app/serve/api/chat_messages.h"
#include "app/serve/api/json_text.h"
#include "app/serve/api/responses.h"
#include "ingle/shown_text.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

void complainOfItem(Fields& item, const std::string& type) {
    item.complain({.message = fmt::format("Unsupported item: '{}'.", shown(type)),
                   .param = item.placeOf("type"),
                   .code = "unsupported_field"});
}

/// Items of the input, one after the other: those of one answer become one message.
class ItemReader {
  public:
    void instructions(std::string text) { m_conversation.add(textMessage(Role::System, std::move(text))); }
    void question(std::string text) { m_conversation.add(textMessage(Role::User, std::move(text))); }

    Expected<void> read(const json& object, const std::string& place) {
        Fields item(object, place);
        for (const char* name : {"id", "status", "phase"}) item.ignore(name);
        item.ignoreHints();
        const std::string type = item.text("type").value_or("message");
        if (type == "message") {
            readMessage(item);
        } else if (type == "function_call") {
            for (const char* name : {"call_id", "name"}) item.require(name);
            m_conversation.addToAnswer(Conversation::call(item.text("name").value_or(""),
                                                          item.text("arguments").value_or("{}"),
                                                          item.text("call_id").value_or("")));
        } else if (type == "function_call_output") {
            readResult(item);
        } else if (type == "reasoning") {
            readThought(item);
        } else {
            complainOfItem(item, type);
        }
        return item.finish();
    }

    bool isEmpty() const { return m_conversation.isEmpty(); }
    std::vector<ChatMessage> take() { return m_conversation.take(); }

  private:
    static std::vector<Part> partsOf(Fields& item, const char* name) {
        item.require(name);
        return readContent(item, name, {"input_text", "output_text", "text", "input_image"})
            .value_or(std::vector<Part>{});
    }

    void readMessage(Fields& item) {
        const std::string role = item.requiredText("role");
        std::vector<Part> parts = partsOf(item, "content");
        const bool hasPictures = std::ranges::find(parts, PartKind::Image, &Part::kind) != parts.end();
        if (hasPictures && role != "user")
            item.complain("Only the user's messages may have pictures.", "content");
        if (role == "assistant") {
            for (Part& part : parts) m_conversation.addToAnswer(std::move(part));
        } else if (role == "system" || role == "developer") {
            m_conversation.add({Role::System, std::move(parts), role == "developer"});
        } else if (role == "user") {
            m_conversation.add({Role::User, std::move(parts)});
        } else {
            item.complain(fmt::format("Unsupported role: '{}'.", shown(role)), "role");
        }
    }

    void readResult(Fields& item) {
        const std::string id = item.requiredText("call_id");
        if (!m_conversation.addResult(joinedText(partsOf(item, "output")), "", id))
            item.complain(fmt::format("No item before it is a function call with the id '{}'.", shown(id)),
                          "call_id");
    }

    void readThought(Fields& item) {
        item.ignore("encrypted_content");
        const auto content = readContent(item, "content", {"reasoning_text", "text"});
        const auto summary = readContent(item, "summary", {"summary_text"});
        const std::string thought = joinedText(content && !content->empty() ? *content
                                               : summary                    ? *summary
                                                                            : std::vector<Part>{});
        if (!thought.empty()) m_conversation.addToAnswer({PartKind::Thought, thought, {}});
    }

    Conversation m_conversation;
};

void readInput(Fields& fields, AnswerRequest& request) {
    ItemReader reader;
    if (auto instructions = fields.text("instructions"); instructions && !instructions->empty())
        reader.instructions(*std::move(instructions));
    fields.require("input");
    const json* input = fields.any("input");
    if (input == nullptr) return;
    if (input->is_string()) {
        reader.question(input->get<std::string>());
    } else if (input->is_array() && !input->empty() && input->size() <= kMostMessages) {
        for (size_t index = 0; index < input->size(); ++index)
            if (auto read = reader.read((*input)[index], fmt::format("input[{}]", index)); !read)
                return fields.complain(read.error());
    } else {
        return fields.complain(
            fmt::format("'input' must be a text or a list of 1 to {} items.", kMostMessages), "input");
    }
    request.generate.messages = reader.take();
}

/// {"type": "function", "name", "description", "parameters"} as chats have it. Errors, of `fields`: others.
json toolsOfChat(Fields& fields, const json& tools) {
    json translated = json::array();
    for (size_t index = 0; index < tools.size(); ++index) {
        Fields tool(tools[index], fmt::format("tools[{}]", index));
        tool.require("type");
        tool.expect("type", "function");
        tool.require("name");
        for (const char* name : {"strict", "name", "description", "parameters"}) tool.ignore(name);
        tool.ignoreHints();
        if (auto whole = tool.finish(); !whole) fields.complain(whole.error());
        json function = tools[index];
        if (function.is_object()) function.erase("type");
        translated.push_back({{"type", "function"}, {"function", std::move(function)}});
    }
    return translated;
}

void readFunctions(Fields& fields, AnswerRequest& request) {
    json asChat = json::object();
    if (const json* tools = fields.list("tools"); tools != nullptr && !tools->empty())
        asChat["tools"] = toolsOfChat(fields, *tools);
    if (const json* choice = fields.any("tool_choice")) {
        asChat["tool_choice"] = *choice;
        if (choice->is_object() && choice->contains("name"))
            asChat["tool_choice"] = {{"type", choice->value("type", json())},
                                     {"function", {{"name", (*choice)["name"]}}}};
    }
    if (const auto parallel = fields.boolean("parallel_tool_calls"))
        asChat["parallel_tool_calls"] = *parallel;
    Fields chat(asChat);
    Tools read = readTools(chat);
    if (auto whole = chat.finish(); !whole) return fields.complain(whole.error());
    applyTools(fields, std::move(read), request);
}

/// {"format": {"type": "json_schema", "name", "schema", "strict"}, "verbosity"}
void readTextForm(Fields& fields, GenerateRequest& request) {
    const json* text = fields.object("text");
    if (text == nullptr) return;
    Fields inner(*text, "text");
    inner.ignoreHints();
    if (const json* described = inner.object("format")) {
        Fields format(*described, "text.format");
        const std::string type = format.requiredText("type");
        for (const char* name : {"name", "description", "strict"}) format.ignore(name);
        if (type == "json_schema") {
            format.require("schema");
            if (const json* schema = format.object("schema")) request.jsonSchema = schema->dump();
        } else if (type == "json_object") {
            request.jsonSchema = R"({"type":"object"})";
        } else if (type != "text") {
            format.complain(fmt::format("Unsupported value of 'text.format.type': '{}'.", shown(type)),
                            "type");
        }
        if (auto whole = format.finish(); !whole) inner.complain(whole.error());
    }
    if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
}

void readEffort(Fields& fields, PromptForm& form) {
    const json* reasoning = fields.object("reasoning");
    if (reasoning == nullptr) return;
    Fields inner(*reasoning, "reasoning");
    for (const char* name : {"summary", "generate_summary"}) inner.ignore(name);
    if (const auto effort = inner.text("effort")) applyEffort(*effort, form);
    if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
}

void readTruncation(Fields& fields, GenerateRequest& request) {
    const std::string truncation = fields.text("truncation").value_or("disabled");
    if (truncation == "auto")
        request.whenFull = WhenFull::DropOldest;
    else if (truncation != "disabled")
        fields.complain("'truncation' must be auto or disabled.", "truncation");
}

/// What an answer repeats of its request.
json echoOf(const json& body) {
    json echoed{{"instructions", nullptr},
                {"max_output_tokens", nullptr},
                {"metadata", json::object()},
                {"parallel_tool_calls", true},
                {"reasoning", {{"effort", nullptr}, {"summary", nullptr}}},
                {"temperature", nullptr},
                {"text", {{"format", {{"type", "text"}}}}},
                {"tool_choice", "auto"},
                {"tools", json::array()},
                {"top_p", nullptr},
                {"truncation", "disabled"},
                {"user", nullptr}};
    for (auto usual = echoed.begin(); usual != echoed.end(); ++usual)
        if (const auto given = body.find(usual.key()); given != body.end() && !given->is_null())
            usual.value() = *given;
    return echoed;
}

void readAll(Fields& fields, AnswerRequest& request) {
    readCommon(fields, request);
    readLimit(fields, "max_output_tokens", request);
    readInput(fields, request);
    readTextForm(fields, request.generate);
    readEffort(fields, request.generate.promptForm);
    readFunctions(fields, request);
    readTruncation(fields, request.generate);
    if (fields.text("previous_response_id"))
        fields.complain({.message = "Nothing is stored here: send the items before it as 'input'.",
                         .param = "previous_response_id",
                         .code = "unsupported_field"});
    for (const char* name : {"include", "stream_options", "max_tool_calls"}) fields.ignore(name);
    fields.expect("background", false);
    fields.expect("top_logprobs", 0);
}

}  // namespace

Expected<ResponsesRequest> readResponsesRequest(std::string_view body) {
    auto parsed = parseBody(body);
    if (!parsed) return tl::unexpected(parsed.error());
    Fields fields(*parsed);
    ResponsesRequest request;
    readAll(fields, request.answer);
    if (auto whole = fields.finish(); !whole) return tl::unexpected(whole.error());
    request.echoed = echoOf(*parsed);
    return request;
}

}  // namespace ingle::serve::api
