/// What is a formula, and what only has a dollar in it.
#include "app/content/formulas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/content/shown_blocks.h"

namespace ingle::content {
namespace {

using testing::ElementsAre;

std::vector<std::string> formulasIn(std::string_view text) {
    std::vector<std::string> out;
    for (const Block& block : blocksOf(text))
        for (const Span& span : block.text.spans)
            if (span.kind == SpanKind::Formula)
                out.push_back(block.text.text.substr(span.begin, span.end - span.begin));
    return out;
}

TEST(Formulas, everyPairOfMarks) {
    EXPECT_THAT(formulasIn("so $x^2$ and \\(a_1 * b_1 * c\\) and $$y$$, then \\[z\\] too"),
                ElementsAre("$x^2$", "\\(a_1 * b_1 * c\\)", "$$y$$", "\\[z\\]"));
    EXPECT_THAT(formulasIn("设$x$为, **bold $y$** ($a$), $a$-th, \"$q$\""),
                ElementsAre("$x$", "$y$", "$a$", "$a$", "$q$"));
    EXPECT_THAT(formulasIn("$\\text{a \\$ b}$ and $a\nb$"), ElementsAre("$\\text{a \\$ b}$", "$a\nb$"));
}

TEST(Formulas, pricesAreNone) {
    for (const char* text : {"$5 and $6", "from $5 to 10$", "US$5 and US$6", "$5-$6", "$5, or 5$ each",
                             "costs $20", "$ 5 $", "A$ or $B", "$5.00/$6.00 a month", "\\$5 and 6$", "$$",
                             "$$ $$", "`$x$` and `\\(y\\)`", "echo $HOME and $PATH", "a $\nb$"})
        EXPECT_THAT(formulasIn(text), ElementsAre()) << text;
    EXPECT_THAT(formulasIn("$5$ is five, $2x + 3$"), ElementsAre("$5$", "$2x + 3$"));
}

TEST(Formulas, marksInThemMeanNothing) {
    EXPECT_THAT(shown("$a*b*c$ and $a_1 [x](y) b_2$"),
                ElementsAre("paragraph: F($a*b*c$) and F($a_1 [x](y) b_2$)"));
    EXPECT_THAT(shown("[link](https://example.org/\\(a\\)) and [$x$](u)"),
                ElementsAre("paragraph: L(https://example.org/(a):link) and L(u:F($x$))"));
}

TEST(Formulas, inTablesTheyEndAtTheCell) {
    EXPECT_THAT(shown("| $a$ | b$ |\n|---|---|\n| $5 | $6 |"), ElementsAre("table: |F($a$)|b$||$5|$6|"));
}

TEST(Formulas, onLinesOfTheirOwn) {
    EXPECT_THAT(shown("So\n$$\nx = 1\n$$\nwhere"),
                ElementsAre("paragraph: So", "formula: $$\nx = 1\n$$", "paragraph: where"));
    EXPECT_THAT(shown("\\[ x \\].\n\n$$a\n= b$$"), ElementsAre("formula: \\[ x \\].", "formula: $$a\n= b$$"));
    EXPECT_THAT(shown("1. Then\n   \\[\n   x\n   \\]\n2. So"),
                ElementsAre("1. paragraph: Then", "(1.) formula: \\[\nx\n\\]", "2. paragraph: So"));
    EXPECT_THAT(shown("$$x$$ in a line"), ElementsAre("paragraph: F($$x$$) in a line"));
    EXPECT_THAT(shown("> $$\n> - x\n> $$"), ElementsAre("> formula: $$\n- x\n$$"));
}

TEST(Formulas, environmentsAreSome) {
    EXPECT_THAT(shown("So\n\\begin{align*}\na &= b \\\\\nc &= d\n\\end{align*}\nwhere"),
                ElementsAre("paragraph: So", "formula: \\begin{align*}\na &= b \\\\\nc &= d\n\\end{align*}",
                            "paragraph: where"));
    EXPECT_THAT(shown("\\begin{center}\nx"), ElementsAre("paragraph: \\begin{center}\nx"));
    EXPECT_THAT(shown("\\begin{cases}\nx **y**\n\nz"),
                ElementsAre("paragraph: \\begin{cases}\nx S(y)", "paragraph: z"));
    EXPECT_EQ(formulaOf("\\begin{cases} x \\end{cases}.").tex, "\\begin{cases} x \\end{cases}");
    EXPECT_TRUE(formulaOf("\\begin{cases} x \\end{cases}").display);
}

TEST(Formulas, withoutAnEndTheyAreText) {
    EXPECT_THAT(shown("$$\nx **y**\n\nz"), ElementsAre("paragraph: $$\nx S(y)", "paragraph: z"));
    EXPECT_THAT(shown("\\[ not closed"), ElementsAre("paragraph: [ not closed"));
    EXPECT_THAT(shownGrowing("$$\nx"), ElementsAre("formula: $$\nx"));
}

TEST(Formulas, areTakenApart) {
    EXPECT_EQ(formulaOf("$x$").tex, "x");
    EXPECT_FALSE(formulaOf("$x$").display);
    EXPECT_EQ(formulaOf("$$\nx\n$$.").tex, "\nx\n");
    EXPECT_TRUE(formulaOf("\\[x\\]").display);
    EXPECT_EQ(formulaOf("\\[x").tex, "x");
}

}  // namespace
}  // namespace ingle::content
