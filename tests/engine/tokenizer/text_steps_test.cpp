/// Forms of text. What is expected is the Unicode Standard's: the tables of its Annex 15, and the examples of
/// NormalizationTest.txt that compose, exclude and reorder.
#include "engine/tokenizer/text_steps.h"

#include <gtest/gtest.h>

namespace ingle::tokenizer {
namespace {

using formats::TextStep;

std::string after(const std::string& text, const std::vector<TextStep>& steps) {
    return withTextSteps(text, steps);
}

TEST(TextSteps, formsAreThoseOfTheStandard) {
    struct Case {
        std::string text, nfc, nfd, nfkc, nfkd;
    };
    const Case cases[] = {
        {"\u212B", "\u00C5", "A\u030A", "\u00C5", "A\u030A"},
        {"\u2126", "\u03A9", "\u03A9", "\u03A9", "\u03A9"},
        {"\u1E69", "\u1E69", "s\u0323\u0307", "\u1E69", "s\u0323\u0307"},
        {"\u1E0B\u0323", "\u1E0D\u0307", "d\u0323\u0307", "\u1E0D\u0307", "d\u0323\u0307"},
        {"q\u0307\u0323", "q\u0323\u0307", "q\u0323\u0307", "q\u0323\u0307", "q\u0323\u0307"},
        {"\uFB01", "\uFB01", "\uFB01", "fi", "fi"},
        {"2\u2075", "2\u2075", "2\u2075", "25", "25"},
        {"\u1E9B\u0323", "\u1E9B\u0323", "\u017F\u0323\u0307", "\u1E69", "s\u0323\u0307"},
        {"\u0958", "\u0915\u093C", "\u0915\u093C", "\u0915\u093C", "\u0915\u093C"},
        {"\u1100\u1161\u11A8", "\uAC01", "\u1100\u1161\u11A8", "\uAC01", "\u1100\u1161\u11A8"},
        {"plain", "plain", "plain", "plain", "plain"},
        {"", "", "", "", ""},
    };
    for (const Case& each : cases) {
        EXPECT_EQ(after(each.text, {TextStep::Nfc}), each.nfc);
        EXPECT_EQ(after(each.text, {TextStep::Nfd}), each.nfd);
        EXPECT_EQ(after(each.text, {TextStep::Nfkc}), each.nfkc);
        EXPECT_EQ(after(each.text, {TextStep::Nfkd}), each.nfkd);
        EXPECT_EQ(after(each.text, {}), each.text);
    }
}

TEST(TextSteps, areDoneInTheirOrder) {
    using enum TextStep;
    // U+0903 is a mark that takes space, U+20DD one that encloses.
    const std::string text = "\u00C9A\u0301\u0915\u0903o\u20DD";
    EXPECT_EQ(after(text, {DropNonspacingMarks}), "\u00C9A\u0915\u0903o\u20DD");
    EXPECT_EQ(after(text, {DropMarks}), "\u00C9A\u0915o");
    EXPECT_EQ(after(text, {Nfd, DropMarks, Lowercase}), "ea\u0915o");
    EXPECT_EQ(after(text, {BaseLetters}), "EA\u0301\u0915\u0903o\u20DD");
    EXPECT_EQ(after("\u0130\u00C9\u03A3\u1E9E", {Lowercase}), "i\u0307\u00E9\u03C3\u00DF");
    EXPECT_EQ(after("\uAC01", {BaseLetters}), "\u1100");
}

TEST(TextSteps, whatIsNoTextStays) {
    EXPECT_EQ(after("e\xFF\u0301", {TextStep::Nfc}), "e\xFF\u0301");
    EXPECT_EQ(after("\xC3", {TextStep::Nfc}), "\xC3");
    const std::string text("E\u0301\0\xED\xA0\x80 E\u0301\xF0\x9F", 13);
    EXPECT_EQ(after(text, {TextStep::Nfc, TextStep::Lowercase}),
              std::string("\u00E9\0\xED\xA0\x80 \u00E9\xF0\x9F", 11));
}

}  // namespace
}  // namespace ingle::tokenizer
