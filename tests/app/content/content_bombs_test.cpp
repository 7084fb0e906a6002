/// Markdown that wants to be read for ever: nested, wide, never closed. Whole and in pieces, as an answer
/// comes, each is read soon.
#include <gtest/gtest.h>

#include "app/content/block_stream.h"
#include "tests/app/content/shown_blocks.h"
#include "tests/processor_time.h"

namespace ingle::content {
namespace {

constexpr size_t kBombBytes = 100'000;
constexpr double kMostSeconds = 2;

std::string filledWith(std::string_view piece, size_t bytes = kBombBytes) {
    std::string text;
    while (text.size() < bytes) text += piece;
    return text;
}

std::vector<std::string> bombs() {
    std::vector<std::string> all;
    for (const char* piece :
         {"*",      "_",       "**a",        "*a_b",     "***a**",    "a*",       "_a ",     "~~a",
          "`",      "` ``",    "[",          "]",        "[a](",      "![",       "[[a]",    "(",
          "<",      "<a ",     "<a href=\"", "</a",      "<!--",      "<!-- -->", "<?",      "<![CDATA[",
          "&",      "&#",      "&amp",       "\\",       "$",         "$$",       "$a",      "\\(",
          "\\[",    "\\(a\\)", "|",          "|-",       "| a ",      "#",        "# ",      "~",
          "~~~",    ">",       "> ",         "- ",       "* ",        "1. ",      "+ ",      ">- ",
          " ",      "\t",      "\n",         " \n",      "a\n",       "a  \n",    "- a\n",   "> a\n",
          "1. a\n", "|a|b|\n", "=",          "-\n",      "---\n",     "```\n",    "~~~\n",   "[a]: b\n",
          "[a]",    "[^a]",    "[^a]: b\n",  "- [ ] ",   "http://a",  "www.",     "a@b.",    "\u4e00",
          "\u0301", "\u202e",  "<think>",    "</think>", "\n\n    a", "- a\n\n",  "  - a\n", "<details>",
          "<p>\n"}) {
        all.push_back(filledWith(piece));
        all.push_back(filledWith(piece) + "\n\nend");
    }
    std::string deepList, deepQuote, definitions, wide = "|", runs;
    for (size_t i = 0; i < 400; ++i) deepList += std::string(2 * i, ' ') + "- a\n";
    for (size_t i = 0; i < 400; ++i) deepQuote += std::string(i, '>') + " a\n";
    for (size_t i = 0; i < 3000; ++i) definitions += "[" + std::to_string(i) + "]: /a\n";
    for (size_t i = 0; i < 10'000; ++i) wide += "a|";
    for (size_t i = 1; runs.size() < kBombBytes; ++i) runs += std::string(i % 300, '`') + "a";
    std::string rule = "|";
    for (size_t i = 0; i < 10'000; ++i) rule += "-|";
    all.push_back(deepList);
    all.push_back(deepQuote);
    all.push_back(definitions + filledWith("[1][2] "));
    all.push_back(definitions + "\n" + filledWith("[1]\n\n"));
    all.push_back("[a]: " + std::string(100'000, 'b') + "\n\n" + filledWith("[a]\n\n"));
    all.push_back(wide + "\n" + rule + "\n" + wide + "\n|a|\n|a|\n|a|\n|a|\n");
    all.push_back(wide + "\n" + rule + "\n" + filledWith("|\n", 4000));
    all.push_back(runs);
    all.push_back(filledWith("a", 1'000'000));
    return all;
}

TEST(ContentBombs, areReadSoon) {
    for (const std::string& text : bombs()) {
        const double begin = test::processorSeconds();
        static_cast<void>(blocksOf(text));
        EXPECT_LT(test::processorSeconds() - begin, kMostSeconds) << text.substr(0, 40) << ", whole";
    }
}

/// As an answer comes: what was read before is not read again with each piece.
TEST(ContentBombs, areReadSoonInPieces) {
    constexpr size_t kBytes = 20'000, kPiece = 40;
    for (const std::string& text : bombs()) {
        const double begin = test::processorSeconds();
        BlockStream stream;
        for (size_t at = 0; at < std::min(text.size(), kBytes); at += kPiece)
            stream.append(std::string_view(text).substr(at, kPiece));
        EXPECT_LT(test::processorSeconds() - begin, kMostSeconds) << text.substr(0, 40) << ", in pieces";
    }
}

}  // namespace
}  // namespace ingle::content
