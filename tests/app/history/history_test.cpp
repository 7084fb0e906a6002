
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/opening.h"
#include "app/history/search/search.h"
#include "app/history/store/settings.h"
#include "app/history/trash/trash.h"
#include "ingle/paint_thread.h"
#include "tests/app/history/history_fixture.h"
#include "tests/processor_time.h"

namespace ingle::history {
namespace {

using namespace std::string_literals;
using HistoryTest = HistoryFixture;

TEST_F(HistoryTest, FilesArePrivate) {
    ask();
    const auto modeOf = [](const std::string& path) {
        struct stat status {};
        EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
        return status.st_mode & 0777;
    };
    EXPECT_EQ(modeOf(m_dir + "/data"), 0700u);
    EXPECT_EQ(modeOf(m_path), 0600u);
    EXPECT_EQ(modeOf(m_path + "-wal"), 0600u);
    EXPECT_EQ(modeOf(m_path + "-shm"), 0600u);
}

TEST_F(HistoryTest, OneConversationIsReadUnlessItIsDeleted) {
    const RowId id = valueOf(createConversation(*m_history, "one", "model"));
    ASSERT_TRUE(createConversation(*m_history, "two", "model"));
    ASSERT_TRUE(setDraft(*m_history, id, "unsent"));
    const auto read = conversation(*m_history, id);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->title, "one");
    EXPECT_EQ(read->draft, "unsent");
    ASSERT_TRUE(trashConversation(*m_history, id));
    const auto gone = conversation(*m_history, id);
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().code, ErrorCode::InvalidArgument);
}

TEST_F(HistoryTest, ConversationsKeepTheirFieldsAndOrder) {
    const RowId first = valueOf(createConversation(*m_history, "first", "m1"));
    const RowId second = valueOf(createConversation(*m_history, "second", ""));
    const RowId third = valueOf(createConversation(*m_history, "third", ""));
    ASSERT_TRUE(setPinned(*m_history, first, true));
    ASSERT_TRUE(renameConversation(*m_history, second, "renamed"));
    ASSERT_TRUE(setModel(*m_history, second, "m2"));
    ASSERT_TRUE(setDraft(*m_history, second, "half a tho"));
    ASSERT_TRUE(setDraft(*m_history, second, "half a thought"));
    reopen();
    const auto list = valueOf(conversations(*m_history));
    ASSERT_EQ(list.size(), 3u);
    EXPECT_EQ(list[0].id, first);
    EXPECT_TRUE(list[0].pinned);
    EXPECT_EQ(list[0].modelId, "m1");
    EXPECT_EQ(list[1].id, third);
    EXPECT_EQ(list[2].id, second);
    EXPECT_EQ(list[2].title, "renamed");
    EXPECT_EQ(list[2].modelId, "m2");
    EXPECT_EQ(list[2].draft, "half a thought");
    EXPECT_EQ(list[2].activeLeaf, 0);
    EXPECT_GT(list[2].createdMs, 1'600'000'000'000);

    ASSERT_TRUE(setDraft(*m_history, second, ""));
    EXPECT_EQ(valueOf(conversations(*m_history))[2].draft, "");
}

TEST_F(HistoryTest, UnknownRowsAreRefused) {
    ask();
    const RowId other = valueOf(createConversation(*m_history, "other", ""));
    const auto codeOf = [](const auto& result) {
        return result ? ErrorCode::Cancelled : result.error().code;
    };
    EXPECT_EQ(codeOf(renameConversation(*m_history, 99, "x")), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(setPinned(*m_history, 99, true)), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(setDraft(*m_history, 99, "x")), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(trashConversation(*m_history, 99)), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(history::message(*m_history, 99)), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(siblings(*m_history, 99)), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(newestLeafBelow(*m_history, 99)), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(addUserMessage(*m_history, 99, 0, said("x"))), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(addUserMessage(*m_history, m_conversation, 99, said("x"))), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(addUserMessage(*m_history, other, m_question, said("x"))), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(history::branch(*m_history, other, m_question)), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(setActiveLeaf(*m_history, other, m_question)), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(appendAnswer(*m_history, m_question, piece("x"), {}, "")), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(finishAnswer(*m_history, m_question, {})), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(resumeAnswer(*m_history, m_question)), ErrorCode::InvalidArgument);
    EXPECT_TRUE(valueOf(history::branch(*m_history, other, 0)).empty());
}

TEST_F(HistoryTest, AnAnswerKeepsEverythingThatContinuingNeeds) {
    ask("Why?\0 really"s);
    const SamplerParams sampler{.temperature = 0.1f,
                                .topK = 17,
                                .typicalP = 0.3f,
                                .topP = 0.5f,
                                .minP = 0.01f,
                                .repeatPenalty = 1.1f,
                                .frequencyPenalty = -0.7f,
                                .presencePenalty = 0.6f,
                                .lastN = 4'000'000'000,
                                .logitBias = {{3, -100}, {2'000'000'000, 0.3f}},
                                .seed = ~uint64_t{0} - 4};
    const RowId id =
        valueOf(history::beginAnswer(*m_history, m_conversation, m_question, "m1", "Tiny", sampler));
    ASSERT_TRUE(setPrompt(*m_history, id, ~uint64_t{0} - 9, m_question));
    ASSERT_TRUE(appendAnswer(*m_history, id, piece("Be\0cause"s), {5, -1, 2'000'000'000}, "\xE6\0"s));
    ASSERT_TRUE(appendAnswer(*m_history, id, piece(""), {7}, "\xE6\xBC"));
    ASSERT_TRUE(appendAnswer(*m_history, id, piece(" 漢"), {8}, ""));

    Message message = valueOf(history::message(*m_history, id));
    EXPECT_EQ(message.status, MessageStatus::Streaming);
    EXPECT_EQ(allText(message), "Be\0cause 漢"s);
    EXPECT_THAT(message.tokenIds, testing::ElementsAre(5, -1, 2'000'000'000, 7, 8));

    ASSERT_TRUE(finishAnswer(*m_history, id,
                             {.pieces = piece("."),
                              .ids = {9},
                              .withheld = "\xFF\0"s,
                              .status = MessageStatus::Failed,
                              .reason = StopReason::MaxTokens,
                              .error = Error{ErrorCode::Device, "It broke.", "engine.broke", {"2.1", "\xFF"}},
                              .stats = {1, 2, 3, 4.5, 6.5}}));
    reopen();
    message = valueOf(history::message(*m_history, id));
    EXPECT_EQ(message.status, MessageStatus::Failed);
    EXPECT_EQ(message.role, Role::Assistant);
    EXPECT_EQ(message.conversation, m_conversation);
    EXPECT_EQ(message.parent, m_question);
    EXPECT_EQ(allText(message), "Be\0cause 漢."s);
    EXPECT_THAT(message.tokenIds, testing::ElementsAre(5, -1, 2'000'000'000, 7, 8, 9));
    EXPECT_EQ(message.withheld, "\xFF\0"s);
    EXPECT_EQ(message.promptHash, ~uint64_t{0} - 9);
    EXPECT_EQ(message.firstKept, m_question);
    EXPECT_EQ(message.stopReason, StopReason::MaxTokens);
    ASSERT_TRUE(message.error);
    EXPECT_EQ(message.error->message, "It broke.");
    EXPECT_EQ(message.error->id, "engine.broke");
    EXPECT_THAT(message.error->arguments, testing::ElementsAre("2.1", "\uFFFD"));
    EXPECT_FALSE(message.pinned);
    EXPECT_EQ(message.modelId, "m1");
    EXPECT_EQ(message.modelName, "Tiny");
    EXPECT_EQ(message.sampler, sampler);
    EXPECT_EQ(message.stats.promptTokens, 1u);
    EXPECT_EQ(message.stats.cachedTokens, 2u);
    EXPECT_EQ(message.stats.newTokens, 3u);
    EXPECT_EQ(message.stats.prefillMs, 4.5);
    EXPECT_EQ(message.stats.decodeMs, 6.5);
    EXPECT_EQ(allText(valueOf(history::message(*m_history, m_question))), "Why?\0 really"s);
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM answer_chunks").getInt(), 0);

    ASSERT_TRUE(setMessagePinned(*m_history, id, true));
    EXPECT_TRUE(valueOf(history::message(*m_history, id)).pinned);
    ASSERT_TRUE(resumeAnswer(*m_history, id));
    message = valueOf(history::message(*m_history, id));
    EXPECT_EQ(message.stopReason, std::nullopt);
    EXPECT_FALSE(message.error);
}

TEST_F(HistoryTest, PartsStayApartFromTheJournalOn) {
    ask();
    const RowId id = beginAnswer();
    const std::vector<PartPiece> first{{PartKind::Thought, "Hm", "", true}};
    const std::vector<PartPiece> second{{PartKind::Thought, ".\0"s, "", false},
                                        {PartKind::ToolCall, "add(1)", "add", true},
                                        {PartKind::ToolCall, "add(2)", "add", true},
                                        {PartKind::Text, "Thr", "", true}};
    const std::vector<Part> parts{{PartKind::Thought, "Hm.\0"s, ""},
                                  {PartKind::ToolCall, "add(1)", "add"},
                                  {PartKind::ToolCall, "add(2)", "add"},
                                  {PartKind::Text, "Three", ""}};
    ASSERT_TRUE(appendAnswer(*m_history, id, first, {1}, ""));
    ASSERT_TRUE(appendAnswer(*m_history, id, {}, {2}, "x"));
    ASSERT_TRUE(appendAnswer(*m_history, id, second, {3, 4}, ""));
    EXPECT_THAT(valueOf(history::message(*m_history, id)).tokenIds, testing::ElementsAre(1, 2, 3, 4));
    reopen();
    // A piece that begins nothing goes on with the last part, also behind a restart.
    ASSERT_TRUE(resumeAnswer(*m_history, id));
    ASSERT_TRUE(appendAnswer(*m_history, id, piece("ee"), {5}, ""));
    EXPECT_EQ(valueOf(history::message(*m_history, id)).parts, parts);
    ASSERT_TRUE(finishAnswer(*m_history, id, {.pieces = {{PartKind::Source, "where", "a book", true}}}));
    const Message message = valueOf(history::message(*m_history, id));
    ASSERT_EQ(message.parts.size(), 5u);
    EXPECT_EQ(std::vector(message.parts.begin(), message.parts.end() - 1), parts);
    EXPECT_EQ(message.parts.back(), (Part{PartKind::Source, "where", "a book"}));
    EXPECT_EQ(valueOf(search(*m_history, "where", 5)).size(), 1u);
}

TEST_F(HistoryTest, ASecondConnectionReadsWhatTheFirstHasWritten) {
    ask();
    const auto reader = valueOf(openReader(m_path));
    ASSERT_NE(reader, nullptr);
    const RowId id = beginAnswer();
    ASSERT_TRUE(appendAnswer(*m_history, id, piece("so"), {1}, ""));
    const auto branch = valueOf(history::branch(*reader, m_conversation, 0));
    ASSERT_EQ(branch.size(), 2u);
    EXPECT_EQ(allText(branch[1]), "so");
    EXPECT_EQ(branch[1].status, MessageStatus::Streaming);
    reader->interrupt();  // nothing is running
    EXPECT_EQ(valueOf(conversations(*reader)).size(), 1u);
    EXPECT_EQ(openReader(m_dir + "/none.db").error().code, ErrorCode::Io);
}

TEST_F(HistoryTest, AnswersFoundStreamingAreInterruptedAndGoOn) {
    ask();
    const RowId id = beginAnswer();
    ASSERT_TRUE(appendAnswer(*m_history, id, piece("one "), {1}, ""));
    ASSERT_TRUE(appendAnswer(*m_history, id, piece("two "), {2}, "x"));
    reopen();
    Message message = valueOf(history::message(*m_history, id));
    EXPECT_EQ(message.status, MessageStatus::Interrupted);
    EXPECT_EQ(allText(message), "one two ");
    EXPECT_EQ(message.withheld, "x");
    EXPECT_FALSE(appendAnswer(*m_history, id, piece("no"), {}, ""));

    ASSERT_TRUE(resumeAnswer(*m_history, id));
    EXPECT_FALSE(resumeAnswer(*m_history, id));
    ASSERT_TRUE(appendAnswer(*m_history, id, piece("three"), {3}, ""));
    EXPECT_EQ(allText(valueOf(history::message(*m_history, id))), "one two three");
    ASSERT_TRUE(finishAnswer(*m_history, id, {}));
    EXPECT_FALSE(finishAnswer(*m_history, id, {}));
    message = valueOf(history::message(*m_history, id));
    EXPECT_EQ(message.status, MessageStatus::Complete);
    EXPECT_EQ(allText(message), "one two three");
    EXPECT_EQ(message.withheld, "");
    EXPECT_THAT(message.tokenIds, testing::ElementsAre(1, 2, 3));
}

TEST_F(HistoryTest, BranchesAreATree) {
    ask("question");
    const RowId answerA = beginAnswer();
    ASSERT_TRUE(finishAnswer(*m_history, answerA, {}));
    const RowId followUp = valueOf(addUserMessage(*m_history, m_conversation, answerA, said("and then?")));
    const RowId answerB = beginAnswer();
    const RowId edited = valueOf(addUserMessage(*m_history, m_conversation, 0, said("another question")));

    EXPECT_EQ(valueOf(conversations(*m_history))[0].activeLeaf, edited);
    ASSERT_EQ(valueOf(history::branch(*m_history, m_conversation, 0)).size(), 1u);
    const auto branch = valueOf(history::branch(*m_history, m_conversation, followUp));
    ASSERT_EQ(branch.size(), 3u);
    EXPECT_EQ(branch[0].id, m_question);
    EXPECT_EQ(branch[0].siblingIndex, 0);
    EXPECT_EQ(branch[0].siblingCount, 2);
    EXPECT_EQ(branch[1].id, answerA);
    EXPECT_EQ(branch[1].siblingCount, 2);
    EXPECT_EQ(branch[2].id, followUp);
    EXPECT_EQ(branch[2].siblingCount, 1);
    EXPECT_EQ(valueOf(history::message(*m_history, answerB)).siblingIndex, 1);
    EXPECT_THAT(valueOf(siblings(*m_history, answerB)), testing::ElementsAre(answerA, answerB));
    EXPECT_THAT(valueOf(siblings(*m_history, m_question)), testing::ElementsAre(m_question, edited));
    EXPECT_EQ(valueOf(newestLeafBelow(*m_history, m_question)), answerB);
    EXPECT_EQ(valueOf(newestLeafBelow(*m_history, answerA)), followUp);
    EXPECT_EQ(valueOf(newestLeafBelow(*m_history, edited)), edited);

    ASSERT_TRUE(setActiveLeaf(*m_history, m_conversation, followUp));
    EXPECT_EQ(valueOf(history::branch(*m_history, m_conversation, 0)).size(), 3u);
    ASSERT_TRUE(setActiveLeaf(*m_history, m_conversation, 0));
    EXPECT_TRUE(valueOf(history::branch(*m_history, m_conversation, 0)).empty());
}

TEST_F(HistoryTest, NothingWorksOnAThreadThatPaints) {
    const auto paint = [&](const auto& work) {
        markPaintThread();
        work();
    };
    EXPECT_DEATH(paint([&] { (void)conversations(*m_history); }), "history: used on the thread that paints");
    EXPECT_DEATH(paint([&] { (void)openReader(m_path); }), "SQLite: used on the thread that paints");
    EXPECT_DEATH(paint([&] { SQLite::Database(m_path, SQLite::OPEN_READONLY); }),
                 "SQLite: used on the thread");
}

TEST_F(HistoryTest, SettingsAreKept) {
    EXPECT_EQ(valueOf(setting(*m_history, "theme")), std::nullopt);
    ASSERT_TRUE(setSetting(*m_history, "theme", "dark"));
    ASSERT_TRUE(setSetting(*m_history, "theme", "light"));
    reopen();
    EXPECT_EQ(valueOf(setting(*m_history, "theme")), "light");
    ASSERT_TRUE(setSettings(*m_history, {{"theme", "dark"}, {"size", "3"}}));
    EXPECT_EQ(valueOf(setting(*m_history, "theme")), "dark");
    EXPECT_EQ(valueOf(setting(*m_history, "size")), "3");
}

TEST_F(HistoryTest, TenThousandMessagesOpenFast) {
    ask();
    sqlite().exec(fmt::format(
        "WITH RECURSIVE number (n) AS (SELECT {0} UNION ALL SELECT n + 1 FROM number WHERE n < {0} + 9998) "
        "INSERT INTO messages (id, conversation_id, parent_id, role, status, created_ms) "
        "SELECT n + 1, {1}, n, 'user', 'complete', 0 FROM number",
        m_question, m_conversation));
    sqlite().exec(
        "INSERT OR IGNORE INTO parts (message_id, position, kind, text) "
        "SELECT id, 0, 'text', 'message number ' || id FROM messages");
    sqlite().exec("UPDATE conversations SET active_leaf = (SELECT max(id) FROM messages)");
    [[maybe_unused]] const double start = test::processorSeconds();
    reopen();
    const auto branch = valueOf(history::branch(*m_history, m_conversation, 0));
#ifndef __SANITIZE_THREAD__  // which makes it many times slower
    EXPECT_LT(test::processorSeconds() - start, 0.5);
#endif
    EXPECT_EQ(branch.size(), 10'000u);
    // Newest first, as a long chat is shown.
    const auto newest = valueOf(history::branch(*m_history, m_conversation, 0, 40));
    ASSERT_EQ(newest.size(), 40u);
    EXPECT_EQ(newest.back().id, branch.back().id);
    const auto above = valueOf(history::branch(*m_history, m_conversation, newest.front().parent, 40));
    ASSERT_EQ(above.size(), 40u);
    EXPECT_EQ(above.back().id, newest.front().parent);
    EXPECT_EQ(valueOf(history::branch(*m_history, m_conversation, branch[2].id, 40)).size(), 3u);
    // A chain of this depth is beyond SQLite's limit for cascading deletes.
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    shred();
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM messages").getInt(), 0);
}

TEST_F(HistoryTest, StreamingCostsTheSameForEveryToken) {
    ask();
    const RowId id = beginAnswer();
    const auto secondsFor = [&](int count) {
        const double start = test::processorSeconds();
        for (int i = 0; i < count; ++i) EXPECT_TRUE(appendAnswer(*m_history, id, piece("token "), {i}, ""));
        return test::processorSeconds() - start;
    };
    const double early = secondsFor(1000);
    secondsFor(8000);
    const double late = secondsFor(1000);
    EXPECT_LT(early / 1000, 0.002);
    EXPECT_LT(late, 5 * early);
    const Message message = valueOf(history::message(*m_history, id));
    EXPECT_EQ(allText(message).size(), 60'000u);
    EXPECT_EQ(message.tokenIds.size(), 10'000u);
}

}  // namespace
}  // namespace ingle::history
