/// Folders, the archive, branches in conversations of their own, and searches that are narrowed.
#include <gmock/gmock.h>

#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/folders.h"
#include "app/history/search/search.h"
#include "app/history/turns.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

using testing::ElementsAre;

class Folders : public HistoryFixture {
  protected:
    RowId begin(const std::string& title) { return valueOf(createConversation(*m_history, title, "model")); }
    RowId folderOf(RowId conversation) {
        return valueOf(history::conversation(*m_history, conversation)).folder;
    }
};

TEST_F(Folders, HoldConversationsAndARule) {
    const RowId one = begin("one"), two = begin("two"), three = begin("three");
    const RowId folder = valueOf(createFolder(*m_history, "Work"));
    ASSERT_TRUE(moveToFolder(*m_history, std::vector{one, two}, folder));
    const Profile profile{.systemPrompt = "Be brief.", .temperature = 0.25};
    ASSERT_TRUE(setFolderProfile(*m_history, folder, profile));
    ASSERT_TRUE(renameFolder(*m_history, folder, "Paid work"));
    reopen();
    const auto folders = valueOf(history::folders(*m_history));
    ASSERT_EQ(folders.size(), 1u);
    EXPECT_EQ(folders[0].name, "Paid work");
    EXPECT_EQ(folders[0].profile, profile);
    EXPECT_EQ(folderOf(two), folder);
    EXPECT_EQ(folderOf(three), 0);
    EXPECT_EQ(valueOf(readTurn(*m_history, one, 0)).profile, profile);
    EXPECT_EQ(valueOf(readTurn(*m_history, three, 0)).profile, Profile{});
    ASSERT_TRUE(moveToFolder(*m_history, std::vector{one}, 0));
    EXPECT_EQ(folderOf(one), 0);
}

TEST_F(Folders, ThatAreDeletedKeepTheirConversationsAndComeBackWhole) {
    const RowId one = begin("one");
    const RowId folder = valueOf(createFolder(*m_history, "Work"));
    const Profile profile{.systemPrompt = "Be brief."};
    ASSERT_TRUE(moveToFolder(*m_history, std::vector{one}, folder));
    ASSERT_TRUE(setFolderProfile(*m_history, folder, profile));
    const RemovedFolder removed = valueOf(removeFolder(*m_history, folder));
    EXPECT_TRUE(valueOf(history::folders(*m_history)).empty());
    EXPECT_EQ(folderOf(one), 0);
    EXPECT_EQ(valueOf(folderProfile(*m_history, folder)), Profile{});
    ASSERT_TRUE(restoreFolder(*m_history, removed));
    EXPECT_EQ(folderOf(one), folder);
    EXPECT_EQ(valueOf(folderProfile(*m_history, folder)), profile);
    EXPECT_FALSE(removeFolder(*m_history, 12345));
}

TEST_F(Folders, AMoveIsAllOrNothing) {
    const RowId one = begin("one");
    const RowId folder = valueOf(createFolder(*m_history, "Work"));
    EXPECT_FALSE(moveToFolder(*m_history, std::vector{one, RowId{12345}}, folder));
    EXPECT_EQ(folderOf(one), 0);
    EXPECT_FALSE(setArchived(*m_history, std::vector{one, RowId{12345}}, 7));
    EXPECT_EQ(valueOf(history::conversation(*m_history, one)).archivedMs, 0);
    EXPECT_FALSE(moveToFolder(*m_history, std::vector{one}, 12345)) << "there is no such folder";
}

TEST_F(Folders, TheArchiveIsLeftByMoving) {
    const RowId one = begin("one"), two = begin("two");
    ASSERT_TRUE(setArchived(*m_history, std::vector{one, two}, 7));
    EXPECT_EQ(valueOf(history::conversation(*m_history, two)).archivedMs, 7);
    ASSERT_TRUE(setArchived(*m_history, std::vector{one}, 0));
    EXPECT_EQ(valueOf(history::conversation(*m_history, one)).archivedMs, 0);
    ASSERT_TRUE(moveToFolder(*m_history, std::vector{two}, valueOf(createFolder(*m_history, "Work"))));
    EXPECT_EQ(valueOf(history::conversation(*m_history, two)).archivedMs, 0);
}

TEST_F(Folders, ABranchGoesOnInAConversationOfItsOwn) {
    ask("What burns?");
    const RowId answer = beginAnswer();
    ASSERT_TRUE(appendAnswer(*m_history, answer, piece("A birch."), {4, 5}, ""));
    EXPECT_FALSE(copyBranch(*m_history, answer)) << "it is being written";
    ASSERT_TRUE(finishAnswer(*m_history, answer, {}));
    valueOf(addUserMessage(*m_history, m_conversation, m_question, said("Another branch")));
    valueOf(addUserMessage(*m_history, m_conversation, answer, said("What stands below")));
    const RowId folder = valueOf(createFolder(*m_history, "Work"));
    ASSERT_TRUE(moveToFolder(*m_history, std::vector{m_conversation}, folder));

    const RowId copy = valueOf(copyBranch(*m_history, answer));
    const auto messages = valueOf(branch(*m_history, copy, 0));
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(allText(messages[0]), "What burns?");
    EXPECT_EQ(allText(messages[1]), "A birch.");
    EXPECT_EQ(messages[1].tokenIds, (std::vector<TokenId>{4, 5}));
    EXPECT_EQ(messages[1].parent, messages[0].id);
    EXPECT_EQ(messages[1].siblingCount, 1);
    EXPECT_EQ(folderOf(copy), folder);
    EXPECT_EQ(valueOf(history::conversation(*m_history, copy)).title, "Title");
    // It is found by itself, and nothing of the other one is another now.
    EXPECT_THAT(valueOf(findIn(*m_history, copy, "birch")), ElementsAre(messages[1].id));
    EXPECT_EQ(valueOf(branch(*m_history, m_conversation, 0)).size(), 3u);
    EXPECT_EQ(integrity(), "ok");
    EXPECT_FALSE(copyBranch(*m_history, 12345));
}

TEST_F(Folders, SearchesAreNarrowed) {
    ask("needle asked");
    const RowId answer = beginAnswer();
    ASSERT_TRUE(appendAnswer(*m_history, answer, piece("needle answered"), {}, ""));
    ASSERT_TRUE(finishAnswer(*m_history, answer, {}));
    const RowId first = m_conversation, question = m_question;
    const RowId named = begin("needle, a title");
    const RowId folder = valueOf(createFolder(*m_history, "Work"));
    ASSERT_TRUE(moveToFolder(*m_history, std::vector{named}, folder));
    const auto found = [&](const SearchFilter& filter) {
        std::vector<RowId> hits;
        for (const SearchHit& hit : valueOf(search(*m_history, "needle", 10, filter)))
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
    const auto models = valueOf(history::models(*m_history));
    ASSERT_EQ(models.size(), 1u);
    EXPECT_EQ(models[0].name, "Model");
    EXPECT_EQ(folderOf(first), 0);
}

}  // namespace
}  // namespace ingle::history
