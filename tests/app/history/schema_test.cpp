#include "app/history/store/schema.h"
#include "app/history/chats/answers.h"
#include "app/history/opening.h"
#include "app/history/search/search.h"
#include "app/history/store/settings.h"
#include "app/history/trash/trash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/history/store/backups.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

class Schema : public HistoryFixture {
  protected:
    /// All migrations of the program and these.
    static std::vector<Migration> migrationsWith(std::initializer_list<Migration> more) {
        std::vector<Migration> all(allMigrations().begin(), allMigrations().end());
        all.insert(all.end(), more);
        return all;
    }
    static Status run(Database& file, const char* sql) {
        file.sqlite().exec(sql);
        return {};
    }
    int version() { return sqlite().execAndGet("PRAGMA user_version").getInt(); }
    Database& database() { return m_history->database(); }
};

TEST_F(Schema, ANewFileHasTheNewestVersionAndNoBackup) {
    EXPECT_EQ(version(), static_cast<int>(allMigrations().size()));
    EXPECT_FALSE(std::filesystem::exists(backupPath(m_path, 0)));
    EXPECT_EQ(sqlite().execAndGet("PRAGMA journal_mode").getString(), "wal");
    EXPECT_EQ(sqlite().execAndGet("PRAGMA secure_delete").getInt(), 1);
    EXPECT_EQ(sqlite().execAndGet("PRAGMA foreign_keys").getInt(), 1);
}

TEST_F(Schema, AMigrationRunsAfterAPrivateBackup) {
    ask("kept through the migration");
    const int before = version();
    const auto migrations =
        migrationsWith({{"ALTER TABLE messages ADD COLUMN mood TEXT;"},
                        {"UPDATE messages SET mood = 'calm';",
                         [](Database& file) { return run(file, "CREATE TABLE extra (x)"); },
                         "INSERT INTO extra VALUES (1);"}});
    ASSERT_TRUE(migrate(database(), before, migrations));
    EXPECT_EQ(version(), before + 2);
    EXPECT_EQ(sqlite().execAndGet("SELECT mood FROM messages").getString(), "calm");
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM extra").getInt(), 1);
    EXPECT_EQ(sqlite().execAndGet("PRAGMA foreign_keys").getInt(), 1);

    const std::string backup = backupPath(m_path, before);
    struct stat status {};
    ASSERT_EQ(::stat(backup.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    SQLite::Database copy(backup, SQLite::OPEN_READONLY);
    EXPECT_EQ(copy.execAndGet("PRAGMA user_version").getInt(), before);
    EXPECT_EQ(copy.execAndGet("SELECT text FROM parts").getString(), "kept through the migration");
}

TEST_F(Schema, AFailedMigrationLeavesTheFileAsItWas) {
    ask("still here");
    const int before = version();
    const auto migrated =
        migrate(database(), before, migrationsWith({{"CREATE TABLE extra (x);"}, {"NONSENSE;"}}));
    ASSERT_FALSE(migrated);
    EXPECT_EQ(version(), before);
    EXPECT_FALSE(sqlite().tableExists("extra"));
    reopen();
    EXPECT_EQ(allText(valueOf(history::branch(*m_history, m_conversation, 0))[0]), "still here");
}

TEST_F(Schema, AFileOfANewerVersionIsReadOnly) {
    ask("readable");
    const RowId answer = beginAnswer();
    ASSERT_TRUE(appendAnswer(*m_history, answer, piece("partly"), {1}, ""));
    sqlite().exec("PRAGMA user_version = 999");
    reopen();
    EXPECT_TRUE(m_history->refusal());
    const auto branch = valueOf(history::branch(*m_history, m_conversation, 0));
    ASSERT_EQ(branch.size(), 2u);
    EXPECT_EQ(allText(branch[0]), "readable");
    EXPECT_EQ(allText(branch[1]), "partly");
    EXPECT_EQ(branch[1].status, MessageStatus::Interrupted);
    EXPECT_EQ(valueOf(search(*m_history, "readable", 5)).size(), 1u);
    const auto refused = addUserMessage(*m_history, m_conversation, 0, said("no"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("newer version"));
    EXPECT_FALSE(setSetting(*m_history, "a", "b"));
    EXPECT_FALSE(emptyTrash(*m_history));
}

TEST_F(Schema, AMigrationAsksForRoomFirst) {
    EXPECT_TRUE(askForRoom(m_path, 1));
    const auto refused = askForRoom(m_path, ~uint64_t{0});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Io);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("MB are free"));
}

TEST_F(Schema, TheDocumentationNamesEveryTableAndColumn) {
    std::ifstream file(INGLE_SOURCE_DIR "/docs/history-schema.md");
    const std::string page(std::istreambuf_iterator<char>(file), {});
    SQLite::Statement column(sqlite(),
                             "SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) c "
                             "WHERE t.type IN ('table', 'virtual') AND t.name NOT LIKE 'sqlite_%'");
    int columns = 0;
    for (; column.executeStep(); ++columns) {
        const std::string table = column.getColumn(0).getString();
        const size_t section = page.find("## " + table + "\n");
        ASSERT_NE(section, std::string::npos) << table;
        const std::string text = page.substr(section, page.find("\n## ", section) - section);
        const std::string name = column.getColumn(1).getString();
        EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << table << "." << name;
    }
    EXPECT_GT(columns, 40);
}

TEST_F(Schema, OtherFilesAreRefused) {
    m_history.reset();
    const std::string other = m_dir + "/other.db";
    SQLite::Database(other, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (x)");
    EXPECT_EQ(openHistory(other).error().code, ErrorCode::Corrupt);
    std::ofstream(m_dir + "/text.db") << std::string(5000, 't');
    EXPECT_EQ(openHistory(m_dir + "/text.db").error().code, ErrorCode::Corrupt);
    EXPECT_EQ(openHistory(m_dir).error().code, ErrorCode::Io);
    EXPECT_EQ(openHistory("/proc/nowhere/history.db").error().code, ErrorCode::Io);
}

}  // namespace
}  // namespace ingle::history
