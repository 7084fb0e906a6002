/// Hostile text: bounded time and memory, and something sane to see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "app/content/block_stream.h"
#include "app/content/selection.h"
#include "tests/app/content/corpus.h"
#include "tests/app/content/shown_blocks.h"
#include "tests/every_case.h"
#include "tests/processor_time.h"

namespace ingle::content {
namespace {

std::string repeated(std::string_view piece, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += piece;
    return out;
}

size_t memoryOf(const std::vector<Block>& blocks) {
    size_t bytes = 0;
    for (const Block& block : blocks) {
        bytes += sizeof(Block) + block.containers.size() * sizeof(Container);
        const auto add = [&](const RichText& text) {
            bytes += sizeof(RichText) + text.text.size() + text.spans.size() * sizeof(Span);
            for (const std::string& target : text.targets) bytes += sizeof(std::string) + target.size();
        };
        add(block.text);
        for (const auto& row : block.rows)
            for (const RichText& cell : row) add(cell);
    }
    return bytes;
}

const std::vector<std::string>& hostileTexts() {
    static const std::vector<std::string> texts = {
        repeated(">", 10000),
        repeated("> ", 5000) + "x",
        repeated("- ", 5000) + "x",
        repeated("1. ", 3000) + "x\n" + repeated("y\n", 3000),
        repeated(">\n", 5000),
        repeated("- a\n>", 4000),
        repeated("[", 20000),
        repeated("![", 10000),
        repeated("[a](", 6000),
        repeated("[](", 6000) + repeated(")", 6000),
        repeated("*a **b ", 4000),
        repeated("*", 20000),
        repeated("**_~~", 5000),
        repeated("a*", 10000),
        repeated("`", 20000),
        repeated("` `` ``` ", 3000),
        repeated("<", 20000),
        repeated("<a href=\"", 3000),
        repeated("&", 20000),
        repeated("&#x", 8000),
        repeated("$", 20000),
        repeated("$x ", 8000),
        repeated("\\(", 10000),
        repeated("\\[", 10000),
        repeated("$$\n", 8000),
        repeated("\\", 20001),
        repeated("www.", 6000),
        repeated("https://", 3000),
        repeated("a@b.", 6000),
        repeated("|", 20000) + "\n" + repeated("|-", 10000) + "\n" + repeated("x\n", 10000),
        repeated("|", 90) + "\n" + repeated("|-", 89) + "|\n" + repeated("|\n", 10000),
        repeated("a | b\n", 2000),
        repeated("[a]: b\n", 4000) + repeated("[a] ", 4000),
        repeated("[a]: b\n\n", 4000) + repeated("[a]\n\n", 4000),
        repeated("\n", 30000),
        repeated(" ", 30000),
        repeated("\t", 30000),
        repeated("\r", 10000),
        repeated("#", 20000),
        repeated("# ", 10000),
        repeated("```\n", 8000),
        repeated("- ```\n", 5000),
        repeated("\xff", 20000),
        repeated(std::string_view("\0", 1), 20000),
        repeated("\xEF\xB7\x90", 8000),
        repeated("é\xCC\x81", 8000),
        repeated("a\xE2\x80\xAE", 8000),
    };
    return texts;
}

/// The limits are far above what it takes, and far below what something quadratic would.
TEST(ContentDamage, hostileTextIsReadInBoundedTime) {
    for (const std::string& text : hostileTexts()) {
        const double before = test::processorSeconds();
        BlockStream stream;
        size_t most = 0;
        for (size_t at = 0; at < text.size(); at += 1000) {
            stream.append(std::string_view(text).substr(at, 1000));
            most = std::max(most, stream.blocks().size() - stream.frozenCount());
        }
        stream.finish();
        EXPECT_LT(test::processorSeconds() - before, 10) << text.substr(0, 20);
        EXPECT_LT(memoryOf(stream.blocks()), 100 * text.size() + 10000) << text.substr(0, 20);
        EXPECT_LT(stream.blocks().size(), text.size() + 2) << text.substr(0, 20);
        EXPECT_LT(most, 2 * kMaxContainers + 4) << text.substr(0, 20);
        EXPECT_EQ(shown(stream.blocks()), shown(text)) << text.substr(0, 20);
    }
}

/// md4c 0.4.8 ends a span here that it never began.
TEST(ContentDamage, spansThatMd4cOnlyEnds) {
    const auto blocks = blocksOf("a ]*[](~)~ b");
    ASSERT_EQ(blocks.size(), 1U);
    for (const Span& span : blocks[0].text.spans) EXPECT_LE(span.end, blocks[0].text.text.size());
    EXPECT_EQ(shown("| ]*[](~)~ | b |\n|---|---|").size(), 1U);
}

TEST(ContentDamage, nothingThatWasWrittenIsLost) {
    // Deeper than anything is drawn: the marks are text.
    const auto blocks = blocksOf(repeated("> ", 5000) + "deep");
    EXPECT_TRUE(plainText(blocks, {}, {blocks.size(), 0}).ends_with("deep"));
    EXPECT_EQ(shown(std::string_view("a\0b \xff c", 7)), shown("a\xEF\xBF\xBD"
                                                               "b \xEF\xBF\xBD c"));
}

TEST(ContentDamage, damagedTextsAreReadTheSameWayPieceByPiece) {
    std::mt19937 random(13);
    const int rounds = test::triesEveryCase() ? 20000 : 300;
    for (int round = 0; round < rounds; ++round) {
        std::string text = corpus()[random() % corpus().size()] + "\n" + corpus()[random() % corpus().size()];
        for (size_t flips = 1 + random() % 8; flips > 0 && !text.empty(); --flips) {
            const size_t at = random() % text.size();
            switch (random() % 3) {
                case 0:
                    text[at] = static_cast<char>(random());
                    break;
                case 1:
                    text.erase(at, random() % 5);
                    break;
                default:
                    text.insert(at, 1, "*_`[]()|>-#$\\\n \t"[random() % 16]);
            }
        }
        const auto whole = blocksOf(text);
        BlockStream stream;
        for (size_t at = 0; at < text.size(); at += 5) stream.append(std::string_view(text).substr(at, 5));
        stream.finish();
        ASSERT_EQ(stream.blocks(), whole) << testing::PrintToString(text);
        markdown(whole, {}, {whole.size(), 0});
    }
}

}  // namespace
}  // namespace ingle::content
