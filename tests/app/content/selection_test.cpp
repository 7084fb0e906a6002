/// What is copied: Markdown that reads as the same blocks again, and plain text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "app/content/exporter.h"
#include "tests/app/content/corpus.h"
#include "tests/app/content/long_texts.h"
#include "tests/app/content/shown_blocks.h"
#include "tests/every_case.h"

namespace ingle::content {
namespace {

const TextPosition kEnd{1000000, 0};

std::string copied(std::string_view text) {
    return markdown(blocksOf(text), {}, kEnd);
}

TEST(Selection, markdownReadsAsTheSameBlocks) {
    for (const std::string& text : corpus())
        EXPECT_EQ(shown(copied(text)), shown(text)) << text << "\n--\n" << copied(text);
    for (const auto& [name, text] : longTexts(20000)) {
        if (name == "unspaced") continue;  // is cut elsewhere, as its pieces are one again
        EXPECT_EQ(plainText(blocksOf(copied(text)), {}, kEnd), plainText(blocksOf(text), {}, kEnd)) << name;
    }
}

TEST(Selection, randomBlocksAreCopied) {
    const std::vector<std::string> pieces = {"\n",
                                             "\n\n",
                                             "word ",
                                             "# h\n",
                                             "- item\n",
                                             "1. item\n",
                                             "```\ncode\n```\n",
                                             "> q\n",
                                             "*a* ",
                                             "**b** ",
                                             "`c` ",
                                             "---\n",
                                             "  more\n",
                                             "[x](y) ",
                                             "ü",
                                             "\\* ",
                                             "_ ",
                                             "* ",
                                             "1) x\n",
                                             "$y$ ",
                                             "a_b ",
                                             "<t> ",
                                             "&amp; ",
                                             "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
                                             "~~d~~ ",
                                             "- [ ] t\n",
                                             "   - in\n",
                                             "> > r\n",
                                             "\\[z\\]\n"};
    std::mt19937 random(9);
    int same = 0;
    const int rounds = test::triesEveryCase() ? 30000 : 1000;
    for (int round = 0; round < rounds; ++round) {
        std::string text;
        const size_t length = 1 + random() % 8;
        for (size_t i = 0; i < length; ++i) text += pieces[random() % pieces.size()];
        same += shown(copied(text)) == shown(text) ? 1 : 0;
        // Whatever is selected, what it says is there.
        const auto blocks = blocksOf(text);
        if (!blocks.empty()) {
            const TextPosition from{random() % blocks.size(), random() % 4};
            const TextPosition to{from.block + random() % (blocks.size() - from.block), 4 + random() % 9};
            markdown(blocks, from, to);
            plainText(blocks, from, to);
        }
    }
    EXPECT_GT(same, rounds * 97 / 100);
}

TEST(Selection, partsOfBlocks) {
    const auto blocks =
        blocksOf("Some **bold words** here\n\n1. first\n2. second\n\n```py\nx = 1\ny = 2\n```");
    EXPECT_EQ(markdown(blocks, {0, 7}, {0, 16}), "**ld words** ");
    EXPECT_EQ(plainText(blocks, {0, 7}, {1, 3}), "ld words here\n\n1. fir");
    EXPECT_EQ(markdown(blocks, {0, 16}, {2, 6}), "here\n\n1. first\n2. second");
    EXPECT_EQ(markdown(blocks, {1, 2}, {2, 3}), "   rst\n2. sec");
    EXPECT_EQ(markdown(blocks, {3, 6}, kEnd), "```py\ny = 2\n```");
    EXPECT_EQ(plainText(blocks, {3, 2}, {3, 5}), "= 1");
    EXPECT_EQ(plainText(blocks, {0, 4}, {0, 4}), "");
    EXPECT_EQ(plainText(blocks, {9, 0}, kEnd), "");
}

TEST(Selection, tablesKeepTheirRows) {
    const auto blocks = blocksOf("| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | x\\|y |");
    EXPECT_EQ(plainText(blocks, {}, kEnd), "a\tb\n1\t2\n3\tx|y");
    EXPECT_EQ(markdown(blocks, {}, kEnd), "| a | b |\n| --- | ---: |\n| 1 | 2 |\n| 3 | x\\|y |");
    EXPECT_EQ(markdown(blocks, {0, 5}, {0, 6}), "| 1 | 2 |\n| --- | ---: |");
}

TEST(Selection, onlyWhatNeedsItIsEscaped) {
    EXPECT_EQ(copied("snake_case, 5 * 3, [1] and a#b"), "snake_case, 5 * 3, [1] and a#b");
    EXPECT_EQ(copied("\\*x\\*"), "\\*x\\*");
    EXPECT_EQ(copied("\\# no heading"), "\\# no heading");
    EXPECT_EQ(copied("1\\. no item"), "1\\. no item");
    EXPECT_EQ(copied("`` a`b ``"), "``a`b``");
    EXPECT_EQ(copied("**a*b*c**"), "**a*b*c**");
}

TEST(Selection, formsHaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (const Exporter* exporter : allExporters()) EXPECT_TRUE(names.insert(exporter->name).second);
    EXPECT_TRUE(names.contains("Markdown"));
    EXPECT_EQ(findExporter("no such form"), nullptr);
}

}  // namespace
}  // namespace ingle::content
