/// Every kind of block: how it is found, what it says, and that Markdown of it reads as the same block again.
#include "app/content/block_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "app/content/code_language.h"
#include "app/content/entities.h"
#include "app/content/leaf_parser.h"
#include "app/content/question.h"
#include "app/content/selection.h"
#include "tests/app/content/shown_blocks.h"

namespace ingle::content {
namespace {

using testing::ElementsAre;

TEST(BlockKinds, namesAndOrdersAreTheirOwn) {
    std::set<std::string_view> names;
    std::set<int> orders;
    std::set<PartKind> parts;
    for (const BlockKind* kind : allBlockKinds()) {
        EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
        EXPECT_NE(kind->markdown, nullptr) << kind->name;
        if (kind->name == "question") continue;  // is not read from anything
        EXPECT_NE(kind->build, nullptr) << kind->name;
        EXPECT_NE(kind->begins != nullptr, kind->part.has_value()) << kind->name;
        if (kind->begins != nullptr) {
            EXPECT_TRUE(orders.insert(kind->order).second) << kind->name;
        } else {
            EXPECT_TRUE(parts.insert(*kind->part).second) << kind->name;
        }
    }
    EXPECT_EQ(markdownKinds().back()->name, "paragraph");
    for (const PartKind part : {PartKind::Thought, PartKind::ToolCall, PartKind::ToolResult,
                                PartKind::Attachment, PartKind::Image, PartKind::Source})
        EXPECT_NE(kindOfPart(part), nullptr);
    EXPECT_EQ(kindOfPart(PartKind::Text), nullptr);
}

TEST(BlockKinds, picturesThatFollowEachOtherAreOneBlock) {
    const std::vector<Part> parts{{PartKind::Image, "A bee\non a [flower]", "aa"},
                                  {PartKind::Image, "", "bb"},
                                  {PartKind::Text, "Which one?", ""},
                                  {PartKind::Image, "A wasp", "cc"}};
    const std::vector<Block> blocks = questionBlocks(parts);
    EXPECT_THAT(shown(blocks), ElementsAre("image [aa bb]: A bee on a [flower]\n", "question: Which one?",
                                           "image [cc]: A wasp"));
    EXPECT_EQ(blocks[2].part, 3u);
    EXPECT_EQ(markdown(std::span(blocks).first(1), {}, {1, 0}), "![A bee on a \\[flower\\]]()\n![]()");
    EXPECT_EQ(plainText(blocks, {}, {3, 0}), "A bee on a [flower]\n\n\nWhich one?\n\nA wasp");
}

TEST(BlockKinds, ofMarkdown) {
    EXPECT_THAT(shown("# A\nB\n===\nC\n---\n---"),
                ElementsAre("heading 1: A", "heading 1: B", "heading 2: C", "rule: "));
    EXPECT_THAT(shown("```cpp title=x\na\n\n  b\n```\n~~~\nc"),
                ElementsAre("code [cpp title=x]: a\n\n  b", "code: c"));
    EXPECT_THAT(shown("text\n    ```py\n    x\n    ```"), ElementsAre("paragraph: text", "code [py]: x"));
    EXPECT_THAT(shown("| a | b |\n|:-:|--:|\n| c\n```\nd\n```"), ElementsAre("table: |a|b||c|", "code: d"));
    EXPECT_THAT(shown("- [ ] a\n- [x] b"), ElementsAre("-[ ] paragraph: a", "-[x] paragraph: b"));
    EXPECT_THAT(shown("> a\n>\n> 1. b\n>    > c"),
                ElementsAre("> paragraph: a", "(>) 1. paragraph: b", "(>) (1.) > paragraph: c"));
}

TEST(BlockKinds, emptyLinesAreTold) {
    const auto spaced = [](std::string_view text) {
        std::vector<bool> out;
        for (const Block& block : blocksOf(text)) out.push_back(block.spaced);
        return out;
    };
    EXPECT_THAT(spaced("\n- a\n- b\n\n- c\n\nd\n# e\n\n    code\n\nf"),
                ElementsAre(false, false, true, true, false, true, true));
}

TEST(BlockKinds, htmlIsTextAndNothingIsLoaded) {
    EXPECT_THAT(shown("<script>alert(1)</script> <b>x</b> &lt;i&gt;"),
                ElementsAre("paragraph: <script>alert(1)</script> <b>x</b> <i>"));
    EXPECT_THAT(shown("![a](file:///etc/passwd) [b](javascript:alert(1))"),
                ElementsAre("paragraph: I(file:///etc/passwd:a) L(javascript:alert(1):b)"));
    EXPECT_FALSE(opensOutside("javascript:alert(1)"));
    EXPECT_FALSE(opensOutside("file:///etc/passwd"));
    EXPECT_TRUE(opensOutside("https://example.org"));
}

TEST(BlockKinds, aTableMayStandRightBelowText) {
    EXPECT_THAT(shown("Oldest **houses**:\n| id | year |\n|---|---|\n| 83 | 1920 |"),
                ElementsAre("paragraph: Oldest S(houses):", "table: |id|year||83|1920|"));
    EXPECT_THAT(shown("> a\n> b\n> x | y\n> --|--\n> 1 | 2"),
                ElementsAre("> paragraph: a\nb", "(>) table: |x|y||1|2|"));
    EXPECT_THAT(shown("a | b or c\nd | e | f\n---|---\nx"),
                ElementsAre("paragraph: a | b or c\nd | e | f\n---|---\nx"));
}

TEST(BlockKinds, aBreakIsTheOnlyHtml) {
    EXPECT_THAT(shown("- one<br>two<BR />three\\<br>`<br>`"),
                ElementsAre("- paragraph: one\ntwo\nthree<br>C(<br>)"));
    EXPECT_THAT(shown("| a |\n|---|\n| x<br/>**y<br>z** |"), ElementsAre("table: |a||x\nS(y\nz)|"));
    const std::string table = "| a |\n|---|\n| x<br>y |";
    const auto blocks = blocksOf(table);
    EXPECT_EQ(blocks[0].kind->markdown(blocks[0]), "| a |\n| --- |\n| x<br>y |");
}

TEST(BlockKinds, pipesInCodeOfCells) {
    EXPECT_THAT(shown("| a | b |\n|---|---|\n| `x \\| y` | z \\| w |"),
                ElementsAre("table: |a|b||C(x | y)|z | w|"));
}

/// In scripts without spaces emphasis ends between a full stop and a letter.
TEST(BlockKinds, emphasisInChineseAndJapanese) {
    EXPECT_THAT(shown("**重点：**内容"), ElementsAre("paragraph: S(重点：)内容"));
    EXPECT_THAT(shown("请看**「说明」**部分"), ElementsAre("paragraph: 请看S(「说明」)部分"));
    EXPECT_THAT(shown("*強調。*次の文"), ElementsAre("paragraph: E(強調。)次の文"));
    EXPECT_THAT(shown("**API (v2)**支持"), ElementsAre("paragraph: S(API (v2))支持"));
    EXPECT_THAT(shown("2 * 3、4 * 5"), ElementsAre("paragraph: 2 * 3、4 * 5"));
    EXPECT_THAT(shown("a**\"b\"**c"), ElementsAre("paragraph: a**\"b\"**c"));
}

TEST(BlockKinds, definitionsReachTheWholeMessage) {
    EXPECT_THAT(shown("[a]: https://example.org\n[b]: u\n\n> see [A], [x][b]\n\n- [b]"),
                ElementsAre("> paragraph: see L(https://example.org:A), L(u:x)", "- paragraph: L(u:b)"));
    EXPECT_THAT(shown("[a]\n\n[a]: u"), ElementsAre("paragraph: L(u:a)"));
    EXPECT_THAT(shown("| [b] |\n|---|\n| [x][a] |\n\n[a]: u\n[b]: v"),
                ElementsAre("table: |L(v:b)||L(u:x)|"));
    EXPECT_THAT(shown("- [a]: u"), ElementsAre("- paragraph: "));
    EXPECT_THAT(shown("[a]: u\n'title [x]: y'\n[b]:\nv\n\n[b] [x] [a]"),
                ElementsAre("paragraph: L(v:b) [x] L(u:a)"));
}

/// A few letters that use one would grow to any length.
TEST(BlockKinds, longDefinitionsHaveNoAddress) {
    const std::string most = "https://e.org/" + std::string(1900, 'x');
    EXPECT_THAT(shown("[a]: " + most + "\n\n[a]"), ElementsAre("paragraph: L(" + most + ":a)"));
    EXPECT_THAT(shown("[a]: " + most + std::string(100, 'x') + "\n[b]: v\n\n[a] [b]"),
                ElementsAre("paragraph: L(:a) L(v:b)"));
}

TEST(BlockKinds, languagesOfCode) {
    for (const auto& [label, language] : {std::pair("python", "python"),
                                          {"C++ title=\"a b\"", "c++"},
                                          {"{.rust}", "rust"},
                                          {"js{1,3}", "js"},
                                          {"", ""},
                                          {"  Objective-C ", "objective-c"},
                                          {"{}", ""}})
        EXPECT_EQ(codeLanguage(label), language) << label;
}

TEST(BlockKinds, entities) {
    EXPECT_EQ(decodeEntity("&amp;"), "&");
    EXPECT_EQ(decodeEntity("&hellip;"), "…");
    EXPECT_EQ(decodeEntity("&#65;"), "A");
    EXPECT_EQ(decodeEntity("&#x1F600;"), "😀");
    EXPECT_EQ(decodeEntity("&#0;"), "\xEF\xBF\xBD");
    EXPECT_EQ(decodeEntity("&#xD800;"), "\xEF\xBF\xBD");
    EXPECT_EQ(decodeEntity("&#xFDD0;"), "\xEF\xBF\xBD");
    EXPECT_EQ(decodeEntity("&#99999999;"), "\xEF\xBF\xBD");
    EXPECT_EQ(decodeEntity("&nothing;"), "&nothing;");
}

}  // namespace
}  // namespace ingle::content
