/// What a far server streams, as pieces of parts.
#include "app/bridge/chat_stream.h"
#include "app/bridge/json_text.h"

#include <gtest/gtest.h>

namespace ingle::bridge {
namespace {

std::string delta(const std::string& json) {
    return "data: {\"choices\":[{\"delta\":" + json + "}]}\n\n";
}

std::vector<Part> partsOf(ChatStream& stream) {
    std::vector<Part> parts;
    for (const PartPiece& piece : stream.takePieces()) append(parts, piece);
    return parts;
}

TEST(BridgeJson, ThatIsNestedTooDeepIsNotRead) {
    EXPECT_TRUE(readJson(std::string(30, '[') + std::string(30, ']')));
    // What copies and prints it recurses.
    EXPECT_FALSE(readJson(std::string(200'000, '[') + std::string(200'000, ']')));
}

TEST(ChatStream, ThoughtsTextAndCallsBecomeParts) {
    ChatStream stream;
    EXPECT_TRUE(stream.push(delta(R"({"role":"assistant","content":""})")));
    EXPECT_TRUE(stream.push(delta(R"({"reasoning_content":"Hm","reasoning":"Hm"})")));
    EXPECT_TRUE(stream.push(delta(R"({"reasoning":"."})")));
    EXPECT_TRUE(stream.push(delta(R"({"content":"I "})") + delta(R"({"content":"look."})")));
    EXPECT_TRUE(stream.push(
        delta(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"weather","arguments":""}}]})")));
    EXPECT_TRUE(stream.push(delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"place\":"}}]})")));
    EXPECT_TRUE(stream.push(delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"\"Ghent\"}"}}]})")));
    EXPECT_TRUE(
        stream.push(delta(R"({"tool_calls":[{"index":1,"function":{"name":"time","arguments":"soon"}}]})")));
    EXPECT_FALSE(stream.isComplete());
    EXPECT_TRUE(stream.push("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"));
    EXPECT_TRUE(stream.isComplete());
    EXPECT_FALSE(stream.isWhole());
    EXPECT_TRUE(
        stream.push("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,"
                    "\"prompt_tokens_details\":{\"cached_tokens\":3}}}\n\ndata: [DONE]\n\n"));
    EXPECT_TRUE(stream.isWhole());
    EXPECT_EQ(partsOf(stream),
              (std::vector<Part>{
                  {PartKind::Thought, "Hm.", {}},
                  {PartKind::Text, "I look.", {}},
                  {PartKind::ToolCall, R"({"name":"weather","arguments":{"place":"Ghent"}})", "weather"},
                  {PartKind::ToolCall, R"({"name":"time","arguments":"soon"})", "time"}}));
    EXPECT_EQ(stream.finishReason(), "tool_calls");
    ASSERT_TRUE(stream.usage());
    EXPECT_EQ(stream.usage()->promptTokens, 9u);
    EXPECT_EQ(stream.usage()->cachedTokens, 3u);
    EXPECT_EQ(stream.usage()->newTokens, 4u);
    EXPECT_EQ(stream.numChunks(), 8u);
}

TEST(ChatStream, WhatIsNoUtf8IsReplaced) {
    ChatStream stream;
    EXPECT_TRUE(stream.push(delta("{\"content\":\"a\xC3(\xE2\x82z\"}")));
    EXPECT_EQ(partsOf(stream), (std::vector<Part>{{PartKind::Text, "a\uFFFD(\uFFFD\uFFFDz", {}}}));
}

TEST(ChatStream, WhatIsNoAnswerEndsIt) {
    for (const std::string& bad :
         {std::string("data: {\"choices\":\n\n"), std::string("data: 7\n\n"), std::string("data: [\n\n"),
          "data: " + std::string(100'000, '[') + "\n\n", std::string(2 << 20, 'x')}) {
        ChatStream stream;
        const Status taken = stream.push(bad);
        ASSERT_FALSE(taken) << bad.substr(0, 30);
        EXPECT_EQ(taken.error().code, ErrorCode::Corrupt);
    }
    ChatStream stream;
    const Status taken = stream.push("data: {\"error\":{\"message\":\"out of\\nmemory\",\"code\":500}}\n\n");
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::Io);
    EXPECT_NE(taken.error().message.find("out of\\nmemory"), std::string::npos) << taken.error().message;
}

TEST(ChatStream, StrangeMembersAreNoMatter) {
    ChatStream stream;
    EXPECT_TRUE(stream.push(delta("null") + delta("[1]") + delta(R"({"content":7,"tool_calls":{"a":1}})") +
                            "data: {\"choices\":[null]}\n\ndata: {\"choices\":{}}\n\n" +
                            "data: {\"usage\":{\"prompt_tokens\":-1}}\n\n" + delta(R"({"tool_calls":[3]})") +
                            delta(R"({"content":"fine"})")));
    const auto parts = partsOf(stream);
    ASSERT_FALSE(parts.empty());
    EXPECT_EQ(parts.back().text, "fine");
}

/// However its bytes are changed, it ends in a sentence or goes on, and nothing that is no UTF-8 comes out.
TEST(ChatStream, DamagedStreamsAreBornWith) {
    const std::string whole =
        delta(R"({"reasoning_content":"Hm \u00e9"})") +
        delta(R"({"content":"\ud83d\ude00 Good \"day\"\n"})") +
        delta(R"({"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\": [1]}"}}]})") +
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9}}\n\n"
        "data: [DONE]\n\n";
    uint64_t random = 7;
    const auto next = [&](uint64_t below) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        return (random >> 33) % below;
    };
    int refused = 0, taken = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string bytes = whole;
        for (uint64_t changes = 1 + next(3); changes > 0; --changes) {
            const size_t at = next(bytes.size());
            if (next(3) == 0)
                bytes.erase(at, 1 + next(8));
            else
                bytes[at] = static_cast<char>(next(256));
        }
        ChatStream stream;
        Status status;
        for (size_t at = 0; status && at < bytes.size();) {
            const size_t size = 1 + next(40);
            status = stream.push(std::string_view(bytes).substr(at, size));
            at += size;
        }
        ++(status ? taken : refused);
        for (const PartPiece& piece : stream.takePieces()) {
            EXPECT_EQ(validUtf8(piece.text), piece.text);
            EXPECT_EQ(validUtf8(piece.data), piece.data);
        }
    }
    EXPECT_GT(refused, 100);
    EXPECT_GT(taken, 100);
}

}  // namespace
}  // namespace ingle::bridge
