/// Turns: all of a question or nothing of it, and the parts of a long branch that are shown first.
#include "app/history/turns.h"
#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/opening.h"
#include "app/history/search/search.h"
#include "app/history/trash/trash.h"

#include "app/history/documents/documents.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

class Turns : public HistoryFixture {
  protected:
    Result<Turn> askNew(const std::string& text) {
        return history::ask(*m_history, {0, "Title", 0, said(text)}, {"model", "Model", {}, {}});
    }
    int count(const char* table) {
        return sqlite().execAndGet(fmt::format("SELECT count(*) FROM {}", table)).getInt();
    }
};

TEST_F(Turns, AQuestionIsOneTransaction) {
    int commits = 0;
    const auto onCommit = [](void* count) { return ++*static_cast<int*>(count), 0; };
    ::sqlite3_commit_hook(sqlite().getHandle(), onCommit, &commits);
    const Turn turn = valueOf(askNew("What is it?"));
    ::sqlite3_commit_hook(sqlite().getHandle(), nullptr, nullptr);
    EXPECT_EQ(commits, 1);
    ASSERT_EQ(turn.branch.size(), 2u);
    EXPECT_EQ(turn.branch.back().status, MessageStatus::Streaming);
    EXPECT_EQ(turn.leaf, turn.branch.back().id);
    EXPECT_EQ(valueOf(lastShown(*m_history)), turn.conversation.id);
}

TEST_F(Turns, AQuestionThatFailsInTheMiddleWasNeverAsked) {
    ASSERT_TRUE(storeDraft(*m_history, 0, "the draft"));
    sqlite().exec(
        "CREATE TEMP TRIGGER no_answers BEFORE INSERT ON messages WHEN NEW.role = 'assistant' "
        "BEGIN SELECT RAISE(ABORT, 'no answers'); END");
    EXPECT_FALSE(askNew("What is it?"));
    EXPECT_EQ(count("conversations"), 0);
    EXPECT_EQ(count("messages"), 0);
    EXPECT_EQ(valueOf(newDraft(*m_history)), "the draft");
    sqlite().exec("DROP TRIGGER no_answers");
    EXPECT_EQ(valueOf(askNew("What is it?")).branch.size(), 2u);
    EXPECT_EQ(count("messages"), 2);
    EXPECT_EQ(valueOf(newDraft(*m_history)), "");
}

TEST_F(Turns, AQuestionOnAFullDiskIsStoredOnceOrNotAtAll) {
    ASSERT_TRUE(storeDraft(*m_history, 0, std::string(9000, 'd')));
    const int pages = sqlite().execAndGet("PRAGMA page_count").getInt();
    const std::string text(30'000, 'q');
    int refused = 0;
    bool asked = false;
    for (int more = 0; !asked && more < 100; ++more) {
        sqlite().exec(fmt::format("PRAGMA max_page_count = {}", pages + more));
        const auto turn = askNew(text);
        asked = bool(turn);
        if (asked) break;
        ++refused;
        EXPECT_THAT(turn.error().message, testing::HasSubstr("disk is full"));
        EXPECT_EQ(count("conversations"), 0) << more;
        EXPECT_EQ(count("parts"), 0) << more;
        EXPECT_EQ(valueOf(newDraft(*m_history)).size(), 9000u) << more;
    }
    EXPECT_TRUE(asked);
    EXPECT_GT(refused, 5);
    EXPECT_EQ(count("messages"), 2);
    EXPECT_EQ(integrity(), "ok");
}

TEST_F(Turns, OfALongBranchThePartAroundAMessageIsRead) {
    ask();
    std::vector<RowId> ids{m_question};
    for (int i = 1; i < 50; ++i)
        ids.push_back(valueOf(addUserMessage(*m_history, m_conversation, ids.back(), said("more"))));
    const auto idsOf = [](const Turn& turn) {
        std::vector<RowId> read;
        for (const Message& message : turn.branch) read.push_back(message.id);
        return read;
    };
    const auto part = [&](size_t from, size_t to) {
        return std::vector<RowId>(ids.begin() + static_cast<std::ptrdiff_t>(from),
                                  ids.begin() + static_cast<std::ptrdiff_t>(to));
    };
    const Turn middle = valueOf(readAround(*m_history, m_conversation, ids[20], 10));
    EXPECT_EQ(idsOf(middle), part(16, 26));
    EXPECT_EQ(middle.leaf, ids.back());
    EXPECT_FALSE(middle.isWhole());
    EXPECT_EQ(idsOf(valueOf(readAround(*m_history, m_conversation, ids[1], 10))), part(0, 7));
    EXPECT_EQ(idsOf(valueOf(readAround(*m_history, m_conversation, ids[48], 10))), part(40, 50));
    EXPECT_TRUE(valueOf(readAround(*m_history, m_conversation, ids[48], 60)).isWhole());
    const Turn end = valueOf(readTurn(*m_history, m_conversation, 0, 10));
    EXPECT_EQ(idsOf(end), part(40, 50));
    EXPECT_FALSE(end.isWhole());
}

TEST_F(Turns, WhatIsRestoredDoesNotHideTheAnswerBeingWritten) {
    ask();
    const RowId old = beginAnswer();
    ASSERT_TRUE(finishAnswer(*m_history, old, {.pieces = piece("old")}));
    ASSERT_TRUE(trashMessage(*m_history, old));
    const RowId running = beginAnswer();
    EXPECT_EQ(valueOf(restoreMessage(*m_history, old)), running);
    EXPECT_EQ(valueOf(conversation(*m_history, m_conversation)).activeLeaf, running);
    EXPECT_EQ(valueOf(history::message(*m_history, running)).siblingCount, 2);
    ASSERT_TRUE(finishAnswer(*m_history, running, {}));
    ASSERT_TRUE(trashMessage(*m_history, old));
    EXPECT_EQ(valueOf(restoreMessage(*m_history, old)), old);
}

TEST_F(Turns, AReplayAsksAsItWasAskedAndReceiptsAreKept) {
    ask();
    AnswerReceipt receipt;
    receipt.engine = {.program = "1.2.3",
                      .modelPath = "/m.gguf",
                      .modelHash = std::string(32, 'a'),
                      .backend = "cpu",
                      .device = "a CPU",
                      .instructions = "avx2",
                      .kv = KvType::Q8,
                      .activations = ActivationType::F32,
                      .referenceKernels = true,
                      .contextTokens = 4096,
                      .overrides = {{"key", "value"}}};
    receipt.terms = AnswerTerms{.systemPrompt = "Be brief.",
                                .maxTokens = 12,
                                .contextTokens = 900,
                                .whenFull = WhenFull::Refuse,
                                .form = {AnswerForm::Kind::Grammar, "root ::= x"},
                                .promptForm = {"{{ messages[0].content }}", Thinking::Off}};
    const RowId id =
        valueOf(history::beginAnswer(*m_history, m_conversation, m_question, "m", "M", {}, receipt.terms));
    // From its beginning on, so that one that was cut off goes on as it began.
    EXPECT_EQ(valueOf(history::message(*m_history, id)).receipt.terms, receipt.terms);
    EXPECT_FALSE(valueOf(history::message(*m_history, id)).receipt.exists());
    ASSERT_TRUE(
        finishAnswer(*m_history, id, {.pieces = piece("a b"), .ids = {7, 8}, .receipt = receipt.engine}));
    Turn turn = valueOf(readTurn(*m_history, m_conversation, id));
    const Message answer = turn.branch.back();
    EXPECT_EQ(answer.receipt, receipt);
    const AnswerTerms usual{.systemPrompt = "Be long."};
    const ScoreRequest replay = replayOf(turn, usual);
    EXPECT_EQ(replay.ids, answer.tokenIds);
    EXPECT_TRUE(replay.request.resumeIds.empty());
    EXPECT_EQ(replay.request.sampler, answer.sampler);
    EXPECT_EQ(replay.request.maxTokens, 12u);
    EXPECT_EQ(replay.request.whenFull, WhenFull::Refuse);
    EXPECT_EQ(replay.request.grammar, "root ::= x");
    EXPECT_EQ(replay.request.contextTokens, 900u);
    // It is continued with what there is now: it may have ended because the context was full.
    EXPECT_EQ(promptOf(turn, {.contextTokens = 1800}).request.contextTokens, 1800u);
    EXPECT_EQ(replay.request.promptForm, receipt.terms->promptForm);
    ASSERT_FALSE(replay.request.messages.empty());
    EXPECT_EQ(replay.request.messages.front(), textMessage(Role::System, "Be brief."));
    turn.branch.back().receipt = {};
    EXPECT_EQ(replayOf(turn, usual).request.messages.front(), textMessage(Role::System, "Be long."));
    // A run that did not end in order has none, and leaves what there is.
    ASSERT_TRUE(resumeAnswer(*m_history, id));
    ASSERT_TRUE(finishAnswer(*m_history, id, {}));
    EXPECT_EQ(valueOf(history::message(*m_history, id)).receipt, receipt);
    sqlite().exec("UPDATE messages SET receipt = 'no JSON'");
    EXPECT_FALSE(valueOf(history::message(*m_history, id)).receipt.exists());
}

TEST_F(Turns, AVersionOfAnAnswerBeginsAsItIsTold) {
    const Turn asked = valueOf(askNew("What is it?"));
    const RowId answer = asked.branch.back().id;
    ASSERT_TRUE(appendAnswer(*m_history, answer, {{{PartKind::Text, "A fire.", {}}}}, {4, 5, 6}, ""));
    ASSERT_TRUE(finishAnswer(*m_history, answer, {}));
    AnswerBeginning beginning{{4, 9}, {{PartKind::Thought, "Hm.", {}}, {PartKind::Text, "A da", {}}}, "\xC3"};
    const Turn turn = valueOf(branchAnswer(*m_history, answer, beginning));
    const Message& version = turn.branch.back();
    EXPECT_EQ(version.parent, asked.branch.front().id);
    EXPECT_EQ(version.siblingCount, 2);
    EXPECT_EQ(version.siblingIndex, 1);
    EXPECT_EQ(version.status, MessageStatus::Streaming);
    EXPECT_EQ(version.tokenIds, beginning.ids);
    EXPECT_EQ(version.parts,
              (std::vector<Part>{{PartKind::Thought, "Hm.", ""}, {PartKind::Text, "A da", ""}}));
    EXPECT_EQ(version.withheld, beginning.withheld);
    EXPECT_EQ(version.sampler, asked.branch.back().sampler);
    EXPECT_EQ(promptOf(turn, {}).request.resumeIds, beginning.ids);
    EXPECT_EQ(valueOf(history::message(*m_history, answer)).tokenIds, (std::vector<TokenId>{4, 5, 6}));
    EXPECT_FALSE(branchAnswer(*m_history, 12345, beginning));
}

TEST_F(Turns, AnAnswerWithoutIdsGoesOnFromItsText) {
    const Turn asked = valueOf(askNew("What is it?"));
    const RowId answer = asked.branch.back().id;
    ASSERT_TRUE(appendAnswer(
        *m_history, answer,
        std::vector<PartPiece>{{PartKind::Thought, "Hm.", {}}, {PartKind::Text, "A fire", {}}}, {}, ""));
    ASSERT_TRUE(finishAnswer(*m_history, answer, {}));
    const Turn turn = valueOf(resume(*m_history, asked.conversation.id, answer));
    EXPECT_EQ(promptOf(turn, {}).request.resumeText, "A fire");
    EXPECT_EQ(replayOf(turn, {}).request.resumeText, "");
    ASSERT_TRUE(appendAnswer(*m_history, answer, std::vector<PartPiece>{{PartKind::Text, ".", {}}}, {4}, ""));
    ASSERT_TRUE(finishAnswer(*m_history, answer, {}));
    EXPECT_EQ(promptOf(valueOf(resume(*m_history, asked.conversation.id, answer)), {}).request.resumeText, "")
        << "an answer with ids has all of them";
}

TEST_F(Turns, DocumentsAreFoundInAConversationAndInItsMessages) {
    const Turn plain = valueOf(askNew("What is it?"));
    EXPECT_FALSE(valueOf(holdsDocuments(*m_history, plain.conversation.id, plain.leaf)));
    const Question quoting{
        plain.conversation.id, "", plain.leaf, {{PartKind::Source, "Page one.", "A book"}}};
    const Turn quoted = valueOf(history::ask(*m_history, quoting, {}));
    EXPECT_TRUE(valueOf(holdsDocuments(*m_history, plain.conversation.id, quoted.leaf)));
    EXPECT_FALSE(valueOf(holdsDocuments(*m_history, plain.conversation.id, plain.leaf))) << "another branch";
    const RowId book = valueOf(addDocument(
        *m_history,
        {.title = "A book", .format = "text", .leftOut = {}, .text = "Page one.", .passages = {}}));
    ASSERT_TRUE(setDocumentsOf(*m_history, plain.conversation.id, std::vector{book}));
    EXPECT_TRUE(valueOf(holdsDocuments(*m_history, plain.conversation.id, plain.leaf)));
    EXPECT_FALSE(valueOf(holdsDocuments(*m_history, 0, 0)));
    ASSERT_TRUE(setDocumentsOf(*m_history, 0, std::vector{book}));
    EXPECT_TRUE(valueOf(holdsDocuments(*m_history, 0, 0))) << "of the next conversation";
}

TEST(PrivateTurns, AreInMemoryAndNowhereElse) {
    {
        const auto history = valueOf(openHistoryInMemory("test"));
        const auto reader = valueOf(openReaderInMemory("test"));
        ASSERT_TRUE(history && reader);
        ASSERT_TRUE(storeDraft(*history, 0, "unsent"));
        const Turn turn =
            valueOf(ask(*history, {0, "Title", 0, said("What is it?")}, {"model", "Model", {}, {}}));
        // No other conversation has such numbers, and the engine is told none.
        EXPECT_TRUE(isPrivate(turn.conversation.id));
        EXPECT_TRUE(isPrivate(turn.branch.front().id));
        EXPECT_EQ(static_cast<RowId>(static_cast<double>(turn.leaf) + 0.5), turn.leaf);
        EXPECT_EQ(promptOf(turn, {}).request.conversation, "");
        EXPECT_EQ(valueOf(conversations(*reader)).size(), 1u);
        ASSERT_TRUE(finishAnswer(*history, turn.leaf,
                                 {.pieces = {{PartKind::Text, "A fire.", {}}},
                                  .ids = {},
                                  .withheld = {},
                                  .error = {},
                                  .stats = {},
                                  .receipt = {}}));
        EXPECT_EQ(valueOf(findIn(*reader, turn.conversation.id, "fire")).size(), 1u);
        EXPECT_FALSE(std::filesystem::exists("test"));
        EXPECT_FALSE(std::filesystem::exists("/test"));
    }
    const auto anew = valueOf(openHistoryInMemory("test"));
    EXPECT_TRUE(valueOf(conversations(*anew)).empty());
    EXPECT_FALSE(isPrivate(1'000'000));
}

}  // namespace
}  // namespace ingle::history
