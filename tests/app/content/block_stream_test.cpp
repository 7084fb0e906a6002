/// Reading piece by piece: the blocks depend on the text alone, what is frozen stays, and an update is
/// bounded.
#include "app/content/block_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "app/content/selection.h"
#include "tests/app/content/corpus.h"
#include "tests/app/content/long_texts.h"
#include "tests/app/content/shown_blocks.h"
#include "tests/every_case.h"

namespace ingle::content {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// Appends and holds the stream to what it says.
class Reader {
  public:
    void append(std::string_view text) { apply(stream.append(text)); }
    void finish() { apply(stream.finish()); }

    BlockStream stream;

  private:
    void apply(const BlockChange& change) {
        ASSERT_LE(change.first + change.removed, m_shown.size());
        ASSERT_GE(change.first, m_frozen) << "a frozen block has changed";
        const auto at = m_shown.begin() + static_cast<ptrdiff_t>(change.first);
        m_shown.erase(at, at + static_cast<ptrdiff_t>(change.removed));
        const auto from = stream.blocks().begin() + static_cast<ptrdiff_t>(change.first);
        m_shown.insert(m_shown.begin() + static_cast<ptrdiff_t>(change.first), from,
                       from + static_cast<ptrdiff_t>(change.added));
        ASSERT_EQ(m_shown.size(), stream.blocks().size());
        // All that was not named is as it was; the last ones are looked at, the others when they were new.
        const size_t last = std::min<size_t>(m_shown.size(), 8);
        ASSERT_TRUE(std::equal(m_shown.end() - static_cast<ptrdiff_t>(last), m_shown.end(),
                               stream.blocks().end() - static_cast<ptrdiff_t>(last)));
        m_frozen = stream.frozenCount();
    }

    std::vector<Block> m_shown;
    size_t m_frozen = 0;
};

std::vector<Block> inSteps(std::string_view text, size_t step) {
    Reader reader;
    for (size_t at = 0; at < text.size(); at += step) reader.append(text.substr(at, step));
    reader.finish();
    return reader.stream.blocks();
}

std::vector<std::string> texts() {
    std::vector<std::string> all = corpus();
    for (auto& [name, text] : longTexts(9000)) all.push_back(std::move(text));
    all.push_back("$$\nx\n\nno\n$$\n\\[ a\n= b \\].\n\n\\[\nunclosed\n- item\n");
    return all;
}

TEST(BlockStream, theWayItIsCutDoesNotMatter) {
    std::mt19937 random(3);
    for (const std::string& text : texts()) {
        const std::vector<Block> whole = blocksOf(text);
        for (const size_t step : {1, 2, 3, 7, 30, 1000, 2048, 5000}) {
            if (step < 7 && text.size() > 5000 && !test::triesEveryCase()) continue;
            ASSERT_EQ(inSteps(text, step), whole) << step << "\n" << text.substr(0, 300);
        }
        Reader reader;
        for (size_t at = 0; at < text.size();) {
            const size_t step = 1 + random() % (random() % 4 == 0 ? 3000 : 20);
            reader.append(std::string_view(text).substr(at, step));
            at += step;
        }
        reader.finish();
        ASSERT_EQ(reader.stream.blocks(), whole) << text.substr(0, 300);
    }
}

/// The negative twin: one character more is another list of blocks.
TEST(BlockStream, everyCharacterMatters) {
    for (const std::string& text : corpus()) EXPECT_NE(inSteps(text + "\n\nx", 3), blocksOf(text)) << text;
}

TEST(BlockStream, whatIsShownDependsOnWhatHasCome) {
    for (const std::string& text : corpus()) {
        BlockStream slow;
        for (size_t at = 0; at < text.size(); ++at) {
            slow.append(std::string_view(text).substr(at, 1));
            BlockStream fast;
            fast.append(std::string_view(text).substr(0, at + 1));
            ASSERT_EQ(shown(slow.blocks()), shown(fast.blocks())) << text.substr(0, at + 1);
        }
    }
}

TEST(BlockStream, randomTextsHoweverTheyAreCut) {
    const std::vector<std::string> pieces = {"\n",
                                             "\n\n",
                                             "word ",
                                             "# h",
                                             "- item",
                                             "1. ",
                                             "```",
                                             "```\n",
                                             "    ",
                                             "  ",
                                             "> ",
                                             "| a | b |\n|---|---|\n",
                                             "*",
                                             "**",
                                             "`",
                                             "~~~\n",
                                             "---\n",
                                             "\t",
                                             "[x](y)",
                                             "ü",
                                             "- ",
                                             "\r\n",
                                             "\r",
                                             "$$",
                                             "$x$",
                                             "\\[",
                                             "\\]",
                                             "\\(a\\)",
                                             "[a]: b\n",
                                             "[a]",
                                             "===\n",
                                             "|",
                                             "[ ] ",
                                             "&lt;",
                                             "\xff",
                                             std::string(1, '\0'),
                                             std::string(2100, 'x'),
                                             std::string(900, '*'),
                                             "a. \n"};
    std::mt19937 random(5);
    const int rounds = test::triesEveryCase() ? 100000 : 1500;
    for (int round = 0; round < rounds; ++round) {
        std::string text;
        const size_t length = 1 + random() % 14;
        for (size_t i = 0; i < length; ++i) text += pieces[random() % pieces.size()];
        const size_t step = text.size() > 500 ? 97 + random() % 100 : 1 + random() % 4;
        ASSERT_EQ(inSteps(text, step), blocksOf(text)) << round << " " << testing::PrintToString(text);
    }
}

/// The work of an update: the blocks that are open, and what has not been read for good.
TEST(BlockStream, whatIsReadAgainIsBounded) {
    for (const auto& [name, text] : longTexts(60000)) {
        BlockStream stream;
        size_t most = 0;
        for (size_t at = 0; at < text.size(); at += 30) {
            stream.append(std::string_view(text).substr(at, 30));
            size_t open = 0;
            for (size_t block = stream.frozenCount(); block < stream.blocks().size(); ++block)
                open += stream.blocks()[block].sourceEnd - stream.blocks()[block].sourceBegin;
            most = std::max(most, open);
        }
        EXPECT_LE(most, kMaxBlockBytes + 2 * kMaxPieceBytes) << name;
        EXPECT_GT(stream.frozenCount(), 5U) << name;
    }
}

TEST(BlockStream, piecesOfALongBlockAreTheBlock) {
    for (const auto& [name, text] : longTexts(60000)) {
        const std::vector<Block> blocks = blocksOf(text);
        for (const Block& block : blocks) {
            EXPECT_LE(block.text.text.size(), kMaxBlockBytes + kMaxPieceBytes) << name;
            EXPECT_LE(block.rows.size(), kMaxBlockLines) << name;
        }
        if (name == "code" || name == "code on one line") {
            std::string code = text.substr(text.find('\n') + 1);
            if (code.ends_with('\n')) code.pop_back();
            EXPECT_EQ(plainText(blocks, {}, {blocks.size(), 0}), code);
        }
        if (name == "unspaced") {
            EXPECT_EQ(plainText(blocks, {}, {blocks.size(), 0}), text);
        }
    }
}

TEST(BlockStream, emphasisDoesNotStandOpenAtACut) {
    for (const auto& [name, text] : longTexts(60000)) {
        if (name != "paragraph" && name != "lines") continue;
        for (const Block& block : blocksOf(text))
            EXPECT_EQ(block.text.text.find('*'), std::string::npos) << name;
    }
}

TEST(BlockStream, sourcesFollowEachOther) {
    for (const std::string& text : texts()) {
        size_t end = 0;
        for (const Block& block : blocksOf(text)) {
            EXPECT_GE(block.sourceBegin, end) << text.substr(0, 300);
            EXPECT_GE(block.sourceEnd, block.sourceBegin);
            EXPECT_LE(block.sourceEnd, text.size());
            end = block.sourceEnd;
        }
    }
    const auto blocks = blocksOf("# a\n\n> - b\n>   c\n\nd");
    ASSERT_EQ(blocks.size(), 3U);
    EXPECT_EQ(blocks[1].sourceBegin, 5U);
    EXPECT_EQ(blocks[1].sourceEnd, 17U);
}

TEST(BlockStream, noMarkIsSeenBare) {
    const std::string text =
        "Some **bold words** and *emphasis*, ***both***, `code` and ~~gone~~, a "
        "[link](https://example.org/a_b) and "
        "![picture](p.png).\n\n## A **heading**\n\n- an **item**\n\n| head | **two** |\n|---|---|\n| a | *b* "
        "|\n\nEnd.";
    for (size_t size = 1; size <= text.size(); ++size) {
        BlockStream stream;
        stream.append(std::string_view(text).substr(0, size));
        for (const Block& block : stream.blocks()) {
            const std::string plain = plainText(block);
            EXPECT_EQ(plain.find_first_of("*`~|#"), std::string::npos) << text.substr(0, size) << "\n"
                                                                       << plain;
            EXPECT_EQ(plain.find("]("), std::string::npos) << text.substr(0, size) << "\n" << plain;
        }
    }
}

TEST(BlockStream, whatIsOpenLooksAsItWill) {
    EXPECT_THAT(shownGrowing("a **b"), ElementsAre("paragraph: a S(b)"));
    EXPECT_THAT(shownGrowing("a **b*"), ElementsAre("paragraph: a S(b)"));
    EXPECT_THAT(shownGrowing("a **b *c"), ElementsAre("paragraph: a S(b E(c))"));
    EXPECT_THAT(shownGrowing("a **"), ElementsAre("paragraph: a"));
    EXPECT_THAT(shownGrowing("a `b **c"), ElementsAre("paragraph: a C(b **c)"));
    EXPECT_THAT(shownGrowing("a \\(x_1"), ElementsAre("paragraph: a F(\\(x_1\\))"));
    EXPECT_THAT(shownGrowing("[link](https://exa"), ElementsAre("paragraph: link"));
    EXPECT_THAT(shownGrowing("5 * 3 and snake_case"), ElementsAre("paragraph: 5 * 3 and snake_case"));
    EXPECT_THAT(shownGrowing("in ~5 minutes"), ElementsAre("paragraph: in ~5 minutes"));
    EXPECT_THAT(shownGrowing("a ` " + std::string(150, 'b')),
                ElementsAre("paragraph: a ` " + std::string(150, 'b')));
    EXPECT_THAT(shownGrowing("| a | b"), ElementsAre("table: |a|b|"));
    EXPECT_THAT(shownGrowing("Text\n-"), ElementsAre("paragraph: Text"));
    EXPECT_THAT(shownGrowing("Text\n\n``"), ElementsAre("paragraph: Text"));
    EXPECT_THAT(shownGrowing("```py\nx = 1\n``"), ElementsAre("code [py]: x = 1"));
    EXPECT_THAT(shownGrowing("- [x"), ElementsAre());
    EXPECT_THAT(shownGrowing("a\xE6\x97"), ElementsAre("paragraph: a"));
    // At the end every character counts.
    EXPECT_THAT(shown("a **b"), ElementsAre("paragraph: a **b"));
    EXPECT_THAT(shown("42"), ElementsAre("paragraph: 42"));
}

TEST(BlockStream, partsFollowEachOther) {
    BlockStream stream;
    stream.begin(PartKind::Thought);
    stream.append("I *wonder*\n\n# no heading");
    EXPECT_THAT(shown(stream.blocks()), ElementsAre("thought: I *wonder*\n\n# no heading"));
    stream.begin(PartKind::Text);
    stream.append("**Yes**");
    stream.begin(PartKind::ToolCall, "weather");
    stream.append("{\"city\": \"Ulm\"}");
    stream.finish();
    stream.begin(PartKind::Image, "sun.png");
    stream.append("the sun");
    stream.finish();
    EXPECT_THAT(shown(stream.blocks()),
                ElementsAre("thought: I *wonder*\n\n# no heading", "paragraph: S(Yes)",
                            "tool_call [weather]: {\"city\": \"Ulm\"}", "image [sun.png]: the sun"));
    EXPECT_EQ(stream.frozenCount(), 4U);
    EXPECT_EQ(stream.blocks()[3].part, 3U);
}

TEST(BlockStream, anEmptyMessageHasNoBlocks) {
    BlockStream stream;
    EXPECT_THAT(stream.blocks(), IsEmpty());
    stream.append("");
    stream.append("\n \n");
    stream.finish();
    EXPECT_THAT(stream.blocks(), IsEmpty());
}

}  // namespace
}  // namespace ingle::content
