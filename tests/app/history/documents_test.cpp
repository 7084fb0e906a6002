#include "app/history/documents/documents.h"
#include "app/history/chats/answers.h"
#include "app/history/portable.h"
#include "app/history/search/search.h"
#include "app/history/trash/shredding.h"
#include "app/history/trash/trash.h"

#include <gmock/gmock.h>

#include "app/history/turns.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kModel = "model";

class Documents : public HistoryFixture {
  protected:
    /// One passage a line, each under a heading of its own.
    static NewDocument report(const std::string& title, const std::vector<std::string>& lines) {
        NewDocument document{
            .title = title, .format = "text", .leftOut = {"1 picture"}, .text = {}, .passages = {}};
        for (size_t i = 0; i < lines.size(); ++i) {
            const uint64_t begin = document.text.size();
            document.text += lines[i] + "\n";
            document.passages.push_back({begin, document.text.size(), 0, fmt::format("Chapter {}", i + 1)});
        }
        return document;
    }
    RowId add(const NewDocument& document) { return valueOf(addDocument(*m_history, document)); }
    void fit(RowId document, uint32_t room = 0) {
        ASSERT_TRUE(setReading(*m_history, document, {kModel, "Model", 100, 64, 5000, room}));
    }
    Turn askAbout(const std::vector<RowId>& documents, const std::string& text, const Profile& profile = {}) {
        EXPECT_TRUE(setDocumentsOf(*m_history, 0, documents));
        Turn turn =
            valueOf(history::ask(*m_history, {0, "Title", 0, said(text)}, {kModel, "Model", {}, profile}));
        EXPECT_THAT(valueOf(documentsOf(*m_history, 0)), IsEmpty());
        EXPECT_EQ(valueOf(documentsOf(*m_history, turn.conversation.id)), documents);
        EXPECT_TRUE(finishAnswer(*m_history, turn.branch.back().id, {.pieces = piece("It is so.")}));
        return turn;
    }
    int count(const std::string& table) {
        return sqlite().execAndGet("SELECT count(*) FROM " + table).getInt();
    }
};

TEST_F(Documents, TheSameTextIsKeptOnce) {
    const RowId first = add(report("A report", {"words"}));
    const RowId other = add(report("Another", {"other words"}));
    EXPECT_NE(first, other);
    EXPECT_EQ(add(report("The same by another name", {"words"})), first);
    const auto shelf = valueOf(documents(*m_history));
    ASSERT_EQ(shelf.size(), 2u);
    for (const Document& each : shelf) {
        if (each.id != first) continue;
        EXPECT_EQ(each.title, "A report");
        EXPECT_EQ(each.textBytes, 6u);
        EXPECT_THAT(each.leftOut, ElementsAre("1 picture"));
        EXPECT_THAT(each.readings, IsEmpty());
    }
    EXPECT_EQ(valueOf(documentText(*m_history, first)), "words\n");
    EXPECT_FALSE(documentText(*m_history, 99));
}

TEST_F(Documents, WhatModelsHaveReadIsKeptUntilItIsForgotten) {
    const RowId id = add(report("A report", {"words"}));
    const DocumentReading reading{kModel, "Model", 100, 64, 5000, 0};
    ASSERT_TRUE(setReading(*m_history, id, {kModel, "Model", 100, 0, 5000, 0}));
    ASSERT_TRUE(setReading(*m_history, id, reading));
    ASSERT_TRUE(setReading(*m_history, 99, reading)) << "removed meanwhile";
    reopen();
    EXPECT_THAT(valueOf(documents(*m_history)).at(0).readings, ElementsAre(reading));
    EXPECT_FALSE(reading.isWhole());
    EXPECT_THAT(valueOf(documentsRead(*m_history)), ElementsAre(id));
    ASSERT_TRUE(forgetReadings(*m_history, id));
    EXPECT_THAT(valueOf(documentsRead(*m_history)), IsEmpty());
    EXPECT_EQ(valueOf(documents(*m_history)).size(), 1u);
}

TEST_F(Documents, OfAnImportThatIsStoppedAndBegunAgainEveryPassageIsThere) {
    const NewDocument content = report("A report", std::vector<std::string>(2000, "one"));
    const PortableDocument document{.id = 1, .content = content};
    // Until it ends nothing of it is taken for loose, whatever else is removed meanwhile.
    PortableWriting stopped;
    ASSERT_TRUE(stopped.addDocument(*m_history, document));
    ask("of no use");
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    shred();
    EXPECT_EQ(count("passages"), 2000);
    ASSERT_TRUE(dropArrivals(*m_history));
    ASSERT_TRUE(shredSlice(*m_history, std::chrono::milliseconds(0)));
    const int left = count("passages");
    EXPECT_GT(left, 0);
    EXPECT_LT(left, 2000) << "the slice was to take some";
    PortableWriting again;
    ASSERT_TRUE(again.addDocument(*m_history, document));
    shred();
    ASSERT_TRUE(again.finish(*m_history));
    EXPECT_EQ(count("passages"), 2000);
    EXPECT_EQ(count("passage_index"), 2000);
    EXPECT_EQ(valueOf(documents(*m_history)).size(), 1u);
    // So it is with one that is removed and dropped again at once.
    const RowId id = valueOf(documents(*m_history)).front().id;
    ASSERT_TRUE(removeDocument(*m_history, id));
    ASSERT_TRUE(shredSlice(*m_history, std::chrono::milliseconds(0)));
    EXPECT_LT(count("passages"), 2000);
    EXPECT_EQ(add(content), id);
    shred();
    EXPECT_EQ(count("passages"), 2000);
}

TEST_F(Documents, ADocumentThatFitsStandsWholeBeforeTheInstructions) {
    const RowId id = add(report("A report", {"one", "two"}));
    fit(id);
    const Turn turn = askAbout({id}, "What is one?", {.systemPrompt = "Be brief."});
    const Prompt prompt = promptOf(turn, {});
    ASSERT_EQ(prompt.request.messages.size(), 2u);
    EXPECT_THAT(prompt.request.messages[0].parts,
                ElementsAre(Part{PartKind::Attachment, "one\ntwo\n", "A report"},
                            Part{PartKind::Text, "Be brief.", ""}));
    EXPECT_THAT(prompt.request.pinned, ElementsAre(0u));
    EXPECT_THAT(prompt.request.messages[1].parts, ElementsAre(Part{PartKind::Text, "What is one?", ""}));
    // The next question finds it there, and so does a check of the answer.
    const RowId conversation = turn.conversation.id;
    const Turn next = valueOf(
        history::ask(*m_history, {conversation, "", turn.leaf, said("And two?")}, {kModel, "Model", {}, {}}));
    EXPECT_EQ(promptOf(next, {}).request.messages[0].parts.size(), 1u);
    const Turn again = valueOf(readAnswer(*m_history, conversation, turn.leaf));
    EXPECT_EQ(replayOf(again, {}).request.messages, prompt.request.messages);
    EXPECT_EQ(valueOf(documents(*m_history)).at(0).conversations, 1u);
}

TEST_F(Documents, WhatFitsTheModelAndNotTheChatIsGivenInPassages) {
    const RowId id =
        add(report("A report", {"lamp one", "river", "stone", "bread", "water", "winter", "garden"}));
    fit(id);
    const Turn roomy = askAbout({id}, "one?", {.contextTokens = 1000});
    EXPECT_EQ(promptOf(roomy, {}).request.messages[0].parts.front().kind, PartKind::Attachment);
    const Turn narrow = askAbout({id}, "one?", {.contextTokens = 100});
    const auto messages = promptOf(narrow, {}).request.messages;
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].parts.front().kind, PartKind::Source);
    EXPECT_EQ(messages[0].parts.front().text, "lamp one\n");
    // And so it is when the answer is checked.
    const Turn again = valueOf(readAnswer(*m_history, narrow.conversation.id, narrow.leaf));
    EXPECT_EQ(replayOf(again, {}).request.messages, messages);
}

TEST_F(Documents, OfALongOneThePassagesOfTheQuestionAreChosen) {
    std::vector<std::string> lines;
    for (int i = 0; i < 40; ++i) lines.push_back(fmt::format("Nothing much happens in part {}.", i));
    lines[7] = "The lighthouse was built in 1822.";
    lines[8] = "Its keeper was called Ann, and the lighthouse was hers.";
    lines[30] = "A lighthouse needs oil.";
    const RowId id = add(report("The coast", lines));
    fit(id, 21);  // of 100 tokens, and half of that for passages
    const Turn turn = askAbout({id}, "Who kept the lighthouse?");
    EXPECT_THAT(turn.documents, IsEmpty());
    const auto& parts = turn.branch[0].parts;
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[0].kind, PartKind::Source);
    EXPECT_EQ(parts[0].data, "The coast, Chapter 8");
    EXPECT_EQ(parts[0].text, lines[7] + "\n" + lines[8] + "\n") << "neighbours are one";
    EXPECT_EQ(parts[1].data, "The coast, Chapter 31");
    EXPECT_EQ(parts[2].text, "Who kept the lighthouse?");
    // A question whose words stand nowhere gets the beginning; so does one of another model, which has not
    // said whether it has room.
    const Turn nothing = askAbout({id}, "?");
    EXPECT_EQ(nothing.branch[0].parts.front().data, "The coast, Chapter 1");
    EXPECT_THAT(nothing.branch[0].parts.front().text, HasSubstr("part 0."));
}

std::vector<PassageVector> vectorsOf(const std::vector<PassageText>& passages, RowId liked) {
    std::vector<PassageVector> vectors;
    for (const PassageText& each : passages)
        vectors.push_back(
            {each.passage, each.passage == liked ? std::vector<float>{1, 0} : std::vector<float>{0, 1}});
    return vectors;
}

TEST_F(Documents, OnlyPassagesThatAModelHasNoRoomForWaitForVectorsAndEachIsStoredOnce) {
    const RowId fits = add(report("Short", {"one"}));
    const RowId isLong = add(report("Long", {"first passage", "second passage", "third passage"}));
    add(report("Unknown", {"of which nobody knows"}));
    fit(fits);
    EXPECT_THAT(valueOf(passagesWithoutVector(*m_history, "bge", 1000)), IsEmpty());
    fit(isLong, 21);
    auto found = valueOf(passagesWithoutVector(*m_history, "bge", 1000));
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].text, "Chapter 1\nfirst passage\n");
    found = valueOf(passagesWithoutVector(*m_history, "bge", 1));
    ASSERT_EQ(found.size(), 1u) << "one at least";
    ASSERT_TRUE(setPassageVectors(*m_history, "bge", vectorsOf(found, 0)));
    ASSERT_TRUE(setPassageVectors(*m_history, "bge", std::vector{PassageVector{99, {1, 0}}})) << "removed";
    reopen();
    EXPECT_EQ(count("passage_vectors"), 1);
    EXPECT_EQ(valueOf(passagesWithoutVector(*m_history, "bge", 1000)).size(), 2u);
    // Another model begins anew, and what it makes takes the place of the other's.
    found = valueOf(passagesWithoutVector(*m_history, "e5", 1000));
    ASSERT_EQ(found.size(), 3u);
    ASSERT_TRUE(setPassageVectors(*m_history, "e5", vectorsOf(found, 0)));
    EXPECT_EQ(count("passage_vectors"), 3);
    EXPECT_EQ(valueOf(passagesWithoutVector(*m_history, "bge", 1000)).size(), 3u);
    EXPECT_TRUE(valueOf(haveVectors(*m_history, std::vector{isLong}, kModel)));
    EXPECT_TRUE(valueOf(haveVectors(*m_history, std::vector{fits, isLong}, "another model")));
    EXPECT_FALSE(valueOf(haveVectors(*m_history, std::vector{fits}, kModel)));
    fit(isLong);
    EXPECT_FALSE(valueOf(haveVectors(*m_history, std::vector{isLong}, kModel))) << "it has room now";
    ASSERT_TRUE(removeDocument(*m_history, isLong));
    shred();
    EXPECT_EQ(count("passage_vectors"), 0);
}

TEST_F(Documents, WhatAQuestionMeansFindsPassagesThatHaveNoneOfItsWords) {
    std::vector<std::string> lines;
    for (int i = 0; i < 40; ++i) lines.push_back(fmt::format("Nothing much happens in part {}.", i));
    lines[7] = "The lighthouse was built in 1822.";
    lines[30] = "Ann lit a lamp every night.";
    const RowId id = add(report("The coast", lines));
    fit(id, 21);
    const auto passages = valueOf(passagesWithoutVector(*m_history, "bge", 4000));
    ASSERT_EQ(passages.size(), 16u) << "so many at once";
    const Turn before = askAbout({id}, "Who kept the lighthouse?");
    EXPECT_EQ(before.sought, "") << "nothing is known of what its passages mean";
    std::vector<PassageText> all;
    for (auto some = passages; !some.empty();
         some = valueOf(passagesWithoutVector(*m_history, "bge", 4000))) {
        all.insert(all.end(), some.begin(), some.end());
        ASSERT_TRUE(setPassageVectors(*m_history, "bge", vectorsOf(some, all.front().passage + 30)));
    }
    ASSERT_EQ(all.size(), 40u);
    EXPECT_TRUE(setDocumentsOf(*m_history, 0, std::vector{id}));
    const Question question{0, "Title", 0, said("Who kept the lighthouse?")};
    const Turn asked = valueOf(history::ask(*m_history, question, {kModel, "Model", {}, {}}));
    EXPECT_EQ(asked.sought, "Who kept the lighthouse?");
    const auto namesOf = [](const Message& message) {
        std::vector<std::string> names;
        for (const Part& part : message.parts)
            if (part.kind == PartKind::Source) names.push_back(part.data);
        return names;
    };
    EXPECT_THAT(namesOf(asked.branch[0]), ElementsAre("The coast, Chapter 8")) << "its word alone";
    const RowId answer = asked.branch.back().id;
    const Turn turn = valueOf(chooseAgain(*m_history, answer, {"bge", {1, 0}}));
    EXPECT_THAT(namesOf(turn.branch[0]),
                testing::IsSupersetOf({"The coast, Chapter 8", "The coast, Chapter 31"}));
    EXPECT_EQ(turn.branch[0].parts.back(), (Part{PartKind::Text, "Who kept the lighthouse?", ""}));
    EXPECT_EQ(valueOf(search(*m_history, "lamp", 5)).size(), 1u) << "it is found by what it holds now";
    // What the model sees and what a check of the answer finds is what is stored.
    reopen();
    const Turn again = valueOf(readAnswer(*m_history, turn.conversation.id, answer));
    EXPECT_EQ(again.branch[0].parts, turn.branch[0].parts);
    // A vector of another model, or of another width, says nothing.
    for (const TextVector& other : {TextVector{"e5", {1, 0}}, TextVector{"bge", {1, 0, 0}}}) {
        const Turn same = valueOf(chooseAgain(*m_history, answer, other));
        EXPECT_EQ(same.branch[0].parts, asked.branch[0].parts);
    }
}

TEST_F(Documents, WhatIsTypedIsNoQueryLanguage) {
    const RowId id = add(report("A report", {"one \"two\" three"}));
    for (const char* text : {"NEAR(", "\"", "a AND OR NOT", "col:one*", "\"one\" \"\"", "^"})
        EXPECT_EQ(askAbout({id}, text).branch[0].parts.size(), 2u) << text;
}

TEST_F(Documents, ARemovedDocumentStaysWhereItIsUsedAndThenGoesForGood) {
    const RowId id = add(report("Secret plan", {"the word is xylophone"}));
    fit(id);
    const Turn turn = askAbout({id}, "Which word?");
    ASSERT_TRUE(removeDocument(*m_history, id));
    shred();
    EXPECT_THAT(valueOf(documents(*m_history)), IsEmpty());
    EXPECT_EQ(count("readings"), 0);
    EXPECT_EQ(valueOf(documentsOf(*m_history, turn.conversation.id)), std::vector{id});
    EXPECT_EQ(valueOf(documentText(*m_history, id)), "the word is xylophone\n");
    EXPECT_EQ(add(report("It is back", {"the word is xylophone"})), id);
    EXPECT_EQ(valueOf(documents(*m_history)).size(), 1u);
    ASSERT_TRUE(removeDocument(*m_history, id));

    ASSERT_TRUE(trashConversation(*m_history, turn.conversation.id));
    shred();
    for (const char* table : {"documents", "passages", "passage_index", "files", "conversation_documents"})
        EXPECT_EQ(count(table), 0) << table;
    m_history.reset();
    EXPECT_FALSE(anyFileHolds("xylophone"));
    EXPECT_FALSE(anyFileHolds("Secret plan"));
    reopen();
    EXPECT_EQ(integrity(), "ok");
}

TEST_F(Documents, WhatANewConversationWillUseSurvivesARestart) {
    const RowId first = add(report("First", {"one"}));
    const RowId second = add(report("Second", {"two"}));
    ASSERT_TRUE(setDocumentsOf(*m_history, 0, std::vector{second, first}));
    reopen();
    EXPECT_THAT(valueOf(documentsOf(*m_history, 0)), ElementsAre(second, first));
    ASSERT_TRUE(removeDocument(*m_history, second));
    shred();
    EXPECT_THAT(valueOf(documentsOf(*m_history, 0)), ElementsAre(first)) << "the other one is gone";
}

TEST_F(Documents, WhatAConversationUsesCanBeChanged) {
    const RowId first = add(report("First", {"one"}));
    const RowId second = add(report("Second", {"two"}));
    ask();
    ASSERT_TRUE(setDocumentsOf(*m_history, m_conversation, std::vector{second, first}));
    EXPECT_THAT(valueOf(documentsOf(*m_history, m_conversation)), ElementsAre(second, first));
    EXPECT_FALSE(setDocumentsOf(*m_history, m_conversation, std::vector<RowId>{99})) << "there is none";
    EXPECT_THAT(valueOf(documentsOf(*m_history, m_conversation)), ElementsAre(second, first));
    ASSERT_TRUE(setDocumentsOf(*m_history, m_conversation, {}));
    EXPECT_THAT(valueOf(documentsOf(*m_history, m_conversation)), IsEmpty());
}

}  // namespace
}  // namespace ingle::history
