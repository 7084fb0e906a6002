/// The APIs beside OpenAI's chats: what of their requests reaches the engine, and how they tell an answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "app/serve/api/json_text.h"
#include "app/serve/api/messages.h"
#include "app/serve/api/ollama.h"
#include "app/serve/api/responses.h"

namespace ingle::serve::api {
namespace {

using json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const AnswerName kName{"x_1", "m", 7};
constexpr Usage kUsage{.promptTokens = 9, .cachedTokens = 4, .newTokens = 3, .thoughtTokens = 1};

/// A thought, a text and a call.
Choice choiceWithAll() {
    Choice choice(0, Calls::AsWritten);
    choice.add({{PartKind::Thought, "Hm.", {}, false}}, {}, 1);
    choice.add({{PartKind::Text, "Let me see.", {}, true}}, {});
    choice.add({{PartKind::ToolCall, R"({"name":"f","arguments":{"a":1}})", {}, true, "callid001"}}, {});
    choice.finish({});
    return choice;
}

std::string streamed(AnswerForm& form) {
    Choice choice(0, Calls::AsWritten);
    std::string told = form.first(kName, 0, {.promptTokens = 9});
    const auto tell = [&](const Delta& delta) {
        if (!delta.isEmpty()) told += form.delta(kName, delta);
    };
    tell(choice.add({{PartKind::Thought, "H", {}, false}}, {}, 1));
    tell(choice.add({{PartKind::Thought, "m.", {}, false}}, {}));
    tell(choice.add({{PartKind::Text, "Let me see.", {}, true}}, {}));
    tell(
        choice.add({{PartKind::ToolCall, R"({"name":"f","arguments":{"a":1}})", {}, true, "callid001"}}, {}));
    tell(choice.finish({}));
    told += form.last(kName, choice);
    return told + form.end(kName, std::span(&choice, 1), kUsage);
}

/// The data of server-sent events, whose names are the types of the data.
std::vector<json> eventsOf(const std::string& told) {
    std::vector<json> events;
    for (size_t at = 0; at < told.size();) {
        const size_t end = told.find("\n\n", at);
        const std::string event = told.substr(at, end - at);
        const size_t data = event.find("\ndata: ");
        EXPECT_TRUE(event.starts_with("event: ")) << event;
        events.push_back(parseJson(event.substr(data + 7)));
        EXPECT_EQ(event.substr(7, data - 7), events.back()["type"].get<std::string>());
        at = end + 2;
    }
    return events;
}

std::vector<std::string> typesOf(const std::vector<json>& events) {
    std::vector<std::string> types;
    for (const json& each : events) types.push_back(each["type"]);
    return types;
}

template <typename Request>
std::string refusedField(const Expected<Request>& request) {
    return request ? "taken" : request.error().param;
}

const ChatMessage kCall{Role::Assistant,
                        {{PartKind::Thought, "Hm.", {}},
                         {PartKind::Text, "So.", {}},
                         {PartKind::ToolCall, R"({"name":"f","arguments":"{\"a\":1}"})", "f", "c1"}}};
const ChatMessage kResult{Role::User, {{PartKind::ToolResult, "Rain.", {}, "c1"}}};

TEST(Responses, ItemsBecomeMessages) {
    const auto request = readResponsesRequest(R"({"model":"m","instructions":"Be brief.","input":[
        {"role":"user","content":"Cold?"},
        {"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"Hm."}]},
        {"type":"message","id":"msg_1","status":"completed","role":"assistant",
         "content":[{"type":"output_text","text":"So.","annotations":[],"logprobs":[]}]},
        {"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{\"a\":1}","status":"completed"},
        {"type":"function_call_output","call_id":"c1","output":"Rain."},
        {"role":"user","content":[{"type":"input_text","text":"And?"}]}],
        "max_output_tokens":5,"temperature":0.5,"store":true,"reasoning":{"effort":"low","summary":"auto"},
        "text":{"format":{"type":"json_schema","name":"n","strict":true,"schema":{"type":"null"}},"verbosity":"low"},
        "include":["reasoning.encrypted_content"],"truncation":"auto"})");
    ASSERT_TRUE(request) << request.error().message;
    const GenerateRequest& generate = request->answer.generate;
    EXPECT_THAT(generate.messages,
                ElementsAre(textMessage(Role::System, "Be brief."), textMessage(Role::User, "Cold?"), kCall,
                            kResult, textMessage(Role::User, "And?")));
    EXPECT_EQ(generate.maxTokens, 5u);
    EXPECT_EQ(generate.sampler.temperature, 0.5F);
    EXPECT_EQ(generate.jsonSchema, R"({"type":"null"})");
    EXPECT_EQ(generate.promptForm.templateArguments, R"({"reasoning_effort":"low"})");
    EXPECT_EQ(generate.whenFull, WhenFull::DropOldest);
    EXPECT_EQ(request->echoed["instructions"], "Be brief.");
}

TEST(Responses, ToolsAreThoseOfChats) {
    const auto request = readResponsesRequest(
        R"({"input":"x","tools":[{"type":"function","name":"f","description":"d","strict":true,)"
        R"("parameters":{"type":"object","properties":{}}}],"tool_choice":{"type":"function","name":"f"}})");
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->answer.calls, Calls::Demanded);
    const json tools = parseJson(request->answer.generate.promptForm.tools);
    EXPECT_EQ(tools[0]["function"]["name"], "f");
    EXPECT_EQ(tools[0]["function"]["parameters"]["type"], "object");
}

TEST(Responses, MistakesNameTheirField) {
    EXPECT_EQ(refusedField(readResponsesRequest("{}")), "input");
    EXPECT_EQ(refusedField(readResponsesRequest(R"({"input":"x","previous_response_id":"resp_1"})")),
              "previous_response_id");
    EXPECT_EQ(refusedField(readResponsesRequest(R"({"input":"x","tools":[{"type":"web_search"}]})")),
              "tools[0].type");
    EXPECT_EQ(refusedField(readResponsesRequest(R"({"input":[{"type":"item_reference","id":"a"}]})")),
              "input[0].type");
    EXPECT_EQ(refusedField(readResponsesRequest(
                  R"({"input":[{"type":"function_call_output","call_id":"a","output":"x"}]})")),
              "input[0].call_id");
    EXPECT_EQ(refusedField(readResponsesRequest(R"({"input":"x","background":true})")), "background");
}

TEST(Responses, AStreamEndsWithWhatAWholeAnswerSays) {
    const Choice choice = choiceWithAll();
    const json whole = parseJson(responsesForm()->whole(kName, std::span(&choice, 1), kUsage));
    ASSERT_EQ(whole["output"].size(), 3u);
    EXPECT_EQ(whole["status"], "completed");
    EXPECT_EQ(whole["output"][0]["content"][0]["text"], "Hm.");
    EXPECT_EQ(whole["output"][1]["content"][0]["text"], "Let me see.");
    EXPECT_EQ(whole["output"][2]["call_id"], "callid001");
    EXPECT_EQ(whole["output"][2]["arguments"], R"({"a":1})");
    EXPECT_EQ(whole["usage"]["input_tokens_details"]["cached_tokens"], 4);
    EXPECT_EQ(whole["usage"]["output_tokens_details"]["reasoning_tokens"], 1);
    const auto events = eventsOf(streamed(*responsesForm()));
    EXPECT_THAT(
        typesOf(events),
        ElementsAre("response.created", "response.in_progress", "response.output_item.added",
                    "response.content_part.added", "response.reasoning_text.delta",
                    "response.reasoning_text.delta", "response.reasoning_text.done",
                    "response.content_part.done", "response.output_item.done", "response.output_item.added",
                    "response.content_part.added", "response.output_text.delta", "response.output_text.done",
                    "response.content_part.done", "response.output_item.done", "response.output_item.added",
                    "response.function_call_arguments.delta", "response.function_call_arguments.done",
                    "response.output_item.done", "response.completed"));
    for (size_t number = 0; number < events.size(); ++number)
        EXPECT_EQ(events[number]["sequence_number"], number);
    EXPECT_EQ(events.back()["response"]["output"], whole["output"]);
}

TEST(Responses, AnEmptyAnswerAndACutOne) {
    Choice choice(0, Calls::AsWritten);
    GenerateResult cut;
    cut.reason = StopReason::MaxTokens;
    choice.finish(cut);
    const json whole = parseJson(responsesForm()->whole(kName, std::span(&choice, 1), kUsage));
    EXPECT_EQ(whole["status"], "incomplete");
    EXPECT_EQ(whole["incomplete_details"]["reason"], "max_output_tokens");
    EXPECT_EQ(whole["output"][0]["content"][0]["text"], "");
    const auto failed =
        eventsOf(responsesForm()->failed(kName, {.status = 504, .message = "late", .code = "timeout"}));
    EXPECT_THAT(typesOf(failed), ElementsAre("response.failed", "error"));
    EXPECT_EQ(failed[1]["message"], "Late.");
}

TEST(Messages, BlocksBecomeMessages) {
    const auto request = readMessagesRequest(R"({"model":"m","max_tokens":5,
        "system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
        "messages":[{"role":"user","content":"Cold?"},
        {"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":""},{"type":"text","text":"So."},
         {"type":"tool_use","id":"c1","name":"f","input":{"a":1}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"Rain."}]},
         {"type":"text","text":"And?"}]}],
        "stop_sequences":["END"],"thinking":{"type":"enabled","budget_tokens":1024},"metadata":{"user_id":"x"},
        "tools":[{"name":"f","description":"d","input_schema":{"type":"object"}}],
        "tool_choice":{"type":"auto","disable_parallel_tool_use":true}})");
    ASSERT_TRUE(request) << request.error().message;
    const GenerateRequest& generate = request->generate;
    EXPECT_THAT(generate.messages,
                ElementsAre(textMessage(Role::System, "Be brief."), textMessage(Role::User, "Cold?"), kCall,
                            kResult, textMessage(Role::User, "And?")));
    EXPECT_EQ(generate.maxTokens, 5u);
    EXPECT_THAT(generate.stops, ElementsAre("END"));
    EXPECT_EQ(generate.promptForm.thinking, Thinking::On);
    EXPECT_EQ(request->calls, Calls::First);
    EXPECT_EQ(parseJson(generate.promptForm.tools)[0]["function"]["parameters"]["type"], "object");
}

TEST(Messages, TheLastMessageMayBeginTheAnswer) {
    const auto request = readMessagesRequest(
        R"({"max_tokens":5,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"So "}]})");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->generate.resumeText, "So ");
    EXPECT_EQ(request->generate.messages.size(), 1u);
}

TEST(Messages, MistakesAreRefused) {
    const auto body = [](const std::string& more) {
        return readMessagesRequest(R"({"messages":[{"role":"user","content":"x"}],)" + more + "}");
    };
    EXPECT_EQ(refusedField(body(R"("tools":[{"type":"web_search_20250305","name":"s"}])")), "tools[0].type");
    EXPECT_EQ(refusedField(body(R"("tool_choice":{"type":"tool","name":"g"},"tools":[{"name":"f"}])")),
              "tool_choice");
    EXPECT_EQ(refusedField(body(R"("mcp_servers":[])")), "mcp_servers");
    EXPECT_EQ(
        refusedField(readMessagesRequest(
            R"({"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"x"}}]}]})")),
        "messages[0].content[0].source.type");
    EXPECT_EQ(refusedField(readMessagesRequest(
                  R"({"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"z"}]}]})")),
              "messages[0].content[0].tool_use_id");
    EXPECT_EQ(errorObject({.status = 404, .message = "no model"}, ErrorShape::Anthropic),
              R"({"type":"error","error":{"type":"not_found_error","message":"No model."}})");
}

TEST(Messages, AreToldInBlocks) {
    const Choice choice = choiceWithAll();
    const json whole = parseJson(messagesForm()->whole(kName, std::span(&choice, 1), kUsage));
    EXPECT_EQ(whole["stop_reason"], "tool_use");
    EXPECT_EQ(whole["content"][0], json({{"type", "thinking"}, {"thinking", "Hm."}, {"signature", ""}}));
    EXPECT_EQ(whole["content"][1], json({{"type", "text"}, {"text", "Let me see."}}));
    EXPECT_EQ(whole["content"][2]["input"], json({{"a", 1}}));
    EXPECT_EQ(whole["usage"]["input_tokens"], 5);
    EXPECT_EQ(whole["usage"]["cache_read_input_tokens"], 4);
    const auto events = eventsOf(streamed(*messagesForm()));
    EXPECT_THAT(typesOf(events),
                ElementsAre("message_start", "content_block_start", "content_block_delta",
                            "content_block_delta", "content_block_stop", "content_block_start",
                            "content_block_delta", "content_block_stop", "content_block_start",
                            "content_block_delta", "content_block_stop", "message_delta", "message_stop"));
    EXPECT_EQ(events[9]["delta"]["partial_json"], R"({"a":1})");
    EXPECT_EQ(events[11]["delta"]["stop_reason"], "tool_use");
}

/// A call that a limit cut off.
Choice choiceCutInACall() {
    Choice choice(0, Calls::AsWritten);
    choice.add({{PartKind::ToolCall, R"({"name":"f","arguments":"{\"a\": 1"})", {}, true}}, {});
    choice.finish({.reason = StopReason::MaxTokens});
    return choice;
}

TEST(Messages, AnUnfinishedCallIsText) {
    const Choice choice = choiceCutInACall();
    ASSERT_EQ(choice.calls().size(), 1u);
    const json whole = parseJson(messagesForm()->whole(kName, std::span(&choice, 1), kUsage));
    EXPECT_EQ(whole["content"], json::array({{{"type", "text"}, {"text", R"(f {"a": 1)"}}}));
    EXPECT_EQ(whole["stop_reason"], "max_tokens");
    const auto form = messagesForm();
    const std::string told = form->delta(kName, {.calls = choice.calls()});
    EXPECT_EQ(told.find("tool_use"), std::string::npos) << told;
    EXPECT_NE(told.find("text_delta"), std::string::npos) << told;
}

TEST(Ollama, AnUnfinishedCallIsText) {
    const Choice choice = choiceCutInACall();
    const json whole = parseJson(ollamaChatForm()->whole(kName, std::span(&choice, 1), kUsage));
    EXPECT_FALSE(whole["message"].contains("tool_calls"));
    EXPECT_EQ(whole["message"]["content"], R"(f {"a": 1)");
    EXPECT_EQ(whole["done_reason"], "length");
}

TEST(Ollama, MessagesAndOptions) {
    const auto request = readOllamaChat(R"({"model":"m:latest","think":true,"keep_alive":"5m","messages":[
        {"role":"system","content":"Be brief."},{"role":"user","content":"Cold?"},
        {"role":"assistant","content":"So.","thinking":"Hm.","tool_calls":[
         {"function":{"name":"f","arguments":{"a":1}}},{"function":{"name":"g","arguments":{}}}]},
        {"role":"tool","tool_name":"g","content":"Noon."},{"role":"tool","content":"Rain."}],
        "options":{"temperature":0,"num_predict":7,"num_ctx":4096,"repeat_penalty":1.5,"stop":["END"],"seed":3},
        "format":{"type":"null"}})");
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->model, "m");
    EXPECT_TRUE(request->isStreamed);
    const GenerateRequest& generate = request->generate;
    EXPECT_EQ(generate.sampler.seed, 3u);
    EXPECT_EQ(generate.sampler.repeatPenalty, 1.5F);
    EXPECT_EQ(generate.maxTokens, 7u);
    EXPECT_EQ(generate.promptForm.thinking, Thinking::On);
    EXPECT_EQ(generate.jsonSchema, R"({"type":"null"})");
    ASSERT_EQ(generate.messages.size(), 4u);
    const std::vector<Part>& calls = generate.messages[2].parts;
    const std::vector<Part>& results = generate.messages[3].parts;
    ASSERT_EQ(calls.size(), 4u);
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].id, calls[3].id);
    EXPECT_EQ(results[1].id, calls[2].id);
    EXPECT_EQ(results[1].data, "f");
}

TEST(Ollama, MistakesAreRefused) {
    const auto body = [](const std::string& more) {
        return readOllamaChat(R"({"messages":[{"role":"user","content":"x"}],)" + more + "}");
    };
    EXPECT_EQ(refusedField(body(R"("options":{"mirostat":1})")), "options.mirostat");
    EXPECT_EQ(refusedField(body(R"("format":5)")), "format");
    EXPECT_EQ(refusedField(body(R"("stream":false)")), "taken");
    EXPECT_EQ(refusedField(readOllamaChat(R"({"messages":[{"role":"user","content":"x","images":["?"]}]})")),
              "messages[0].images");
    EXPECT_EQ(refusedField(readOllamaChat(R"({"messages":[{"role":"tool","content":"x"}]})")),
              "messages[0].tool_name");
    EXPECT_EQ(errorObject({.message = "no model"}, ErrorShape::Ollama), R"({"error":"No model."})");
}

TEST(Ollama, LinesOfJson) {
    const Choice choice = choiceWithAll();
    const json whole = parseJson(ollamaChatForm()->whole(kName, std::span(&choice, 1), kUsage));
    EXPECT_EQ(whole["message"]["thinking"], "Hm.");
    EXPECT_EQ(whole["message"]["content"], "Let me see.");
    EXPECT_EQ(whole["message"]["tool_calls"][0]["function"]["arguments"], json({{"a", 1}}));
    EXPECT_EQ(whole["created_at"], "1970-01-01T00:00:07Z");
    EXPECT_EQ(whole["done_reason"], "stop");
    EXPECT_EQ(whole["eval_count"], 3);
    std::string told = streamed(*ollamaChatForm());
    std::vector<json> lines;
    while (!told.empty()) {
        const size_t end = told.find('\n');
        lines.push_back(parseJson(told.substr(0, end)));
        told.erase(0, end + 1);
    }
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_EQ(lines[0]["message"]["thinking"], "H");
    EXPECT_EQ(lines[3]["message"]["tool_calls"][0]["function"]["name"], "f");
    EXPECT_EQ(lines[4]["done"], true);
    EXPECT_FALSE(lines[3]["done"].get<bool>());
}

TEST(Dialects, DamagedBodiesAreReadOrRefusedInASentence) {
    const std::vector<std::string> bodies{
        R"({"input":[{"type":"reasoning","summary":[{"type":"summary_text","text":"a"}]},{"role":"assistant","content":[)"
        R"({"type":"output_text","text":"b"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},)"
        R"({"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"d"}]}],"tools":[)"
        R"({"type":"function","name":"f","parameters":{}}],"tool_choice":{"type":"function","name":"f"},"reasoning":)"
        R"({"effort":"low"},"text":{"format":{"type":"json_schema","name":"n","schema":{}}}})",
        R"({"system":[{"type":"text","text":"a"}],"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c",)"
        R"("name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"d"}]}],)"
        R"("tools":[{"name":"f","input_schema":{}}],"tool_choice":{"type":"tool","name":"f"},"stop_sequences":["x"]})",
        R"({"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{}}}]},{"role":"tool",)"
        R"("tool_name":"f","content":"d"}],"options":{"stop":["x"],"num_predict":5},"format":{},"think":"low",)"
        R"("tools":[{"type":"function","function":{"name":"f"}}]})"};
    std::mt19937 random(5);
    const auto below = [&](size_t limit) { return random() % limit; };
    const std::vector<std::string> others{"null", "5", "[]", "{}", "\"x\"", "true", "-1.5"};
    size_t taken = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string body = bodies[below(bodies.size())];
        for (size_t count = below(3); count > 0; --count) {
            // A value in the place of another, or a character.
            const size_t at = body.find_first_of(":[,", below(body.size()));
            if (at == body.npos || below(4) == 0) {
                body[below(body.size())] = static_cast<char>(32 + below(95));
            } else {
                body.replace(at + 1, std::min(body.find_first_of(",]}", at + 1), body.size()) - at - 1,
                             others[below(others.size())]);
            }
        }
        const auto responses = readResponsesRequest(body);
        taken += responses ? 1 : 0;
        if (!responses) {
            EXPECT_FALSE(responses.error().message.empty());
        }
        for (const auto& read : {readMessagesRequest(body), readOllamaChat(body)}) {
            taken += read ? 1 : 0;
            if (!read) {
                EXPECT_FALSE(read.error().message.empty());
            }
        }
    }
    EXPECT_GT(taken, 500u);
}

TEST(Choice, WhereThePromptIsOnlyReadNothingIsTold) {
    Choice choice(0, Calls::Nothing);
    EXPECT_TRUE(choice.add({{PartKind::Text, "So", {}, false}}, {}, 1).isEmpty());
    GenerateResult result;
    result.stats.newTokens = 1;
    choice.finish(result);
    EXPECT_EQ(choice.text(), "");
    EXPECT_EQ(choice.stats().newTokens, 0u);
    EXPECT_EQ(choice.finishReason(), "length");
}

}  // namespace
}  // namespace ingle::serve::api
