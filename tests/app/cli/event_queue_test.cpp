#include "app/cli/host/event_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "app/protocol/framing.h"
#include "tests/pieces.h"

namespace ingle::cli {
namespace {

protocol::Event tokens(protocol::RequestId id, TokenId token, const std::string& text) {
    return {id, protocol::Tokens{test::chunkOf({token}, text)}};
}

TEST(EventQueue, MergesTokensOfEachRequestInOrder) {
    EventQueue queue(10);
    queue.push(tokens(1, 5, "a"));
    queue.push(tokens(1, 6, ""));
    queue.push(tokens(1, 7, "b"));
    queue.push(tokens(2, 8, "c"));
    queue.push(tokens(1, 9, "d"));  // two answers are written at once
    queue.push({1, protocol::Done{}});
    queue.push(tokens(1, 10, "e"));
    const auto first = std::get<protocol::Tokens>(queue.pop().body).chunk;
    EXPECT_THAT(first.ids, testing::ElementsAre(5, 6, 7, 9));
    EXPECT_EQ(first.pieces, test::chunkOf({}, "abd").pieces);
    EXPECT_EQ(queue.pop().id, 2u);
    EXPECT_TRUE(std::holds_alternative<protocol::Done>(queue.pop().body));
    EXPECT_THAT(std::get<protocol::Tokens>(queue.pop().body).chunk.ids, testing::ElementsAre(10));
}

TEST(EventQueue, PiecesOfOnePartBecomeOne) {
    EventQueue queue(10);
    const std::vector<PartPiece> pieces{{PartKind::Thought, "a", {}},
                                        {PartKind::Thought, "b", {}},
                                        {PartKind::ToolCall, "c", "tool"},
                                        {PartKind::ToolCall, "d", "tool", true},
                                        {PartKind::ToolCall, "e", {}}};
    for (TokenId id = 0; id < 5; ++id)
        queue.push({1, protocol::Tokens{{{id}, {pieces[static_cast<size_t>(id)]}}}});
    const auto chunk = std::get<protocol::Tokens>(queue.pop().body).chunk;
    EXPECT_THAT(chunk.ids, testing::ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(chunk.pieces, testing::ElementsAre(PartPiece{PartKind::Thought, "ab", {}}, pieces[2],
                                                   PartPiece{PartKind::ToolCall, "de", "tool", true}));
}

TEST(EventQueue, NewerProgressReplacesOlder) {
    EventQueue queue(10);
    queue.push({1, protocol::Progress{0.1, "a"}});
    queue.push({1, protocol::Progress{0.2, "b"}});
    queue.push({2, protocol::Progress{0.3, "c"}});
    EXPECT_EQ(std::get<protocol::Progress>(queue.pop().body).fraction, 0.2);
    EXPECT_EQ(queue.pop().id, 2u);
}

TEST(EventQueue, MergedEventsStayBelowAProtocolLine) {
    EventQueue queue(1000);
    const std::string worst(1000, '\x01');  // six characters each in JSON
    for (int i = 0; i < 500; ++i) queue.push(tokens(1, -2'000'000'000, worst));
    size_t bytes = 0;
    int events = 0;
    for (; bytes < 500 * worst.size(); ++events) {
        const protocol::Event event = queue.pop();
        bytes += std::get<protocol::Tokens>(event.body).chunk.pieces.at(0).text.size();
        EXPECT_LT(protocol::encode(event).size(), protocol::kMaxLineBytes);
    }
    EXPECT_LT(events, 20);
}

TEST(EventQueue, ManyPartsStayBelowAProtocolLine) {
    EventQueue queue(1000);
    const PartPiece piece{PartKind::ToolResult, "\x01", {}, true};
    for (int i = 0; i < 5000; ++i) queue.push({1, protocol::Tokens{{{}, {piece, piece}}}});
    for (size_t pieces = 0; pieces < 10000;) {
        const protocol::Event event = queue.pop();
        pieces += std::get<protocol::Tokens>(event.body).chunk.pieces.size();
        EXPECT_LT(protocol::encode(event).size(), protocol::kMaxLineBytes);
    }
}

TEST(EventQueue, AFullQueueMakesTheWriterWait) {
    EventQueue queue(2);
    queue.push({1, protocol::Unloaded{}});
    queue.push({2, protocol::Unloaded{}});
    std::atomic<bool> through = false;
    std::thread writer([&] {
        queue.push({3, protocol::Unloaded{}});
        through = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_FALSE(through);
    EXPECT_EQ(queue.pop().id, 1u);
    writer.join();
    EXPECT_EQ(queue.pop().id, 2u);
    EXPECT_EQ(queue.pop().id, 3u);
}

}  // namespace
}  // namespace ingle::cli
