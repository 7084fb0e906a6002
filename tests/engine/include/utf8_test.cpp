#include "ingle/utf8.h"

#include <gtest/gtest.h>

namespace ingle {
namespace {

TEST(Utf8, characters) {
    for (const char32_t code : {U'a', U'\u00FC', U'\u20AC', U'\U0001F600', U'\U0010FFFF', U'\uFFFD'}) {
        const std::string text = encodeUtf8(code);
        const FirstCharacter first = firstCharacter(text + "behind");
        EXPECT_TRUE(first.isWellFormed);
        EXPECT_EQ(first.code, code);
        EXPECT_EQ(first.bytes, text.size());
        EXPECT_EQ(codePointOf(text), code);
    }
    EXPECT_TRUE(firstCharacter(std::string_view("\0", 1)).isWellFormed);
}

/// Overlong, of a surrogate, beyond the last, cut, alone, and never used.
TEST(Utf8, bytesThatAreNone) {
    for (const std::string_view text : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                        "\xE2\x82", "\x80", "\xFF", "\xC3"}) {
        const FirstCharacter first = firstCharacter(text);
        EXPECT_FALSE(first.isWellFormed);
        EXPECT_EQ(first.bytes, 1U);
        EXPECT_EQ(codePointOf(text), kReplacementCharacter);
    }
}

TEST(Utf8, boundaries) {
    const std::string_view text = "a\u20ACb";
    EXPECT_TRUE(isBoundary(text, 1) && isBoundary(text, 4) && isBoundary(text, 99));
    EXPECT_FALSE(isBoundary(text, 2) || isBoundary(text, 3));
    EXPECT_EQ(boundaryUpTo(text, 3), 1U);
    EXPECT_EQ(boundaryUpTo(text, 4), 4U);
    EXPECT_EQ(boundaryUpTo(text, 99), text.size());
}

}  // namespace
}  // namespace ingle
