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

constexpr size_t kMostPrompts = 64;

/// What both of OpenAI's older endpoints have.
void readAnswers(Fields& fields, AnswerRequest& request) {
    readCommon(fields, request);
    request.answers = static_cast<unsigned>(fields.integer("n", 1, kMostAtOnce).value_or(1));
    if (const json* options = fields.object("stream_options")) {
        Fields inner(*options, "stream_options");
        request.withUsage = inner.boolean("include_usage").value_or(false);
        inner.expect("include_obfuscation", false);
        if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
    }
    readLimit(fields, "n_predict", request);
    readLimit(fields, "max_tokens", request);
}

void readResponseFormat(Fields& fields, GenerateRequest& request) {
    // llama.cpp's server has the schema there.
    if (const json* schema = fields.object("json_schema")) request.jsonSchema = schema->dump();
    const json* format = fields.object("response_format");
    if (format == nullptr) return;
    Fields inner(*format, "response_format");
    inner.require("type");
    const std::string type = inner.text("type").value_or("");
    if (type == "json_object") {
        request.jsonSchema = R"({"type":"object"})";
        if (const json* schema = inner.object("schema")) request.jsonSchema = schema->dump();
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
    const auto& messages = request.generate.messages;
    if (!goesOn || messages.empty() || continueLastMessage(request.generate)) return;
    fields.complain(messages.back().role == Role::Assistant
                        ? "Only text can be continued, and no thought or call."
                        : "The final message is not the assistant's.",
                    "continue_final_message");
}

void readChat(Fields& fields, AnswerRequest& request) {
    readAnswers(fields, request);
    readLimit(fields, "max_completion_tokens", request);
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
    if (const auto effort = fields.text("reasoning_effort"))
        applyEffort(*effort, request.generate.promptForm);
    readResponseFormat(fields, request.generate);
    applyTools(fields, readTools(fields), request);
    request.withChances = fields.boolean("logprobs").value_or(false);
    request.top = static_cast<unsigned>(fields.integer("top_logprobs", 0, kMostTop).value_or(0));
    if (request.top > 0 && !request.withChances)
        fields.complain("'top_logprobs' needs 'logprobs'.", "top_logprobs");
    if (request.withChances) request.generate.chances = std::max(request.top, 1U);
    fields.expect("modalities", json::array({"text"}));
}

/// A text, ids of tokens, or a list of either.
std::optional<std::vector<RawPrompt>> promptsIn(const json& given) {
    const auto isId = [](const json& each) {
        return each.is_number_integer() && each >= 0 && each <= std::numeric_limits<TokenId>::max();
    };
    const auto isIds = [&](const json& each) {
        return each.is_array() && !each.empty() && std::ranges::all_of(each, isId);
    };
    std::vector<RawPrompt> prompts;
    for (const json& each : given.is_string() || isIds(given) ? json::array({given}) : given) {
        if (each.is_string() && !each.get_ref<const std::string&>().empty())
            prompts.push_back({each.get<std::string>(), {}});
        else if (isIds(each))
            prompts.push_back({{}, each.get<std::vector<TokenId>>()});
        else
            return std::nullopt;
    }
    return prompts;
}

void readCompletion(Fields& fields, AnswerRequest& request) {
    readAnswers(fields, request);
    fields.require("prompt");
    if (const json* given = fields.any("prompt")) {
        auto prompts = promptsIn(*given);
        if (!prompts || prompts->empty() || prompts->size() > kMostPrompts)
            fields.complain(
                fmt::format("'prompt' must be a text that is not empty, a list of token ids, or a "
                            "list of 1 to {} of these.",
                            kMostPrompts),
                "prompt");
        else
            request.prompts = std::move(*prompts);
    }
    fields.expect("echo", false);
    fields.expect("best_of", 1);
    if (const auto top = fields.integer("logprobs", 0, kMostTop)) {
        request.withChances = true;
        request.top = static_cast<unsigned>(*top);
        request.generate.chances = std::max(request.top, 1U);
    }
}

}  // namespace

void readCommon(Fields& fields, AnswerRequest& request) {
    request.model = fields.text("model").value_or("");
    request.isStreamed = fields.boolean("stream").value_or(false);
    readSampling(fields, request.generate);
    request.generate.whenFull = WhenFull::Refuse;
    fields.ignoreHints();
}

void readLimit(Fields& fields, std::string_view name, AnswerRequest& request) {
    const auto most = fields.integer(name, -1, std::numeric_limits<int32_t>::max());
    if (!most) return;
    if (*most == 0) request.calls = Calls::Nothing;
    request.generate.maxTokens = *most < 0 ? 0 : static_cast<uint32_t>(std::max<int64_t>(*most, 1));
}

bool continueLastMessage(GenerateRequest& request) {
    const ChatMessage& last = request.messages.back();
    const auto isText = [](const Part& part) { return part.kind == PartKind::Text; };
    if (last.role != Role::Assistant || !std::ranges::all_of(last.parts, isText)) return false;
    request.resumeText = textOf(last.parts, PartKind::Text);
    request.messages.pop_back();
    return true;
}

void applyTools(Fields& fields, Tools tools, AnswerRequest& request) {
    GenerateRequest& generate = request.generate;
    const bool isDemanded = !tools.schema.empty();
    generate.promptForm.tools = std::move(tools.list);
    if (isDemanded && !generate.resumeText.empty())
        fields.complain("A demanded call cannot continue a text.", "tool_choice");
    if (isDemanded && !(generate.grammar.empty() && generate.jsonSchema.empty()))
        fields.complain(
            "A demanded call has a form of its own: no 'grammar' or 'response_format' goes beside it.",
            "tool_choice");
    if (isDemanded) generate.jsonSchema = std::move(tools.schema);
    if (request.calls == Calls::Nothing) return;
    if (tools.isSingle) request.calls = Calls::First;
    if (isDemanded) request.calls = Calls::Demanded;
}

void applyEffort(const std::string& effort, PromptForm& form) {
    if (effort == "none") {
        form.thinking = Thinking::Off;
        return;
    }
    json arguments = form.templateArguments.empty() ? json::object() : parseJson(form.templateArguments);
    if (!arguments.contains("reasoning_effort")) arguments["reasoning_effort"] = effort;
    form.templateArguments = toText(arguments);
}

Expected<AnswerRequest> readChatRequest(std::string_view body) {
    return readBody<AnswerRequest>(body, readChat);
}

Expected<AnswerRequest> readCompletionRequest(std::string_view body) {
    return readBody<AnswerRequest>(body, readCompletion);
}

}  // namespace ingle::serve::api
