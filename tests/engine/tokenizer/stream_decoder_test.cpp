#include "engine/tokenizer/stream_decoder.h"

#include <gtest/gtest.h>

#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer {
namespace {

struct Decoded {
    std::string text;
    bool stopped = false;

    bool operator==(const Decoded&) const = default;
};

bool isValidUtf8(std::string_view text) {
    while (!text.empty()) {
        const Utf8Part part = firstUtf8Part(text);
        if (part.kind != Utf8Kind::Character) return false;
        text.remove_prefix(part.bytes);
    }
    return true;
}

Decoded decodeParts(const std::vector<std::string>& stops, const std::vector<std::string_view>& parts) {
    StreamDecoder decoder(stops);
    Decoded out;
    for (const std::string_view part : parts) {
        const auto output = decoder.push(part);
        EXPECT_TRUE(isValidUtf8(output.text));
        out.text += output.text;
        if ((out.stopped = output.stopped)) return out;
    }
    out.text += decoder.finish();
    return out;
}

/// The text in one push, byte by byte, and cut into three at every pair of places must decode alike.
void expectDecodes(std::string_view bytes, const Decoded& expected,
                   const std::vector<std::string>& stops = {}) {
    EXPECT_EQ(decodeParts(stops, {bytes}).text, expected.text);
    std::vector<std::string_view> single;
    for (size_t i = 0; i < bytes.size(); ++i) single.push_back(bytes.substr(i, 1));
    EXPECT_EQ(decodeParts(stops, single), expected);
    for (size_t a = 0; a <= bytes.size(); ++a)
        for (size_t b = a; b <= bytes.size(); ++b)
            EXPECT_EQ(decodeParts(stops, {bytes.substr(0, a), bytes.substr(a, b - a), bytes.substr(b)}),
                      expected)
                << a << " " << b;
}

TEST(StreamDecoder, everySplitOfAMultiByteTextGivesTheText) {
    const std::string text = "a\u00e9\u20ac\U0001F600\u4f60 z";
    expectDecodes(text, {text});
    expectDecodes(std::string("a\0b", 3), {std::string("a\0b", 3)});
    expectDecodes("", {""});
}

TEST(StreamDecoder, tellsWhereTheTextOfASignBegins) {
    using enum StreamDecoder::Token;
    StreamDecoder decoder({"</end>"});
    std::string text = decoder.push("a\xE4", Ordinary).text;
    text += decoder.push("<do>", Sign).text;
    text += decoder.push("<", Ordinary).text;
    text += decoder.push("</", Sign).text;
    EXPECT_EQ(decoder.withheld(), "</");
    text += decoder.push("x", Ordinary).text;
    EXPECT_EQ(text, "a\uFFFD\xFF<do><\xFF</x");
    EXPECT_TRUE(decoder.push("</end>", Sign).stopped);
}

TEST(StreamDecoder, noStopStringBeginsInWhatIsPassed) {
    StreamDecoder decoder({"stop"});
    EXPECT_EQ(decoder.pass("a stop st"), "a stop st");
    EXPECT_EQ(decoder.push("op").text, "op");
    EXPECT_EQ(decoder.pass("\xC3"), "") << "half a character";
    EXPECT_EQ(decoder.push("\xA9stop").text, "\u00e9");
    EXPECT_TRUE(decoder.push("more").stopped);
}

TEST(StreamDecoder, invalidBytesBecomeOneReplacementPerMaximalPart) {
    // The examples of the Unicode standard, tables 3-8 to 3-11.
    expectDecodes("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41",
                  {"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41"});
    expectDecodes("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41",
                  {"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41"});
    expectDecodes("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42",
                  {"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41\uFFFD\uFFFD\x42"});
    expectDecodes("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", {"\uFFFD\uFFFD\uFFFD\uFFFD\x41"});
    expectDecodes("x\xF0\x9F\x98", {"x\uFFFD"});
}

TEST(StreamDecoder, holdsBackHalfACharacter) {
    StreamDecoder decoder({});
    EXPECT_EQ(decoder.push("a\xF0\x9F").text, "a");
    EXPECT_EQ(decoder.withheld(), "\xF0\x9F");
    EXPECT_EQ(decoder.push("\x98").text, "");
    EXPECT_EQ(decoder.push("\x80").text, "\U0001F600");
    EXPECT_EQ(decoder.withheld(), "");
}

TEST(StreamDecoder, stopStringsEndTheTextAcrossAnySplit) {
    expectDecodes("Hello\n\nUser: more", {"Hello", true}, {"\n\nUser:", "\nUser:"});
    expectDecodes("Hello\nUser: more", {"Hello", true}, {"\n\nUser:", "\nUser:"});
    expectDecodes("aaab", {"a", true}, {"aab"});
    expectDecodes("abcd", {"a", true}, {"abcd", "bc"});
    expectDecodes("\u20ac\u20ad", {"\u20ac", true}, {"\u20ad"});
    expectDecodes("\xE2\x82<end>", {"\uFFFD", true}, {"<end>"});
}

TEST(StreamDecoder, whatOnlyLooksLikeAStopStringIsText) {
    expectDecodes("Hello\nUsual", {"Hello\nUsual"}, {"\n\nUser:", "\nUser:"});
    expectDecodes("ends in \nUse", {"ends in \nUse"}, {"\nUser:"});
    expectDecodes("any text", {"any text"}, {""});
}

TEST(StreamDecoder, nothingFollowsAStop) {
    StreamDecoder decoder({"END"});
    EXPECT_EQ(decoder.push("textEN").text, "text");
    EXPECT_EQ(decoder.withheld(), "EN");
    const auto output = decoder.push("D and more");
    EXPECT_TRUE(output.stopped);
    EXPECT_EQ(output.text, "");
    EXPECT_EQ(decoder.push("later").text, "");
    EXPECT_EQ(decoder.finish(), "");
}

}  // namespace
}  // namespace ingle::tokenizer
