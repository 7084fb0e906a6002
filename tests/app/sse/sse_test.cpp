/// Server-sent events, however the bytes arrive.
#include "app/sse/sse.h"

#include <gtest/gtest.h>

namespace ingle {
namespace {

using Events = std::vector<std::string>;

/// In pieces of `size` bytes.
Events parse(std::string_view stream, size_t size = 1 << 20) {
    SseParser parser;
    Events events;
    for (size_t at = 0; at < stream.size(); at += size)
        EXPECT_TRUE(parser.push(stream.substr(at, size), events));
    return events;
}

TEST(Sse, EventsAreTheSameWhereverTheStreamIsCut) {
    const std::string stream =
        "\xEF\xBB\xBF"
        "data: one\n\n: a comment\r\ndata:two\r\n\r\nevent: x\rdata: three\rdata: and more\rid: 7\r\r"
        "retry: 10\n\ndata\n\ndata:  spaced\n\ndata: [DONE]\n\n";
    const Events expected{"one", "two", "three\nand more", "", " spaced", "[DONE]"};
    EXPECT_EQ(parse(stream), expected);
    for (size_t size = 1; size < stream.size(); ++size) EXPECT_EQ(parse(stream, size), expected) << size;
    for (size_t cut = 1; cut < stream.size(); ++cut) {
        SseParser parser;
        Events events;
        EXPECT_TRUE(parser.push(std::string_view(stream).substr(0, cut), events));
        EXPECT_TRUE(parser.push(std::string_view(stream).substr(cut), events));
        EXPECT_EQ(events, expected) << cut;
    }
}

TEST(Sse, WhatTheEndCutsOffNeverComes) {
    EXPECT_EQ(parse("data: whole\n\ndata: half\n"), Events{"whole"});
    EXPECT_EQ(parse("data: whole\r\n\r\ndata: ha"), Events{"whole"});
    EXPECT_EQ(parse("event: nothing but a name\n\n"), Events{});
    EXPECT_EQ(parse("datum: other\n\n"), Events{});
}

TEST(Sse, TooLongLinesAndEventsAreRefused) {
    SseParser lines;
    Events events;
    const std::string half(SseParser::kMaxLineBytes / 2 + 1, 'x');
    EXPECT_TRUE(lines.push(half, events));
    const Status refused = lines.push(half, events);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Corrupt);

    SseParser many;
    Status last;
    for (int line = 0; line < 10 && last; ++line) last = many.push("data: " + half + "\n", events);
    EXPECT_FALSE(last);
    EXPECT_TRUE(events.empty());
}

}  // namespace
}  // namespace ingle
