#include "ingle/shown_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingle/result.h"

namespace ingle {
namespace {

TEST(ShownText, readableTextStaysAsItIs) {
    for (const char* text : {"", "Qwen3 8B", "gr\u00fc\u00df dich", "\u65e5\u672c\u8a9e", "\U0001F642",
                             "a\\nb", "\u05e9\u05dc\u05d5\u05dd"}) {
        EXPECT_EQ(escaped(text), text);
        EXPECT_EQ(shown(text), text);
    }
}

TEST(ShownText, whatWouldBeObeyedIsSpelledOut) {
    EXPECT_EQ(escaped("a\x1b[31mb"), "a\\x1b[31mb");
    EXPECT_EQ(escaped("a\nb\tc\rd\x7f"), "a\\nb\\tc\\x0dd\\x7f");
    EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(escaped("\u009b31m"), "\\u{9b}31m");  // CSI, as one character
    EXPECT_EQ(escaped("\u202egpj.exe"), "\\u{202e}gpj.exe");
    EXPECT_EQ(escaped("a\nb\x1b", "\n"), "a\nb\\x1b");
}

TEST(ShownText, bytesThatAreNoUtf8AreSpelledOut) {
    EXPECT_EQ(escaped("\xff"), "\\xff");
    EXPECT_EQ(escaped("\xc3"), "\\xc3");                    // ends early
    EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");           // overlong
    EXPECT_EQ(escaped("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");  // overlong, of three bytes
    EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
    EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(ShownText, escapingTwiceIsEscapingOnce) {
    const std::string once = escaped("\x1b\n\xff\u202e\\");
    EXPECT_EQ(escaped(once), once);
}

TEST(ShownText, longNamesAreCut) {
    EXPECT_EQ(shown(std::string(80, 'x')), std::string(80, 'x'));
    EXPECT_EQ(shown(std::string(81, 'x')), std::string(79, 'x') + "\u2026");
    EXPECT_EQ(shown(std::string(1 << 20, '\x1b')).size(), 79 + 3U);
    std::string wide;
    for (int i = 0; i < 100; ++i) wide += "\u65e5";
    EXPECT_EQ(shown(wide), wide.substr(0, size_t{3} * 79) + "\u2026");
}

TEST(ShownText, anErrorSaysNoControlCharacters) {
    const std::string name = "evil\x1b]0;title\x07";
    const tl::unexpected<Error> failed = fail(ErrorCode::Corrupt, "{}: '{}' of {}", name, 'c', 3);
    EXPECT_EQ(failed.value().message, "evil\\x1b]0;title\\x07: 'c' of 3");
    EXPECT_EQ(fail(ErrorCode::Corrupt, "character '{}'", '\x1b').value().message, "character '\\x1b'");
    EXPECT_EQ(fail(ErrorCode::Corrupt, "{:>4}|{:#x}", "ab", 255).value().message, "  ab|0xff");
}

}  // namespace
}  // namespace ingle
