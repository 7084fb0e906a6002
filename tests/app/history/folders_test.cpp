/// Folders, the archive, branches in conversations of their own, and searches that are narrowed.
#include <gmock/gmock.h>

#include "app/history/turns.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

using testing::ElementsAre;

class Folders : public HistoryFixture {
  protected:
    RowId begin(const std::string& title) { return valueOf(m_history->createConversation(title, "model")); }
    RowId folderOf(RowId conversation) { return valueOf(m_history->conversation(conversation)).folder; }
};

TEST_F(Folders, HoldConversationsAndARule) {
    const RowId one = begin("one"), two = begin("two"), three = begin("three");
    const RowId folder = valueOf(m_history->createFolder("Work"));
    ASSERT_TRUE(m_history->moveToFolder(std::vector{one, two}, folder));
    const Profile profile{.systemPrompt = "Be brief.", .temperature = 0.25};
    ASSERT_TRUE(m_history->setFolderProfile(folder, profile));
    ASSERT_TRUE(m_history->renameFolder(folder, "Paid work"));
    reopen();
    const auto folders = valueOf(m_history->folders());
    ASSERT_EQ(folders.size(), 1u);
    EXPECT_EQ(folders[0].name, "Paid work");
    EXPECT_EQ(folders[0].profile, profile);
    EXPECT_EQ(folderOf(two), folder);
    EXPECT_EQ(folderOf(three), 0);
    EXPECT_EQ(valueOf(readTurn(*m_history, one, 0)).profile, profile);
    EXPECT_EQ(valueOf(readTurn(*m_history, three, 0)).profile, Profile{});
    ASSERT_TRUE(m_history->moveToFolder(std::vector{one}, 0));
    EXPECT_EQ(folderOf(one), 0);
}

TEST_F(Folders, ThatAreDeletedKeepTheirConversationsAndComeBackWhole) {
    const RowId one = begin("one");
    const RowId folder = valueOf(m_history->createFolder("Work"));
    const Profile profile{.systemPrompt = "Be brief."};
    ASSERT_TRUE(m_history->moveToFolder(std::vector{one}, folder));
    ASSERT_TRUE(m_history->setFolderProfile(folder, profile));
    const RemovedFolder removed = valueOf(m_history->removeFolder(folder));
    EXPECT_TRUE(valueOf(m_history->folders()).empty());
    EXPECT_EQ(folderOf(one), 0);
    EXPECT_EQ(valueOf(m_history->folderProfile(folder)), Profile{});
    ASSERT_TRUE(m_history->restoreFolder(removed));
    EXPECT_EQ(folderOf(one), folder);
    EXPECT_EQ(valueOf(m_history->folderProfile(folder)), profile);
    EXPECT_FALSE(m_history->removeFolder(12345));
}

TEST_F(Folders, AMoveIsAllOrNothing) {
    const RowId one = begin("one");
    const RowId folder = valueOf(m_history->createFolder("Work"));
    EXPECT_FALSE(m_history->moveToFolder(std::vector{one, RowId{12345}}, folder));
    EXPECT_EQ(folderOf(one), 0);
    EXPECT_FALSE(m_history->setArchived(std::vector{one, RowId{12345}}, 7));
    EXPECT_EQ(valueOf(m_history->conversation(one)).archivedMs, 0);
    EXPECT_FALSE(m_history->moveToFolder(std::vector{one}, 12345)) << "there is no such folder";
}

TEST_F(Folders, TheArchiveIsLeftByMoving) {
    const RowId one = begin("one"), two = begin("two");
    ASSERT_TRUE(m_history->setArchived(std::vector{one, two}, 7));
    EXPECT_EQ(valueOf(m_history->conversation(two)).archivedMs, 7);
    ASSERT_TRUE(m_history->setArchived(std::vector{one}, 0));
    EXPECT_EQ(valueOf(m_history->conversation(one)).archivedMs, 0);
    ASSERT_TRUE(m_history->moveToFolder(std::vector{two}, valueOf(m_history->createFolder("Work"))));
    EXPECT_EQ(valueOf(m_history->conversation(two)).archivedMs, 0);
}

TEST_F(Folders, ABranchGoesOnInAConversationOfItsOwn) {
    ask("What burns?");
    const RowId answer = beginAnswer();
    ASSERT_TRUE(m_history->appendAnswer(answer, piece("A birch."), {4, 5}, ""));
    EXPECT_FALSE(m_history->copyBranch(answer)) << "it is being written";
    ASSERT_TRUE(m_history->finishAnswer(answer, {}));
    valueOf(m_history->addUserMessage(m_conversation, m_question, said("Another branch")));
    valueOf(m_history->addUserMessage(m_conversation, answer, said("What stands below")));
    const RowId folder = valueOf(m_history->createFolder("Work"));
    ASSERT_TRUE(m_history->moveToFolder(std::vector{m_conversation}, folder));

    const RowId copy = valueOf(m_history->copyBranch(answer));
    const auto messages = valueOf(m_history->branch(copy, 0));
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(allText(messages[0]), "What burns?");
    EXPECT_EQ(allText(messages[1]), "A birch.");
    EXPECT_EQ(messages[1].tokenIds, (std::vector<TokenId>{4, 5}));
    EXPECT_EQ(messages[1].parent, messages[0].id);
    EXPECT_EQ(messages[1].siblingCount, 1);
    EXPECT_EQ(folderOf(copy), folder);
    EXPECT_EQ(valueOf(m_history->conversation(copy)).title, "Title");
    // It is found by itself, and nothing of the other one is another now.
    EXPECT_THAT(valueOf(m_history->findIn(copy, "birch")), ElementsAre(messages[1].id));
    EXPECT_EQ(valueOf(m_history->branch(m_conversation, 0)).size(), 3u);
    EXPECT_EQ(integrity(), "ok");
    EXPECT_FALSE(m_history->copyBranch(12345));
}

TEST_F(Folders, SearchesAreNarrowed) {
    ask("needle asked");
    const RowId answer = beginAnswer();
    ASSERT_TRUE(m_history->appendAnswer(answer, piece("needle answered"), {}, ""));
    ASSERT_TRUE(m_history->finishAnswer(answer, {}));
    const RowId first = m_conversation, question = m_question;
    const RowId named = begin("needle, a title");
    const RowId folder = valueOf(m_history->createFolder("Work"));
    ASSERT_TRUE(m_history->moveToFolder(std::vector{named}, folder));
    const auto found = [&](const SearchFilter& filter) {
        std::vector<RowId> hits;
        for (const SearchHit& hit : valueOf(m_history->search("needle", 10, filter)))
            hits.push_back(hit.message != 0 ? hit.message : -hit.conversation);
        return hits;
    };
    EXPECT_THAT(found({}), ElementsAre(-named, answer, question));
    EXPECT_THAT(found({.role = Role::User, .modelId = {}}), ElementsAre(question));
    EXPECT_THAT(found({.role = Role::Assistant, .modelId = {}}), ElementsAre(answer));
    EXPECT_THAT(found({.role = {}, .modelId = "model"}), ElementsAre(answer));
    EXPECT_THAT(found({.role = {}, .modelId = "other"}), testing::IsEmpty());
    EXPECT_THAT(found({.role = {}, .modelId = {}, .folder = folder}), ElementsAre(-named));
    sqlite().exec(fmt::format("UPDATE messages SET created_ms = 5 WHERE id = {}", question));
    sqlite().exec(fmt::format("UPDATE conversations SET updated_ms = 5 WHERE id = {}", named));
    EXPECT_THAT(found({.role = {}, .modelId = {}, .folder = 0, .sinceMs = 6}), ElementsAre(answer));
    EXPECT_THAT(found({.role = {}, .modelId = {}, .folder = 0, .sinceMs = 5}),
                ElementsAre(-named, answer, question));
    const auto models = valueOf(m_history->models());
    ASSERT_EQ(models.size(), 1u);
    EXPECT_EQ(models[0].name, "Model");
    EXPECT_EQ(folderOf(first), 0);
}

}  // namespace
}  // namespace ingle::history
