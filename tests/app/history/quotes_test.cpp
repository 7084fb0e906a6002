#include "app/history/documents/quotes.h"

#include <gmock/gmock.h>

#include "app/history/documents/documents.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Quotations, StandBetweenMarksAndInMarkdown) {
    EXPECT_THAT(
        quotationsIn("He says “the lamp was lit,” and „das Licht brannte noch“, not \"x y\".\n"
                     "> It burned\n> all night.\n\nAgain: “the lamp was lit”. “Lamp”, “onewordonlyhere”."),
        ElementsAre("the lamp was lit", "das Licht brannte noch", "It burned all night"));
    EXPECT_THAT(quotationsIn("“never closed, and long enough"), IsEmpty());
    EXPECT_THAT(quotationsIn(""), IsEmpty());
    EXPECT_THAT(quotationsIn("「灯台はまだ燃えていた」と言った。"), ElementsAre("灯台はまだ燃えていた"));
}

TEST(Quotations, AreNeverLong) {
    EXPECT_THAT(quotationsIn("\"" + std::string(3'000, 'a') + " b\""), IsEmpty());
}

class Quotes : public HistoryFixture {
  protected:
    void SetUp() override {
        HistoryFixture::SetUp();
        ask();
        NewDocument novel{.title = "The coast", .format = "text", .leftOut = {}, .text = {}, .passages = {}};
        novel.text =
            "# One\n\nThe keeper’s lamp — it was\nold — burned.\n\n# Two\n\nNobody came. Das Öl war *ganz* "
            "alle.\n";
        const uint64_t two = novel.text.find("# Two");
        novel.passages = {{0, two, 3, "One"}, {two, novel.text.size(), 4, "Two"}};
        m_document = valueOf(addDocument(*m_history, novel));
        EXPECT_TRUE(setDocumentsOf(*m_history, m_conversation, std::vector{m_document}));
    }
    std::vector<Quote> find(const std::string& answer) {
        return valueOf(findQuotes(*m_history, m_conversation, answer));
    }

    RowId m_document = 0;
};

TEST_F(Quotes, AreFoundHoweverTheyAreSpacedAndMarked) {
    const auto quotes = find(
        "“the Keeper's lamp - it was old” and “das öl”, “Das Öl war ganz alle”, “It was written in 1900”.");
    ASSERT_EQ(quotes.size(), 3u);
    EXPECT_EQ(quotes[0].document, m_document);
    EXPECT_EQ(quotes[0].match, "The keeper’s lamp — it was old");
    EXPECT_EQ(quotes[0].after, " — burned. # Two Nobody came. Das Öl war *ganz* alle. ");
    EXPECT_EQ(quotes[0].page, 3u);
    EXPECT_EQ(quotes[0].heading, "One");
    EXPECT_EQ(quotes[1].match, "Das Öl war *ganz* alle");
    EXPECT_EQ(quotes[1].page, 4u);
    EXPECT_EQ(quotes[2].document, 0);
    EXPECT_EQ(quotes[2].words, "It was written in 1900");
}

TEST_F(Quotes, OfAConversationWithoutDocumentsAreNotFound) {
    ASSERT_TRUE(setDocumentsOf(*m_history, m_conversation, {}));
    const auto quotes = find("“The keeper’s lamp”");
    ASSERT_EQ(quotes.size(), 1u);
    EXPECT_EQ(quotes[0].document, 0);
}

}  // namespace
}  // namespace ingle::history
