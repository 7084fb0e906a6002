// Backups count only once they were read through, and what they hold can be taken back.
#include "app/history/chats/conversations.h"
#include "app/history/opening.h"
#include "app/history/store/copies.h"
#include "app/history/store/sole_use.h"
#include "app/history/trash/trash.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

class Backups : public HistoryFixture {};

TEST_F(Backups, severalAreKeptAndOneIsRestored) {
    ask("First");
    const Backup first = valueOf(makeBackup(m_path));
    EXPECT_GT(first.bytes, 0u);
    ask("Second");
    const auto both = valueOf(conversations(*m_history)).size();
    for (size_t i = 1; i < kKeptBackups; ++i) (void)valueOf(makeBackup(m_path));  // looked at below
    EXPECT_EQ(valueOf(backupsBeside(m_path)).size(), kKeptBackups);
    EXPECT_EQ(valueOf(backupsBeside(m_path)).back().path, first.path);
    m_history.reset();
    const std::string aside = valueOf(restoreBackup(m_path, first.path));
    reopen();
    EXPECT_EQ(both, 2u);
    EXPECT_EQ(valueOf(conversations(*m_history)).size(), 1u);
    EXPECT_EQ(valueOf(conversations(*valueOf(openHistory(aside)))).size(), 2u);
    (void)valueOf(makeBackup(m_path));  // one more than are kept
    EXPECT_EQ(valueOf(backupsBeside(m_path)).size(), kKeptBackups);
    EXPECT_FALSE(std::filesystem::exists(first.path));
}

TEST_F(Backups, aDamagedOneIsToldAndRestoresNothing) {
    for (int i = 0; i < 50; ++i) ask("Words " + std::string(2000, 'x'));
    const Backup backup = valueOf(makeBackup(m_path));
    std::fstream file(backup.path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(backup.bytes / 2));
    file << std::string(8192, '\xff');
    file.close();
    m_history.reset();
    const auto restored = restoreBackup(m_path, backup.path);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, ErrorCode::Corrupt);
    reopen();
    EXPECT_EQ(valueOf(conversations(*m_history)).size(), 50u);
}

TEST_F(Backups, aKilledRestoreIsFinishedOrWasNone) {
    ask("First");
    const Backup first = valueOf(makeBackup(m_path));
    ask("Second");
    m_history.reset();
    // Killed before the history made room: it stays, and what was copied goes.
    const std::string copy = valueOf(prepareRestore(m_path, first.path));
    reopen();
    EXPECT_EQ(valueOf(conversations(*m_history)).size(), 2u);
    EXPECT_FALSE(std::filesystem::exists(copy));
    m_history.reset();
    // Killed behind that: the copy takes its place.
    EXPECT_EQ(valueOf(prepareRestore(m_path, first.path)), copy);
    std::filesystem::rename(m_path, m_path + ".before-restore-1");
    reopen();
    EXPECT_EQ(valueOf(conversations(*m_history)).size(), 1u);
    EXPECT_EQ(valueOf(conversations(*valueOf(openHistory(m_path + ".before-restore-1")))).size(), 2u);
    m_history.reset();
    // Half a copy is none.
    std::filesystem::rename(m_path, m_path + ".before-restore-2");
    std::ofstream(copy) << "SQLite format 3";
    reopen();
    EXPECT_EQ(valueOf(conversations(*m_history)).size(), 0u);
    EXPECT_FALSE(std::filesystem::exists(copy));
}

TEST_F(Backups, whatIsDeletedForGoodLeavesThemToo) {
    ask("unmistakable");
    (void)valueOf(makeBackup(m_path));  // looked for below
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    shred();
    EXPECT_FALSE(anyFileHolds("unmistakable"));
}

TEST_F(Backups, whoHasTheHistoryOpenIsSeen) {
    ask();
    const Status taken = checkSoleUse(m_path);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().message, "Inglenook has the history open. Close its window first.");
    m_history.reset();
    EXPECT_TRUE(checkSoleUse(m_path));
    EXPECT_TRUE(checkSoleUse(m_dir + "/none.db"));
    reopen();
    EXPECT_EQ(valueOf(conversations(*m_history)).size(), 1u);
}

}  // namespace
}  // namespace ingle::history
