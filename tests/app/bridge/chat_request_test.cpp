/// Requests of the host protocol in OpenAI's words.
#include "app/bridge/chat_request.h"

#include <gtest/gtest.h>

namespace ingle::bridge {
namespace {

using nlohmann::json;

GenerateRequest plainQuestion() {
    GenerateRequest request;
    request.messages = {textMessage(Role::System, "Be brief."), textMessage(Role::User, "Is it cold?")};
    return request;
}

json made(const GenerateRequest& request) {
    auto body = chatRequest(request, "m");
    EXPECT_TRUE(body) << (body ? "" : body.error().message);
    return body ? *body : json();
}

TEST(ChatRequest, HasWhatTheInterfaceHas) {
    GenerateRequest request = plainQuestion();
    request.sampler = {.temperature = 0.7f, .topP = 0.9f, .frequencyPenalty = 0.5f, .seed = ~uint64_t{0}};
    request.sampler.logitBias = {{13, -1.5f}};
    request.maxTokens = 7;
    request.stops = {"\n\n"};
    request.jsonSchema = R"({"type":"boolean"})";
    request.promptForm.thinking = Thinking::Off;
    request.promptForm.tools = R"([{"type":"function","function":{"name":"weather"}}])";
    EXPECT_EQ(made(request), json::parse(R"({
        "model": "m", "stream": true, "stream_options": {"include_usage": true},
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it cold?"}],
        "temperature": 0.7, "top_p": 0.9, "top_k": 40, "min_p": 0.05, "frequency_penalty": 0.5,
 "seed": 9223372036854775807,
        "logit_bias": {"13": -1.5}, "max_tokens": 7, "stop": ["\n\n"],
        "response_format": {"type": "json_schema", "json_schema":
            {"name": "answer", "strict": true, "schema": {"type": "boolean"}}},
        "chat_template_kwargs": {"enable_thinking": false},
        "tools": [{"type": "function", "function": {"name": "weather"}}]})"));
    const json plain = made(plainQuestion());
    for (const char* absent : {"max_tokens", "stop", "response_format", "chat_template_kwargs", "tools",
                               "presence_penalty", "logit_bias", "typical_p", "repetition_penalty"})
        EXPECT_FALSE(plain.contains(absent)) << absent;
}

TEST(ChatRequest, PartsBecomeTheTextThatOtherModelsSee) {
    ChatMessage message{Role::User,
                        {{PartKind::Attachment, "Line 1.", "plan.txt"},
                         {PartKind::Source, "It rained.", "https://a.example"},
                         {PartKind::Text, "What of it?", {}}}};
    ChatMessage answer{Role::Assistant, {{PartKind::Thought, "Hm.", {}}, {PartKind::Text, "Nothing.", {}}}};
    EXPECT_EQ(chatMessages(std::vector{message, answer}), json::parse(R"([
        {"role": "user", "content":
            "plan.txt:\n\nLine 1.\n\nhttps://a.example:\n\nIt rained.\n\nWhat of it?"},
        {"role": "assistant", "content": "Nothing."}])"));
}

TEST(ChatRequest, CallsAndResultsOfToolsFindEachOther) {
    const std::string call = R"({"name": "weather", "arguments": {"place": "Ghent"}})";
    const std::string time = R"({"name": "time", "parameters": {}})";
    ChatMessage answer{Role::Assistant,
                       {{PartKind::Text, "I look.", {}},
                        {PartKind::ToolCall, call, "weather"},
                        {PartKind::ToolCall, time, "time"},
                        {PartKind::ToolResult, "noon", "time"},
                        {PartKind::ToolResult, "2 degrees", "weather"},
                        {PartKind::Text, "Cold.", {}}}};
    EXPECT_EQ(chatMessages(std::vector{answer}), json::parse(R"([
        {"role": "assistant", "content": "I look.", "tool_calls": [
            {"id": "call_1", "type": "function",
             "function": {"name": "weather", "arguments": "{\"place\":\"Ghent\"}"}},
            {"id": "call_2", "type": "function", "function": {"name": "time", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_2", "content": "noon"},
        {"role": "tool", "tool_call_id": "call_1", "content": "2 degrees"},
        {"role": "assistant", "content": "Cold."}])"));
    // Ids that they have stay.
    const ChatMessage called{
        Role::Assistant,
        {{PartKind::ToolCall, call, "weather", "a"}, {PartKind::ToolCall, call, "weather", "b"}}};
    const ChatMessage told{Role::User,
                           {{PartKind::ToolResult, "2", {}, "b"}, {PartKind::ToolResult, "1", {}, "a"}}};
    const json linked = chatMessages(std::vector{called, told});
    EXPECT_EQ(linked[0]["tool_calls"][1]["id"], "b");
    EXPECT_EQ(linked[1], json::parse(R"({"role": "tool", "tool_call_id": "b", "content": "2"})"));
    EXPECT_EQ(linked[2], json::parse(R"({"role": "tool", "tool_call_id": "a", "content": "1"})"));
    // In no form that can be read, and a result that nobody asked for: they stand in the text.
    ChatMessage strange{Role::Assistant,
                        {{PartKind::ToolCall, "weather(Ghent)", {}}, {PartKind::ToolResult, "2", "x"}}};
    EXPECT_EQ(chatMessages(std::vector{strange}), json::parse(R"([{"role": "assistant", "content":
        "\n```tool_call\nweather(Ghent)\n```\n\n```tool_result\n2\n```\n"}])"));
}

TEST(ChatRequest, WhatCannotBeAskedForIsRefusedInASentence) {
    const auto refused = [](const std::function<void(GenerateRequest&)>& change, ErrorCode code) {
        GenerateRequest request = plainQuestion();
        change(request);
        const auto body = chatRequest(request, "m");
        ASSERT_FALSE(body);
        EXPECT_EQ(body.error().code, code) << body.error().message;
        EXPECT_TRUE(body.error().message.ends_with('.'));
    };
    refused([](auto& r) { r.resumeIds = {1}; }, ErrorCode::Unsupported);
    refused([](auto& r) { r.rawTokens = {1}; }, ErrorCode::Unsupported);
    refused([](auto& r) { r.messages.clear(), r.rawPrompt = "Once"; }, ErrorCode::Unsupported);
    refused([](auto& r) { r.messages.clear(); }, ErrorCode::Unsupported);
    refused([](auto& r) { r.grammar = "root ::= \"a\""; }, ErrorCode::Unsupported);
    refused([](auto& r) { r.promptForm.chatTemplate = "{{ x }}"; }, ErrorCode::Unsupported);
    refused([](auto& r) { r.chances = 1; }, ErrorCode::Unsupported);
    refused([](auto& r) { r.jsonSchema = "{"; }, ErrorCode::InvalidArgument);
    refused([](auto& r) { r.promptForm.tools = "nonsense"; }, ErrorCode::InvalidArgument);
}

TEST(ChatRequest, AContinuationHasTheTextSoFarAndWhatIsLeftOfTheTokens) {
    GenerateRequest request = plainQuestion();
    request.maxTokens = 10;
    const json body = made(request);
    const json continued = continuedRequest(body, "It is", 4);
    EXPECT_EQ(continued["messages"].back(), json::parse(R"({"role": "assistant", "content": "It is"})"));
    EXPECT_EQ(continued["continue_final_message"], true);
    EXPECT_EQ(continued["add_generation_prompt"], false);
    EXPECT_EQ(continued["max_tokens"], 6);
    EXPECT_EQ(continuedRequest(body, "It is", 40)["max_tokens"], 1);
    EXPECT_EQ(continuedRequest(body, "", 0), body) << "there is nothing to go on from";
}

}  // namespace
}  // namespace ingle::bridge
