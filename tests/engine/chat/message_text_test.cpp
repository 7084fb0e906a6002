/// Messages of parts as one text each.
#include "engine/chat/message_text.h"

#include <gmock/gmock.h>

namespace ingle::chat {
namespace {

using enum PartKind;

TEST(MessageText, whatBelongsToAQuestionStandsBelowItsName) {
    const ChatMessage question{Role::User,
                               {{Attachment, "one\ntwo", "plan.txt"},
                                {Source, "three", "https://example.org"},
                                {Text, "What is this?", {}}}};
    EXPECT_EQ(messageText(question),
              "plan.txt:\n\none\ntwo\n\nhttps://example.org:\n\nthree\n\nWhat is this?");
}

TEST(MessageText, thoughtsAreLeftOut) {
    EXPECT_EQ(
        messageText({Role::Assistant, {{Thought, "hm", {}}, {Text, "\nHello\n", {}}, {Thought, "more", {}}}}),
        "\nHello\n");
}

TEST(MessageText, severalTextsAreLinesOfOne) {
    EXPECT_EQ(messageText({Role::User, {{Text, "a", {}}, {Text, "b", {}}}}), "a\nb");
}

TEST(MessageText, callsAndResultsStandByThemselves) {
    const std::vector<ChatMessage> chat{
        {Role::Assistant,
         {{Text, "I look.", {}},
          {ToolCall, R"({"name":"tide","arguments":"{\"day\": 7}"})", "tide", "a"},
          {ToolCall, R"({"name":"lamp","arguments":{"on":true}})", "lamp", "b"},
          {ToolCall, "clock()", "clock"}}},
        {Role::User,
         {{ToolResult, "lamp is on", {}, "b"}, {ToolResult, "", {}, "a"}, {ToolResult, "noon", "clock"}}}};
    const auto texts = messageTexts(chat);
    ASSERT_EQ(texts.size(), 2u);
    EXPECT_EQ(
        texts[0].text,
        "I look.\n<tool_call>\n{\"name\":\"tide\",\"arguments\":{\"day\":7},\"id\":\"a\"}\n</tool_call>\n"
        "<tool_call>\n{\"name\":\"lamp\",\"arguments\":{\"on\":true},\"id\":\"b\"}\n</tool_call>\n"
        "<tool_call>\nclock()\n</tool_call>\n");
    EXPECT_EQ(texts[1].text,
              "<tool_response name=\"lamp\" id=\"b\">\nlamp is on\n</tool_response>\n"
              "<tool_response name=\"tide\" id=\"a\">\n\n</tool_response>\n"
              "<tool_response name=\"clock\">\nnoon\n</tool_response>\n");
}

}  // namespace
}  // namespace ingle::chat
