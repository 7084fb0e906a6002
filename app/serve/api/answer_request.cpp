#include "app/serve/api/answer_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/serve/api/chat_messages.h"
#include "app/serve/api/json_text.h"
#include "app/serve/api/sampling.h"
#include "app/serve/api/tools.h"
#include "ingle/shown_text.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;

/// What both endpoints have.
void readCommon(Fields& fields, AnswerRequest& request) {
    request.model = fields.requiredText("model");
    request.answers = static_cast<unsigned>(fields.integer("n", 1, kMostAtOnce).value_or(1));
    request.isStreamed = fields.boolean("stream").value_or(false);
    if (const json* options = fields.object("stream_options")) {
        Fields inner(*options, "stream_options");
        request.withUsage = inner.boolean("include_usage").value_or(false);
        inner.expect("include_obfuscation", false);
        if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
    }
    readSampling(fields, request.generate);
    const auto most = fields.integer("max_tokens", 1, std::numeric_limits<int32_t>::max());
    if (most) request.generate.maxTokens = static_cast<uint32_t>(*most);
    request.generate.whenFull = WhenFull::Refuse;
    for (const char* name : {"user", "metadata", "safety_identifier"}) fields.ignore(name);
}

void readResponseFormat(Fields& fields, GenerateRequest& request) {
    const json* format = fields.object("response_format");
    if (format == nullptr) return;
    Fields inner(*format, "response_format");
    inner.require("type");
    const std::string type = inner.text("type").value_or("");
    if (type == "json_object") {
        request.jsonSchema = R"({"type":"object"})";
    } else if (type == "json_schema") {
        inner.require("json_schema");
        if (const json* described = inner.object("json_schema")) {
            Fields schema(*described, "response_format.json_schema");
            for (const char* name : {"name", "description"}) (void)schema.text(name);
            (void)schema.boolean("strict");  // it always is
            schema.require("schema");
            if (const json* given = schema.object("schema")) request.jsonSchema = given->dump();
            if (auto whole = schema.finish(); !whole) inner.complain(whole.error());
        }
    } else if (type != "text") {
        inner.complain(fmt::format("Unsupported value of 'response_format.type': '{}'.", shown(type)),
                       "type");
    }
    if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
}

/// Variables of the chat template (vLLM's name for them): whichever it has, as `enable_thinking`.
void readTemplateArguments(Fields& fields, PromptForm& form) {
    const json* arguments = fields.object("chat_template_kwargs");
    if (arguments == nullptr || arguments->empty()) return;
    for (const char* name : {"messages", "tools", "add_generation_prompt"})
        if (arguments->contains(name))
            fields.complain(fmt::format("'{}' is no argument of a chat template.", name),
                            "chat_template_kwargs");
    form.templateArguments = toText(*arguments);
}

/// An answer that goes on (vLLM's continue_final_message): its beginning is taken off the messages.
void readContinuation(Fields& fields, AnswerRequest& request) {
    const bool goesOn = fields.boolean("continue_final_message").value_or(false);
    const auto isNew = fields.boolean("add_generation_prompt");
    if (isNew && *isNew == goesOn)
        fields.complain("'add_generation_prompt' must be the opposite of 'continue_final_message'.",
                        "add_generation_prompt");
    auto& messages = request.generate.messages;
    if (!goesOn || messages.empty()) return;
    if (messages.back().role != Role::Assistant)
        return fields.complain("The final message is not the assistant's.", "continue_final_message");
    const auto isText = [](const Part& part) { return part.kind == PartKind::Text; };
    if (!std::ranges::all_of(messages.back().parts, isText))
        return fields.complain("Only text can be continued, and no thought or call.",
                               "continue_final_message");
    request.generate.resumeText = textOf(messages.back().parts, PartKind::Text);
    messages.pop_back();
}

void readChat(Fields& fields, AnswerRequest& request) {
    readCommon(fields, request);
    if (const auto most = fields.integer("max_completion_tokens", 1, std::numeric_limits<int32_t>::max()))
        request.generate.maxTokens = static_cast<uint32_t>(*most);
    fields.require("messages");
    if (const json* messages = fields.any("messages")) {
        auto read = readMessages(*messages);
        if (read)
            request.generate.messages = std::move(*read);
        else
            fields.complain(read.error());
    }
    readContinuation(fields, request);
    readTemplateArguments(fields, request.generate.promptForm);
    const Tools tools = readTools(fields);
    request.generate.promptForm.tools = tools.list;
    readResponseFormat(fields, request.generate);
    if (!tools.schema.empty() && !request.generate.resumeText.empty())
        fields.complain("A demanded call cannot continue a text.", "tool_choice");
    if (!tools.schema.empty() && !(request.generate.grammar.empty() && request.generate.jsonSchema.empty()))
        fields.complain(
            "A demanded call has a form of its own: no 'grammar' or 'response_format' goes beside it.",
            "tool_choice");
    if (tools.isSingle) request.calls = Calls::First;
    if (!tools.schema.empty()) {
        request.calls = Calls::Demanded;
        request.generate.jsonSchema = tools.schema;
    }
    request.withChances = fields.boolean("logprobs").value_or(false);
    request.top = static_cast<unsigned>(fields.integer("top_logprobs", 0, kMostTop).value_or(0));
    if (request.top > 0 && !request.withChances)
        fields.complain("'top_logprobs' needs 'logprobs'.", "top_logprobs");
    if (request.withChances) request.generate.chances = std::max(request.top, 1U);
    fields.expect("modalities", json::array({"text"}));
    fields.expect("store", false);
}

void readCompletion(Fields& fields, AnswerRequest& request) {
    readCommon(fields, request);
    fields.require("prompt");
    if (const json* prompt = fields.any("prompt")) {
        const json& only = prompt->is_array() && prompt->size() == 1 ? prompt->front() : *prompt;
        if (only.is_string())
            request.generate.rawPrompt = only.get<std::string>();
        else
            fields.complain("'prompt' must be a text.", "prompt");
    }
    if (request.generate.rawPrompt.empty()) fields.complain("'prompt' must not be empty.", "prompt");
    fields.expect("echo", false);
    fields.expect("best_of", 1);
    if (const auto top = fields.integer("logprobs", 0, kMostTop)) {
        request.withChances = true;
        request.top = static_cast<unsigned>(*top);
        request.generate.chances = std::max(request.top, 1U);
    }
}

}  // namespace

Expected<AnswerRequest> readChatRequest(std::string_view body) {
    return readBody<AnswerRequest>(body, readChat);
}

Expected<AnswerRequest> readCompletionRequest(std::string_view body) {
    return readBody<AnswerRequest>(body, readCompletion);
}

}  // namespace ingle::serve::api
