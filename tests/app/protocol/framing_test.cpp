#include "app/protocol/framing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/protocol/messages.h"

namespace ingle::protocol {
namespace {

std::vector<std::string> messagesOf(std::string_view bytes) {
    MessageReader reader;
    reader.append(bytes);
    std::vector<std::string> messages;
    while (const auto message = reader.next()) messages.push_back(message->value());
    return messages;
}

TEST(Framing, ShortMessagesAreALine) {
    const std::string message = encode(Request{3, Count{"hello"}});
    EXPECT_EQ(frame(message).value(), message + "\n");
    const std::string longest(kMaxLineBytes, 'x');
    EXPECT_EQ(frame(longest).value(), longest + "\n");
}

TEST(Framing, LongMessagesTravelInPieces) {
    const std::string pattern = "0123456789\u6f22";
    for (const size_t size :
         {kMaxLineBytes + 1, 2 * (kMaxLineBytes - 1), 2 * kMaxLineBytes, size_t{5'000'000}}) {
        std::string message = "{";
        while (message.size() < size) message += pattern;
        message.resize(size);
        const std::string bytes = frame(message).value();
        size_t longest = 0;
        for (size_t at = 0; at < bytes.size();) {
            const size_t end = bytes.find('\n', at);
            longest = std::max(longest, end - at);
            at = end + 1;
        }
        EXPECT_EQ(longest, kMaxLineBytes);
        EXPECT_LT(bytes.size(), size + 16);
        const auto received = messagesOf(bytes);
        ASSERT_EQ(received.size(), 1u);
        EXPECT_TRUE(received[0] == message) << size;
    }
}

TEST(Framing, WholeMessagesMayStandBetweenPieces) {
    EXPECT_EQ(messagesOf("+{\"a\n{\"id\":1}\n+b\n{\"id\":2}\n.\"}\n{\"id\":3}\n"),
              (std::vector<std::string>{"{\"id\":1}", "{\"id\":2}", "{\"ab\"}", "{\"id\":3}"}));
    EXPECT_EQ(messagesOf("+\n.\n"), (std::vector<std::string>{""}));
}

TEST(Framing, AMessageThatIsTooLongIsRefusedOnBothSides) {
    EXPECT_EQ(frame(std::string(kMaxMessageBytes + 1, 'x')).error().code, ErrorCode::InvalidArgument);
    MessageReader reader;
    const std::string piece = "+" + std::string(kMaxLineBytes - 1, 'x') + "\n";
    int errors = 0;
    for (size_t sent = 0; sent < kMaxMessageBytes + 10 * kMaxLineBytes; sent += kMaxLineBytes) {
        reader.append(piece);
        while (const auto message = reader.next()) {
            ASSERT_FALSE(*message);
            ++errors;
        }
    }
    EXPECT_EQ(errors, 1);
    reader.append(".end\n+af\n.ter\n");
    EXPECT_EQ(**reader.next(), "after");
    EXPECT_FALSE(reader.next());
}

TEST(LineSplitterTest, LinesComeOutHoweverTheBytesArrive) {
    LineSplitter splitter;
    EXPECT_FALSE(splitter.next());
    splitter.append("on");
    EXPECT_FALSE(splitter.next());
    splitter.append("e\n\n\ntwo\nthr");
    EXPECT_EQ(**splitter.next(), "one");
    EXPECT_EQ(**splitter.next(), "two");
    EXPECT_FALSE(splitter.next());
    splitter.append("ee\n");
    EXPECT_EQ(**splitter.next(), "three");
    EXPECT_FALSE(splitter.next());
}

TEST(LineSplitterTest, AnyCutOfTheStreamGivesTheSameLines) {
    const std::string stream = "\n\na\nbc\n\ndef\n";
    for (size_t first = 0; first <= stream.size(); ++first) {
        for (size_t second = first; second <= stream.size(); ++second) {
            LineSplitter splitter;
            std::vector<std::string> lines;
            const std::string_view view = stream;
            for (const auto part :
                 {view.substr(0, first), view.substr(first, second - first), view.substr(second)}) {
                splitter.append(part);
                while (const auto line = splitter.next()) lines.push_back(**line);
            }
            EXPECT_EQ(lines, (std::vector<std::string>{"a", "bc", "def"})) << first << " " << second;
        }
    }
}

TEST(LineSplitterTest, ALongLineIsReportedOnceAndSkipped) {
    LineSplitter splitter;
    const std::string piece(1 << 16, 'x');
    int errors = 0;
    for (int i = 0; i < 40; ++i) {
        splitter.append(piece);
        while (const auto line = splitter.next()) {
            ASSERT_FALSE(*line);
            ++errors;
        }
    }
    splitter.append("tail\nafter\n");
    ASSERT_EQ(errors, 1);
    EXPECT_EQ(**splitter.next(), "after");
    EXPECT_FALSE(splitter.next());

    splitter.append(std::string(kMaxLineBytes + 1, 'y') + "\n" + std::string(kMaxLineBytes, 'z') + "\n");
    EXPECT_FALSE(*splitter.next());
    EXPECT_EQ((**splitter.next()).size(), kMaxLineBytes);
}

}  // namespace
}  // namespace ingle::protocol
