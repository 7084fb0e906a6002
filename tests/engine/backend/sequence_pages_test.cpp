#include "engine/backend/sequence_pages.h"

#include <gtest/gtest.h>

#include <memory>

namespace ingle::backend {
namespace {

using Pages = SequencePages<std::shared_ptr<int>>;

/// A sequence of so many tokens, all of which it keeps.
Pages pagesOf(uint32_t tokens) {
    Pages held{.length = tokens};
    for (size_t i = 0; i < pagesFor(tokens); ++i) held.pages.push_back(std::make_shared<int>(i));
    return held;
}

TEST(SequencePages, pagesForRoundsUp) {
    EXPECT_EQ(pagesFor(0), 0U);
    EXPECT_EQ(pagesFor(1), 1U);
    EXPECT_EQ(pagesFor(kPageTokens), 1U);
    EXPECT_EQ(pagesFor(kPageTokens + 1), 2U);
}

TEST(SequencePages, aBeginningSharesItsPages) {
    const Pages held = pagesOf(200);
    const Pages beginning = held.beginning(100);
    EXPECT_EQ(beginning.length, 100U);
    ASSERT_EQ(beginning.pages.size(), 2U);
    EXPECT_EQ(beginning.pages[1], held.pages[1]);
}

TEST(SequencePages, aHalfFullPageIsCopiedWhileItIsShared) {
    Pages held = pagesOf(100);
    EXPECT_FALSE(held.mustCopyLast(101));
    {
        const Pages other = held.beginning(100);
        EXPECT_TRUE(held.mustCopyLast(101));
        EXPECT_FALSE(held.mustCopyLast(100)) << "nothing is written";
        EXPECT_FALSE(held.mustCopyLast(101, 2));
    }
    EXPECT_FALSE(held.mustCopyLast(101));
    const Pages full = pagesOf(kPageTokens);
    const Pages alsoFull = full.beginning(kPageTokens);
    EXPECT_FALSE(full.mustCopyLast(kPageTokens + 1)) << "what follows gets a page of its own";
}

TEST(SequencePages, whatNoTokenSeesIsGivenBack) {
    const MemorySpec spec{.kv = {{8, 8, 64}}, .states = {}};
    Pages held = pagesOf(10 * kPageTokens);
    held.advance(0, spec);
    EXPECT_EQ(held.firstKept, spec.firstKept(held.length));
    ASSERT_GT(held.firstKept, 0U);
    EXPECT_EQ(held.pages[0], nullptr);
    EXPECT_NE(held.pages[held.firstKept / kPageTokens], nullptr);
}

TEST(SequencePages, continuingAtAPlaceThatIsMissingForgetsAll) {
    Pages held = pagesOf(100);
    held.continueAt(80);
    EXPECT_EQ(held.length, 80U);
    EXPECT_NE(held.pages[0], nullptr);
    held.continueAt(300);
    EXPECT_EQ(held.length, 300U);
    EXPECT_EQ(held.firstKept, 300U);
    for (const auto& page : held.pages) EXPECT_EQ(page, nullptr);
}

}  // namespace
}  // namespace ingle::backend
