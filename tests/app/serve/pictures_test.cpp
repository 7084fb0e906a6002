/// Pictures in the requests of each API.
#include "app/serve/api/pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/serve/api/answer_request.h"
#include "app/serve/api/messages.h"
#include "app/serve/api/ollama.h"
#include "app/serve/api/responses.h"

namespace ingle::serve::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// "picture" in Base64.
constexpr std::string_view kBytes = "picture";
const std::string kBase64 = "cGljdHVyZQ==";
const std::string kUrl = "data:image/png;base64," + kBase64;

const Part kPart{PartKind::Image, {}, std::string(kBytes)};
const Part kText{PartKind::Text, "What?", {}};

TEST(ServedPictures, everyApiHasItsForm) {
    const auto chat =
        readChatRequest(R"({"messages":[{"role":"user","content":[{"type":"text","text":"What?"},)"
                        R"({"type":"image_url","image_url":{"url":")" +
                        kUrl + R"(","detail":"low"}}]}]})");
    ASSERT_TRUE(chat) << chat.error().message;
    EXPECT_THAT(chat->generate.messages[0].parts, ElementsAre(kText, kPart));
    const auto responses = readResponsesRequest(
        R"({"input":[{"role":"user","content":[{"type":"input_image","detail":"auto","image_url":")" + kUrl +
        R"("},{"type":"input_text","text":"What?"}]}]})");
    ASSERT_TRUE(responses) << responses.error().message;
    EXPECT_THAT(responses->answer.generate.messages[0].parts, ElementsAre(kPart, kText));
    const auto messages = readMessagesRequest(
        R"({"max_tokens":1,"messages":[{"role":"user","content":[{"type":"image","source":)"
        R"({"type":"base64","media_type":"image/png","data":")" +
        kBase64 + R"("}},{"type":"text","text":"What?"}]}]})");
    ASSERT_TRUE(messages) << messages.error().message;
    EXPECT_THAT(messages->generate.messages[0].parts, ElementsAre(kPart, kText));
    const auto ollama =
        readOllamaChat(R"({"messages":[{"role":"user","content":"What?","images":[")" + kBase64 + R"("]}]})");
    ASSERT_TRUE(ollama) << ollama.error().message;
    EXPECT_THAT(ollama->generate.messages[0].parts, ElementsAre(kPart, kText));
}

TEST(ServedPictures, schemesMayBeInCapitals) {
    const auto chat = readChatRequest(
        R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"DATA)" +
        kUrl.substr(4) + R"("}}]}]})");
    ASSERT_TRUE(chat) << chat.error().message;
    EXPECT_THAT(chat->generate.messages[0].parts, ElementsAre(kPart));
}

TEST(ServedPictures, nothingIsFetched) {
    const auto chat = readChatRequest(
        R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}]})");
    ASSERT_FALSE(chat);
    EXPECT_EQ(chat.error().param, "messages[0].content[0].image_url.url");
    EXPECT_THAT(chat.error().message, HasSubstr("fetches nothing"));
}

TEST(ServedPictures, eachIsSentOnceUnderItsHash) {
    std::vector<ChatMessage> messages{{Role::User, {kPart, kText}}, {Role::User, {kPart}}};
    const auto pictures = namePictures(messages);
    ASSERT_EQ(pictures.size(), 1u);
    EXPECT_EQ(pictures[0].bytes, kBytes);
    EXPECT_EQ(pictures[0].hash, "2cea274d0bedc39ec4ab6ba9e59ec889e3ed6fb56a1cf088a64d9b383378dc97");
    EXPECT_EQ(messages[0].parts[0].data, pictures[0].hash);
    EXPECT_EQ(messages[1].parts[0].data, pictures[0].hash);
    EXPECT_EQ(messages[0].parts[1], kText);
}

}  // namespace
}  // namespace ingle::serve::api
