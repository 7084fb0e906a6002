#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/search/search.h"
#include "app/history/trash/trash.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

/// question ─ answer ─ follow-up, and another answer beside the first.
class Trash : public HistoryFixture {
  protected:
    void SetUp() override {
        HistoryFixture::SetUp();
        ask("the question");
        m_other = finished("another answer");
        m_answer = finished("an answer");
        m_followUp = valueOf(addUserMessage(*m_history, m_conversation, m_answer, said("and then?")));
    }
    RowId finished(const std::string& text) {
        const RowId id = beginAnswer();
        EXPECT_TRUE(finishAnswer(*m_history, id, {.pieces = piece(text)}));
        return id;
    }
    std::vector<RowId> shown() {
        std::vector<RowId> ids;
        for (const Message& message : valueOf(branch(*m_history, m_conversation, 0)))
            ids.push_back(message.id);
        return ids;
    }

    RowId m_other = 0;
    RowId m_answer = 0;
    RowId m_followUp = 0;
};

TEST_F(Trash, AConversationIsHiddenUntilItIsBroughtBack) {
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    EXPECT_FALSE(trashConversation(*m_history, m_conversation));
    EXPECT_TRUE(valueOf(conversations(*m_history)).empty());
    EXPECT_TRUE(valueOf(search(*m_history, "question", 5)).empty());
    EXPECT_TRUE(valueOf(search(*m_history, "Title", 5)).empty());
    const auto trash = valueOf(history::trash(*m_history));
    ASSERT_EQ(trash.size(), 1u);
    EXPECT_EQ(trash[0].conversation, m_conversation);
    EXPECT_EQ(trash[0].message, 0);
    EXPECT_EQ(trash[0].title, "Title");
    EXPECT_GT(trash[0].trashedMs, 1'600'000'000'000);
    ASSERT_TRUE(restoreConversation(*m_history, m_conversation));
    EXPECT_TRUE(restoreConversation(*m_history, m_conversation));  // it is there already
    EXPECT_FALSE(restoreConversation(*m_history, m_conversation + 1));
    EXPECT_EQ(valueOf(search(*m_history, "question", 5)).size(), 1u);
    EXPECT_THAT(shown(), testing::ElementsAre(m_question, m_answer, m_followUp));
}

TEST_F(Trash, AMessageGoesWithAllBelowIt) {
    EXPECT_EQ(valueOf(trashMessage(*m_history, m_answer)), m_other) << "the version beside it is shown";
    EXPECT_FALSE(trashMessage(*m_history, m_answer));
    EXPECT_FALSE(trashMessage(*m_history, m_followUp));
    EXPECT_THAT(shown(), testing::ElementsAre(m_question, m_other));
    EXPECT_EQ(valueOf(history::message(*m_history, m_other)).siblingCount, 1);
    EXPECT_THAT(valueOf(siblings(*m_history, m_other)), testing::ElementsAre(m_other));
    EXPECT_TRUE(valueOf(search(*m_history, "then", 5)).empty());
    EXPECT_FALSE(addUserMessage(*m_history, m_conversation, m_answer, said("no")));
    EXPECT_FALSE(setActiveLeaf(*m_history, m_conversation, m_followUp));
    const auto trash = valueOf(history::trash(*m_history));
    ASSERT_EQ(trash.size(), 1u);
    EXPECT_EQ(trash[0].message, m_answer);
    EXPECT_EQ(trash[0].excerpt, "an answer");

    EXPECT_EQ(valueOf(restoreMessage(*m_history, m_answer)), m_followUp);
    EXPECT_THAT(shown(), testing::ElementsAre(m_question, m_answer, m_followUp));
    EXPECT_EQ(valueOf(search(*m_history, "then", 5)).size(), 1u);
    EXPECT_TRUE(valueOf(history::trash(*m_history)).empty());
}

TEST_F(Trash, WhatWasDeletedOneAfterTheOtherComesBackOneAfterTheOther) {
    EXPECT_EQ(valueOf(trashMessage(*m_history, m_followUp)), m_answer);
    EXPECT_EQ(valueOf(trashMessage(*m_history, m_answer)), m_other);
    EXPECT_EQ(valueOf(trashMessage(*m_history, m_other)), m_question);
    EXPECT_EQ(valueOf(history::trash(*m_history)).size(), 3u);
    EXPECT_EQ(valueOf(restoreMessage(*m_history, m_answer)), m_answer) << "without what was deleted before";
    EXPECT_THAT(shown(), testing::ElementsAre(m_question, m_answer));
    EXPECT_EQ(valueOf(trashMessage(*m_history, m_question)), 0);
    EXPECT_TRUE(shown().empty());
    // With everything that it stands below, also when the conversation went, too.
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    EXPECT_EQ(valueOf(restoreMessage(*m_history, m_followUp)), m_followUp);
    EXPECT_EQ(valueOf(conversations(*m_history)).size(), 1u);
    EXPECT_THAT(shown(), testing::ElementsAre(m_question, m_answer, m_followUp));
    EXPECT_EQ(valueOf(history::trash(*m_history)).size(), 1u) << "the other answer";
}

TEST_F(Trash, DeletingAnotherBranchDoesNotMoveTheOneShown) {
    EXPECT_EQ(valueOf(trashMessage(*m_history, m_other)), m_followUp);
    EXPECT_THAT(shown(), testing::ElementsAre(m_question, m_answer, m_followUp));
}

TEST_F(Trash, WhatExpiredIsGone) {
    const RowId second = valueOf(createConversation(*m_history, "second", ""));
    ASSERT_TRUE(trashMessage(*m_history, m_answer));
    const int64_t now = valueOf(history::trash(*m_history))[0].trashedMs;
    ASSERT_TRUE(expireTrash(*m_history, now));
    EXPECT_EQ(valueOf(history::trash(*m_history)).size(), 1u) << "not yet";
    // A clock that was set back: what stands below was deleted later than what it stands below.
    sqlite().exec(fmt::format("UPDATE messages SET trashed_ms = {} WHERE id = {}", now + 5000, m_followUp));
    ASSERT_TRUE(expireTrash(*m_history, now + 1));
    EXPECT_TRUE(valueOf(history::trash(*m_history)).empty());
    EXPECT_FALSE(restoreMessage(*m_history, m_answer));
    shred();
    EXPECT_FALSE(history::message(*m_history, m_answer));
    EXPECT_FALSE(history::message(*m_history, m_followUp));
    EXPECT_THAT(shown(), testing::ElementsAre(m_question, m_other));
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM parts").getInt(), 2);
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM chores").getInt(), 0);
    EXPECT_EQ(valueOf(conversations(*m_history)).size(), 2u);
    EXPECT_TRUE(conversation(*m_history, second));
}

TEST_F(Trash, AnAnswerThatIsBeingWrittenMayBeShredded) {
    const RowId id = beginAnswer();
    ASSERT_TRUE(appendAnswer(*m_history, id, piece("half an answer"), {1}, ""));
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    ASSERT_TRUE(appendAnswer(*m_history, id, piece("more"), {2}, ""));
    shred();
    EXPECT_FALSE(appendAnswer(*m_history, id, piece("more"), {2}, ""));
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM answer_chunks").getInt(), 0);
    EXPECT_FALSE(anyFileHolds("half an answer"));
}

}  // namespace
}  // namespace ingle::history
