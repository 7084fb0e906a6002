#include "app/serve/api/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/serve/api/answer_form.h"

namespace ingle::serve::api {
namespace {

using ::testing::HasSubstr;

GenerateResult ended(StopReason reason = StopReason::EndOfText) {
    GenerateResult result;
    result.reason = reason;
    return result;
}

TEST(ToolCalls, AreJson) {
    const auto one = [](std::string_view text) {
        const auto calls = parseToolCalls(text);
        return calls && calls->size() == 1 ? calls->front().name + " " + calls->front().arguments : "none";
    };
    EXPECT_EQ(one("\n{\"name\": \"f\", \"arguments\": {\"b\": 1, \"a\": \"x\"}}\n"), R"(f {"b":1,"a":"x"})");
    EXPECT_EQ(one(R"({"name":"f","parameters":{}})"), "f {}");
    EXPECT_EQ(one(R"([{"name":"f","arguments":"{\"a\":1}"}])"), R"(f {"a":1})");
    EXPECT_EQ(one("f(1)"), "none");
    EXPECT_EQ(one(R"({"arguments":{}})"), "none");
    EXPECT_EQ(one(""), "none");
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    EXPECT_EQ(one(R"({"name":"f","arguments":)" + deep + "}"), "none");
    EXPECT_EQ(parseToolCalls(R"([{"name":"f"},{"name":"g"}])")->size(), 2u);
}

TEST(Choice, TellsTextAsItComesAndCallsWhenTheyAreWhole) {
    Choice choice(0, Calls::AsWritten);
    EXPECT_EQ(choice.add({{PartKind::Thought, "Hm.", {}, false}}, {}).thought, "Hm.");
    EXPECT_EQ(choice.add({{PartKind::Text, "Let me see.", {}, false}}, {}).text, "Let me see.");
    EXPECT_TRUE(choice.add({{PartKind::ToolCall, R"({"name":"f",)", {}, false}}, {}).isEmpty());
    EXPECT_TRUE(choice.add({{PartKind::ToolCall, R"("arguments":{}})", {}, false}}, {}).isEmpty());
    const Delta next = choice.add({{PartKind::ToolCall, R"({"name":"g"})", {}, true}}, {});
    ASSERT_EQ(next.calls.size(), 1u);
    EXPECT_EQ(next.calls[0].name, "f");
    const Delta last = choice.finish(ended());
    ASSERT_EQ(last.calls.size(), 1u);
    EXPECT_EQ(last.calls[0].name, "g");
    EXPECT_EQ(last.firstCall, 1u);
    EXPECT_EQ(choice.finishReason(), "tool_calls");
    EXPECT_EQ(choice.text(), "Let me see.");
}

TEST(Choice, WhatALimitCutsOffIsTold) {
    GenerateResult cut = ended(StopReason::MaxTokens);
    cut.unfinished = {{PartKind::Text, "<tool_call>{\"name\": \"f", {}, false}};
    Choice choice(0, Calls::AsWritten);
    choice.add({{PartKind::Text, "So: ", {}, true}}, {});
    choice.finish(cut);
    EXPECT_EQ(choice.text(), "So: <tool_call>{\"name\": \"f");
    EXPECT_EQ(choice.finishReason(), "length");
    // A call of a known tool is one, with its arguments as far as they came.
    GenerateResult call = ended(StopReason::MaxTokens);
    call.unfinished = {{PartKind::ToolCall, R"({"name":"f","arguments":"{\"a"})", "f", true}};
    Choice begun(0, Calls::AsWritten);
    begun.finish(call);
    ASSERT_EQ(begun.calls().size(), 1u);
    EXPECT_EQ(begun.calls()[0].arguments, "{\"a");
    EXPECT_EQ(begun.finishReason(), "length");
    // Nobody reads on where a client has gone.
    cut.reason = StopReason::Cancelled;
    Choice stopped(0, Calls::AsWritten);
    stopped.finish(cut);
    EXPECT_EQ(stopped.text(), "");
}

TEST(Choice, WhatItDoesNotKeepOfItsSchemaStandsBesideTheReason) {
    GenerateResult wrong = ended();
    wrong.violation = "uniqueItems does not hold";
    Choice choice(0, Calls::AsWritten);
    choice.add({{PartKind::Text, "[1,1]", {}, false}}, {});
    choice.finish(wrong);
    const AnswerName name{"chatcmpl-1", "m", 7};
    const std::string told = R"("finish_reason":"stop","schema_violation":"uniqueItems does not hold")";
    EXPECT_THAT(chatForm()->whole(name, std::span(&choice, 1), {}), HasSubstr(told));
    EXPECT_THAT(chatForm()->last(name, choice), HasSubstr(told));
    EXPECT_THAT(completionForm()->whole(name, std::span(&choice, 1), {}), HasSubstr(told));
}

TEST(Choice, TheModelsOwnIdsStay) {
    Choice choice(0, Calls::AsWritten);
    choice.add({{PartKind::ToolCall, R"({"name":"f","arguments":{}})", "f", true, "aQ3xR7mK2"}}, {});
    choice.add({{PartKind::ToolCall, R"({"name":"g","arguments":{}})", "g", true}}, {});
    choice.finish(ended());
    const std::string whole = chatForm()->whole({"chatcmpl-1", "m", 7}, std::span(&choice, 1), {});
    EXPECT_THAT(whole, HasSubstr(R"("id":"aQ3xR7mK2")"));
    // Others get nine letters and digits, which the templates of all families take.
    EXPECT_THAT(whole, testing::ContainsRegex(R"("id":"[0-9a-z]{9}")"));
}

TEST(Choice, BehindTheFirstCallNothingCountsWhereOneWasAskedFor) {
    Choice choice(0, Calls::First);
    choice.add({{PartKind::Text, "So:", {}, false}}, {});
    choice.add({{PartKind::ToolCall, R"({"name":"f"})", {}, true}}, {});
    const Delta first = choice.add(
        {{PartKind::Text, "and", {}, true}, {PartKind::ToolCall, R"({"name":"g"})", {}, true}}, {});
    ASSERT_EQ(first.calls.size(), 1u);
    EXPECT_EQ(first.text, "");
    EXPECT_TRUE(choice.add({{PartKind::Text, "more", {}, true}}, {}).isEmpty());
    EXPECT_TRUE(choice.finish(ended()).isEmpty());
    EXPECT_EQ(choice.text(), "So:");
    EXPECT_EQ(choice.calls().size(), 1u);
    EXPECT_EQ(choice.finishReason(), "tool_calls");
    // Also of those that stand in one list.
    Choice listed(0, Calls::First);
    listed.add({{PartKind::ToolCall, R"([{"name":"f"},{"name":"g"}])", {}, true}}, {});
    ASSERT_EQ(listed.finish(ended()).calls.size(), 1u);
    EXPECT_EQ(listed.calls().front().name, "f");
}

TEST(Choice, ACallInAnUnknownFormIsText) {
    Choice choice(0, Calls::AsWritten);
    EXPECT_TRUE(choice.add({{PartKind::ToolCall, "f(1)", {}, false}}, {}).isEmpty());
    EXPECT_EQ(choice.add({{PartKind::Text, " and more", {}, true}}, {}).text, "f(1) and more");
    EXPECT_TRUE(choice.finish(ended()).isEmpty());
    EXPECT_EQ(choice.text(), "f(1) and more");
    EXPECT_EQ(choice.finishReason(), "stop");
}

TEST(Choice, ADemandedCallIsToldWholeOrAsTheTextThatItIs) {
    Choice whole(0, Calls::Demanded);
    EXPECT_TRUE(
        whole.add({{PartKind::Text, R"({"name":"f","arguments":{"x":1}})", {}, false}}, {}).isEmpty());
    ASSERT_EQ(whole.finish(ended()).calls.size(), 1u);
    EXPECT_EQ(whole.text(), "");
    Choice cut(0, Calls::Demanded);
    EXPECT_TRUE(cut.add({{PartKind::Text, R"({"name":"f","argu)", {}, false}}, {}).isEmpty());
    EXPECT_EQ(cut.finish(ended(StopReason::MaxTokens)).text, R"({"name":"f","argu)");
    EXPECT_EQ(cut.finishReason(), "length");
}

TEST(AnswerForm, ProbabilitiesAreLogarithmsAndHalfCharactersHaveNoBytes) {
    Choice choice(0, Calls::AsWritten);
    choice.add({{PartKind::Text, "Hi", {}, false}},
               {{{1, "Hi", 0.5, false}, {{1, "Hi", 0.5, false}, {2, "\uFFFD", 0, false}}}});
    choice.finish(ended());
    const AnswerName name{"chatcmpl-1", "m", 7};
    const std::string whole = chatForm()->whole(name, std::span(&choice, 1), {5, 2, 1});
    EXPECT_THAT(whole, HasSubstr(R"("token":"Hi","logprob":-0.6931471805599453,"bytes":[72,105])"));
    EXPECT_THAT(whole, HasSubstr(R"("logprob":-9999.0,"bytes":null)"));
    EXPECT_THAT(whole, HasSubstr(R"("usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6,)"
                                 R"("prompt_tokens_details":{"cached_tokens":2}})"));
    EXPECT_THAT(completionForm()->whole(name, std::span(&choice, 1), {}),
                HasSubstr(R"("logprobs":{"tokens":["Hi"],"token_logprobs":[-0.6931471805599453])"));
}

}  // namespace
}  // namespace ingle::serve::api
