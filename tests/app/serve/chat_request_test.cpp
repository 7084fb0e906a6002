#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "app/serve/api/answer_request.h"

namespace ingle::serve::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kStart = R"({"model":"m","messages":[{"role":"user","content":"Hello"}])";

Expected<AnswerRequest> chat(const std::string& more) {
    return readChatRequest(std::string(kStart) + more + "}");
}

/// The field that the refusal names.
std::string refused(const std::string& more) {
    const auto request = chat(more);
    return request ? "taken" : request.error().param;
}

TEST(ChatRequest, WhatIsAskedForIsHanded) {
    const auto request = chat(
        R"(,"stream":true,"stream_options":{"include_usage":true},"n":2,"max_completion_tokens":7,"temperature":0.5,)"
        R"("top_p":0.25,"top_k":3,"min_p":0,"seed":-1,"presence_penalty":1,"frequency_penalty":-1,)"
        R"("repetition_penalty":1.5,"logit_bias":{"13":-100},"stop":"END","logprobs":true,"top_logprobs":3,)"
        R"("response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object",)"
        R"("properties":{"b":{"type":"integer"},"a":{"type":"null"}}}}},)"
        R"("chat_template_kwargs":{"enable_thinking":false},"user":"ann","store":false,"temperature_":null)");
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->model, "m");
    EXPECT_TRUE(request->isStreamed);
    EXPECT_TRUE(request->withUsage);
    EXPECT_EQ(request->answers, 2u);
    const GenerateRequest& generate = request->generate;
    EXPECT_EQ(generate.maxTokens, 7u);
    EXPECT_EQ(generate.sampler.temperature, 0.5F);
    EXPECT_EQ(generate.sampler.topP, 0.25F);
    EXPECT_EQ(generate.sampler.topK, 3);
    EXPECT_EQ(generate.sampler.minP, 0);
    EXPECT_EQ(generate.sampler.seed, std::numeric_limits<uint64_t>::max());
    EXPECT_EQ(generate.sampler.presencePenalty, 1);
    EXPECT_EQ(generate.sampler.frequencyPenalty, -1);
    EXPECT_EQ(generate.sampler.repeatPenalty, 1.5F);
    EXPECT_THAT(generate.sampler.logitBias, ElementsAre(LogitBias{13, -100}));
    EXPECT_THAT(generate.stops, ElementsAre("END"));
    EXPECT_EQ(generate.chances, 3u);
    EXPECT_EQ(generate.promptForm.templateArguments, R"({"enable_thinking":false})");
    EXPECT_EQ(generate.whenFull, WhenFull::Refuse);
    // A schema's properties are written in its order.
    EXPECT_EQ(generate.jsonSchema,
              R"({"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"null"}}})");
    EXPECT_THAT(generate.messages, ElementsAre(textMessage(Role::User, "Hello")));
}

TEST(ChatRequest, HintsSayNothing) {
    for (const char* hint : {R"("prompt_cache_key":"x")", R"("service_tier":"auto")", R"("store":true)",
                             R"("verbosity":"low")", R"("prediction":{"type":"content","content":"x"})",
                             R"("cache_prompt":true)", R"("metadata":{"a":"b"})"})
        EXPECT_TRUE(chat(fmt::format(",{}", hint))) << hint;
    EXPECT_TRUE(readChatRequest(
        R"({"messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]},)"
        R"({"role":"assistant","content":"b","reasoning":"c","provider_specific_fields":{},"tool_calls":[)"
        R"({"id":"d","type":"function","extra_content":{},"function":{"name":"f","arguments":"{}"}}]}]})"));
}

TEST(ChatRequest, NumbersAsOtherServersTakeThem) {
    EXPECT_EQ(chat(R"(,"max_tokens":100.0,"n":1.0)")->generate.maxTokens, 100u);
    EXPECT_EQ(chat(R"(,"max_tokens":-1)")->generate.maxTokens, 0u);
    EXPECT_EQ(chat(R"(,"max_tokens":0)")->calls, Calls::Nothing);
    EXPECT_EQ(chat(R"(,"n_predict":7)")->generate.maxTokens, 7u);
    EXPECT_EQ(chat(R"(,"top_k":-1)")->generate.sampler.topK, 0);
    EXPECT_EQ(chat(R"(,"repeat_penalty":1.5)")->generate.sampler.repeatPenalty, 1.5F);
    EXPECT_EQ(refused(R"(,"max_tokens":-2)"), "max_tokens");
    EXPECT_EQ(refused(R"(,"max_tokens":1.5)"), "max_tokens");
}

TEST(ChatRequest, EffortReachesTheTemplate) {
    EXPECT_EQ(chat(R"(,"reasoning_effort":"low")")->generate.promptForm.templateArguments,
              R"({"reasoning_effort":"low"})");
    EXPECT_EQ(chat(R"(,"reasoning_effort":"none")")->generate.promptForm.thinking, Thinking::Off);
    EXPECT_EQ(chat(R"(,"reasoning_effort":"low","chat_template_kwargs":{"reasoning_effort":"high"})")
                  ->generate.promptForm.templateArguments,
              R"({"reasoning_effort":"high"})");
}

TEST(ChatRequest, FurtherSamplersHaveLlamaCppsNames) {
    const SamplerParams sampler =
        chat(
            R"(,"top_n_sigma":1.5,"xtc_probability":0.5,"xtc_threshold":0.2,"dry_multiplier":0.8,"dry_base":2,)"
            R"("dry_allowed_length":3,"dry_penalty_last_n":-1)")
            ->generate.sampler;
    EXPECT_EQ(sampler.topNSigma, 1.5F);
    EXPECT_EQ(sampler.xtcProbability, 0.5F);
    EXPECT_EQ(sampler.xtcThreshold, 0.2F);
    EXPECT_EQ(sampler.dryMultiplier, 0.8F);
    EXPECT_EQ(sampler.dryBase, 2);
    EXPECT_EQ(sampler.dryAllowed, 3u);
    EXPECT_EQ(sampler.dryLastN, UINT32_MAX);
    EXPECT_THAT(sampler.dryBreakers, ElementsAre("\n", ":", "\"", "*"));
    EXPECT_THAT(chat(R"(,"dry_multiplier":1,"dry_sequence_breakers":["."])")->generate.sampler.dryBreakers,
                ElementsAre("."));
    EXPECT_EQ(refused(R"(,"dry_sequence_breakers":[1])"), "dry_sequence_breakers");
}

TEST(ChatRequest, AsManyAnswersAsAreWrittenAtOnce) {
    EXPECT_EQ(chat(R"(,"n":8)")->answers, kMostAtOnce);
    EXPECT_EQ(refused(R"(,"n":9)"), "n");
    EXPECT_EQ(refused(R"(,"n":0)"), "n");
}

TEST(ChatRequest, WithoutASeedItIsRandom) {
    EXPECT_NE(chat("")->generate.sampler.seed, chat("")->generate.sampler.seed);
    EXPECT_EQ(chat(R"(,"seed":5)")->generate.sampler.seed, 5u);
}

TEST(ChatRequest, EachMistakeNamesItsField) {
    EXPECT_EQ(refused(R"(,"nonsense":1)"), "nonsense");
    EXPECT_EQ(refused(R"(,"nonsense":null)"), "taken");
    EXPECT_EQ(refused(R"(,"temperature":"hot")"), "temperature");
    EXPECT_EQ(refused(R"(,"temperature":3)"), "temperature");
    EXPECT_EQ(refused(R"(,"n":0)"), "n");
    EXPECT_EQ(refused(R"(,"n":1.5)"), "n");
    EXPECT_EQ(refused(R"(,"max_tokens":18446744073709551615)"), "max_tokens");
    EXPECT_EQ(refused(R"(,"stream":1)"), "stream");
    EXPECT_EQ(refused(R"(,"stream_options":{"more":1})"), "stream_options.more");
    EXPECT_EQ(refused(R"(,"stop":[""])"), "stop");
    EXPECT_EQ(refused(R"(,"logit_bias":{"x":1})"), "logit_bias");
    EXPECT_EQ(refused(R"(,"logit_bias":{"1":101})"), "logit_bias");
    EXPECT_EQ(refused(R"(,"response_format":{"type":"xml"})"), "response_format.type");
    EXPECT_EQ(refused(R"(,"response_format":{"type":"json_schema"})"), "response_format.json_schema");
    EXPECT_EQ(refused(R"(,"top_logprobs":2)"), "top_logprobs");
    EXPECT_EQ(refused(R"(,"modalities":["audio"])"), "modalities");
    EXPECT_EQ(refused(R"(,"tool_choice":"required")"), "tool_choice");
    const auto unknown = chat(R"(,"audio":{})");
    EXPECT_EQ(unknown.error().code, "unsupported_field");
    EXPECT_EQ(unknown.error().message, "Unsupported field: 'audio'.");
    EXPECT_EQ(readChatRequest("{}").error().param, "messages");
    EXPECT_EQ(readChatRequest(R"({"model":"m"})").error().param, "messages");
    EXPECT_EQ(readChatRequest("[]").error().message, "The body is not a JSON object.");
    EXPECT_THAT(readChatRequest("{").error().message, HasSubstr("no JSON"));
}

TEST(ChatRequest, WhatIsTooMuchToBeKeptIsRefused) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    EXPECT_THAT(chat(R"(,"x":)" + deep).error().message, HasSubstr("nested"));
    std::string many = R"(,"x":{)";
    for (int key = 0; key < 30'000; ++key) many += fmt::format("\"k{}\":0,", key);
    EXPECT_THAT(chat(many + "\"k\":0}").error().message, HasSubstr("fields"));
    // Texts that are JSON are no way around it.
    std::string arguments = "{";
    for (int key = 0; key < 100'000; ++key) arguments += fmt::format("\\\"k{}\\\":0,", key);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(readChatRequest(
        R"({"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function",)"
        R"("function":{"name":"f","arguments":")" +
        arguments + R"(\"k\":0}"}}]}]})"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(ChatRequest, MessagesBecomeParts) {
    const auto request = readChatRequest(R"({"model":"m","messages":[
        {"role":"developer","content":"Be brief."},
        {"role":"user","name":"Ann","content":[{"type":"text","text":"How "},{"type":"text","text":"cold?"}]},
        {"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[
            {"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"b\":1,\"a\":2}"}},
            {"id":"c2","type":"function","function":{"name":"time","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"c1","content":"Cold."},
        {"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"Noon."},{"type":"text","text":"Sharp."}]},
        {"role":"user","content":"So?"}]})");
    ASSERT_TRUE(request) << request.error().message;
    const ChatMessage calls{
        Role::Assistant,
        {{PartKind::Thought, "Hm.", {}},
         {PartKind::ToolCall, R"({"name":"weather","arguments":"{\"b\":1,\"a\":2}"})", "weather", "c1"},
         {PartKind::ToolCall, R"({"name":"time","arguments":"{}"})", "time", "c2"}}};
    const ChatMessage results{
        Role::User,
        {{PartKind::ToolResult, "Cold.", {}, "c1"}, {PartKind::ToolResult, "Noon.\nSharp.", {}, "c2"}}};
    const ChatMessage rules{Role::System, {{PartKind::Text, "Be brief.", {}}}, true};
    const ChatMessage question{
        Role::User, {{PartKind::Text, "How ", {}}, {PartKind::Text, "cold?", {}}}, false, "Ann"};
    EXPECT_THAT(request->generate.messages,
                ElementsAre(rules, question, calls, results, textMessage(Role::User, "So?")));
}

TEST(ChatRequest, ArgumentsThatAreNestedTooDeepStayText) {
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    const auto request = readChatRequest(
        R"({"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function",)"
        R"("function":{"name":"f","arguments":")" +
        deep + R"("}}]}]})");
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_THAT(request->generate.messages[0].parts[0].text, HasSubstr("\"arguments\":\"[[["));
}

TEST(ChatRequest, WhatMessagesCannotHaveIsNamedWithItsPlace) {
    const auto place = [](const std::string& message) {
        const auto request = readChatRequest(R"({"model":"m","messages":[)" + message + "]}");
        return request ? "taken" : request.error().param;
    };
    EXPECT_EQ(place(R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]})"),
              "messages[0].content[0].image_url.url");
    EXPECT_EQ(
        place(
            R"({"role":"system","content":[{"type":"image_url","image_url":{"url":"data:;base64,AA=="}}]})"),
        "messages[0].content[0].type");
    EXPECT_EQ(place(R"({"role":"user"})"), "messages[0].content");
    EXPECT_EQ(place(R"({"role":"user","content":"x","mood":"good"})"), "messages[0].mood");
    EXPECT_EQ(place(R"({"role":"assistant","content":"x","annotations":[],"refusal":null})"), "taken");
    EXPECT_EQ(place(R"({"role":"robot","content":"x"})"), "messages[0].role");
    EXPECT_EQ(place(R"({"role":"tool","tool_call_id":"c9","content":"x"})"), "messages[0].tool_call_id");
    EXPECT_EQ(place("5"), "messages[0]");
    EXPECT_EQ(place(R"({"role":"assistant","content":"x","tool_calls":[{"id":"a","function":{}}]})"),
              "messages[0].tool_calls[0].function.name");
}

TEST(ChatRequest, ADemandedCallIsASchema) {
    const std::string tools =
        R"(,"tools":[{"type":"function","function":{"name":"a","description":"A.","parameters":{"type":"object",)"
        R"("properties":{"x":{"type":"integer"}},"required":["x"]}}},)"
        R"({"type":"function","function":{"name":"b"}}])";
    const auto free = chat(tools);
    ASSERT_TRUE(free) << free.error().message;
    EXPECT_EQ(free->calls, Calls::AsWritten);
    EXPECT_TRUE(free->generate.jsonSchema.empty());
    EXPECT_THAT(free->generate.promptForm.tools, HasSubstr(R"("name":"a")"));
    EXPECT_EQ(chat(tools + R"(,"parallel_tool_calls":true)")->calls, Calls::AsWritten);
    EXPECT_EQ(chat(tools + R"(,"parallel_tool_calls":false)")->calls, Calls::First);
    const auto one = chat(
        tools + R"(,"parallel_tool_calls":false,"tool_choice":{"type":"function","function":{"name":"b"}})");
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_EQ(one->calls, Calls::Demanded);
    EXPECT_EQ(
        one->generate.jsonSchema,
        R"({"type":"object","properties":{"name":{"const":"b"},"arguments":{"type":"object",)"
        R"("additionalProperties":false}},)"
        R"("required":["name","arguments"],"additionalProperties":false,"$comment":"a call of a tool"})");
    EXPECT_THAT(chat(tools + R"(,"tool_choice":"required")")->generate.jsonSchema, HasSubstr("anyOf"));
    EXPECT_TRUE(chat(tools + R"(,"tool_choice":"none")")->generate.promptForm.tools.empty());
    EXPECT_EQ(refused(tools + R"(,"tool_choice":{"type":"function","function":{"name":"c"}})"),
              "tool_choice");
    EXPECT_EQ(refused(tools + R"(,"tool_choice":"perhaps")"), "tool_choice");
    for (const char* beside :
         {R"(,"grammar":"root ::= [a-z]+")", R"(,"response_format":{"type":"json_object"})"})
        EXPECT_EQ(refused(tools + R"(,"tool_choice":"required")" + beside), "tool_choice") << beside;
}

TEST(ChatRequest, AnAnswerGoesOnBehindItsBeginning) {
    const auto request = readChatRequest(
        R"({"model":"m","continue_final_message":true,"add_generation_prompt":false,"messages":[{"role":"user",)"
        R"("content":"Q"},{"role":"assistant","content":"An"}]})");
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->generate.resumeText, "An");
    EXPECT_EQ(request->generate.messages.size(), 1u);
    EXPECT_EQ(refused(R"(,"continue_final_message":true)"), "continue_final_message");
    EXPECT_EQ(refused(R"(,"add_generation_prompt":false)"), "add_generation_prompt");
    EXPECT_EQ(readChatRequest(
                  R"({"model":"m","continue_final_message":true,"messages":[{"role":"user","content":"Q"},)"
                  R"({"role":"assistant","content":"An","reasoning_content":"Hm"}]})")
                  .error()
                  .param,
              "continue_final_message");
}

TEST(CompletionRequest, TakesATextAndNothingElse) {
    const auto request =
        readCompletionRequest(R"({"model":"m","prompt":"Once","logprobs":0,"max_tokens":3})");
    ASSERT_TRUE(request) << request.error().message;
    ASSERT_EQ(request->prompts.size(), 1u);
    EXPECT_EQ(request->prompts[0].text, "Once");
    EXPECT_EQ(request->generate.chances, 1u);
    const auto ofIds = readCompletionRequest(R"({"prompt":[1,2],"n":2})");
    ASSERT_TRUE(ofIds);
    EXPECT_THAT(ofIds->prompts.at(0).ids, ElementsAre(1, 2));
    EXPECT_EQ(ofIds->numChoices(), 2u);
    const auto several = readCompletionRequest(R"({"prompt":["a",[3],"b"],"n":2})");
    ASSERT_TRUE(several);
    EXPECT_EQ(several->numChoices(), 6u);
    EXPECT_EQ(several->prompts[2].text, "b");
    EXPECT_THAT(several->prompts[1].ids, ElementsAre(3));
    for (const char* prompt : {"[]", R"(["a",""])", "[1.5]", "[-1]", "[[1],[]]", "5", R"([1,"a"])"})
        EXPECT_EQ(readCompletionRequest(fmt::format(R"({{"prompt":{}}})", prompt)).error().param, "prompt")
            << prompt;
    EXPECT_EQ(readCompletionRequest(R"({"model":"m","prompt":""})").error().param, "prompt");
    EXPECT_EQ(readCompletionRequest(R"({"model":"m","prompt":"x","echo":true})").error().param, "echo");
    EXPECT_EQ(readCompletionRequest(R"({"model":"m","prompt":"x","suffix":"y"})").error().param, "suffix");
}

/// Whatever is changed, it is read or refused in one sentence, and nothing else happens.
TEST(ChatRequest, DamagedBodiesAreReadOrRefused) {
    const std::string body =
        std::string(kStart) +
        R"(,"n":2,"stop":["a","b"],"logit_bias":{"1":2},"tools":[{"type":"function","function":)"
        R"({"name":"f","parameters":{"type":"object"}}}],"tool_choice":"auto","stream":true})";
    const char* wanted = std::getenv("INGLE_MUTATIONS");
    const int mutations = wanted == nullptr ? 1000 : std::atoi(wanted);
    std::mt19937 random(1);
    int numRefused = 0;
    for (int mutation = 0; mutation < mutations; ++mutation) {
        std::string damaged = body;
        for (unsigned change = random() % 4; change < 4; ++change) {
            const size_t at = random() % damaged.size();
            switch (random() % 4) {
                case 0:
                    damaged[at] = static_cast<char>(random());
                    break;
                case 1:
                    damaged.erase(at, random() % 8);
                    break;
                case 2:
                    damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 32));
                    break;
                default:
                    damaged[at] = "{}[]\",:0ntf"[random() % 11];
            }
            if (damaged.empty()) damaged = "{";
        }
        for (const auto& read : {readChatRequest(damaged), readCompletionRequest(damaged)}) {
            if (read) continue;
            ++numRefused;
            EXPECT_EQ(read.error().status, 400);
            EXPECT_FALSE(read.error().message.empty());
        }
    }
    EXPECT_GT(numRefused, mutations);
}

/// As many as docs/serve.md says, of JSON objects at large, too.
TEST(ChatRequest, EveryBiasThatIsPromisedIsTaken) {
    const auto withBiases = [](int count) {
        std::string biases;
        for (int id = 0; id < count; ++id) biases += fmt::format("{}\"{}\":1", id == 0 ? "" : ",", id);
        return R"({"model":"m","messages":[{"role":"user","content":"x"}],"logit_bias":{)" + biases + "}}";
    };
    const auto read = readChatRequest(withBiases(1024));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->generate.sampler.logitBias.size(), 1024u);
    EXPECT_FALSE(readChatRequest(withBiases(1025)));
}

/// Reading it took time with the square of their number.
TEST(ChatRequest, AListOfMillionsIsRefusedAtOnce) {
    std::string many = R"({"model":"m","messages":[)";
    for (int each = 0; each < 300'000; ++each) many += "{},";
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(readChatRequest(many + "{}]}"));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

}  // namespace
}  // namespace ingle::serve::api
