#include "app/documents/passages.h"

#include <gmock/gmock.h>

namespace ingle::documents {
namespace {

using testing::ElementsAre;

/// They are the text, piece by piece.
void expectWhole(const Document& document, const std::vector<Passage>& passages) {
    std::string text;
    for (const Passage& each : passages) {
        EXPECT_EQ(each.begin, text.size());
        EXPECT_LT(each.begin, each.end);
        EXPECT_LE(each.end - each.begin, kMostPassageBytes);
        text += document.text.substr(each.begin, each.end - each.begin);
    }
    EXPECT_EQ(text, document.text);
}

TEST(Passages, BeginWithHeadingsHoweverShort) {
    Document document;
    document.text = "Before.\n\n# One\n\nFirst.\n\n# Two\n\nSecond.\n";
    document.places = {{9, PlaceKind::Heading, 1, "One"}, {24, PlaceKind::Heading, 1, "Two"}};
    const auto passages = passagesOf(document);
    EXPECT_THAT(passages, ElementsAre(Passage{0, 9, 0, ""}, Passage{9, 24, 0, "One"},
                                      Passage{24, document.text.size(), 0, "Two"}));
    expectWhole(document, passages);
}

TEST(Passages, EndWithAParagraphOnceTheyAreLongEnough) {
    Document document;
    const std::string paragraph = std::string(500, 'w') + "\n\n";
    for (int i = 0; i < 6; ++i) document.text += paragraph;
    const auto passages = passagesOf(document);
    EXPECT_THAT(passages, ElementsAre(Passage{0, 1506, 0, ""}, Passage{1506, 3012, 0, ""}));
    expectWhole(document, passages);
}

TEST(Passages, ShortPagesAreJoinedAndLongOnesAreNot) {
    Document document;
    for (uint32_t page = 1; page <= 4; ++page) {
        document.places.push_back({document.text.size(), PlaceKind::Page, page, ""});
        document.text += std::string(page == 3 ? 2000 : 300, static_cast<char>('a' + page)) + "\n\n";
    }
    const auto passages = passagesOf(document);
    expectWhole(document, passages);
    EXPECT_EQ(passages.front().page, 1u);
    EXPECT_EQ(passages.back().page, 4u);
}

TEST(Passages, ATextWithoutParagraphsIsCutBetweenCharacters) {
    Document document;
    for (int i = 0; i < 3000; ++i) document.text += "漢";
    const auto passages = passagesOf(document);
    expectWhole(document, passages);
    for (const Passage& each : passages) EXPECT_EQ(each.begin % 3, 0u);
    EXPECT_TRUE(passagesOf({}).empty());
}

}  // namespace
}  // namespace ingle::documents
