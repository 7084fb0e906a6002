/// What must survive: killed writers, full disks, other readers, damaged files; and what must not: deleted
/// text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <random>
#include <thread>

#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/opening.h"
#include "app/history/search/search.h"
#include "app/history/store/backups.h"
#include "app/history/store/schema.h"
#include "app/history/trash/shredding.h"
#include "app/history/trash/trash.h"
#include "ingle/error_ids.h"
#include "tests/app/history/history_fixture.h"
#include "tests/full_disk.h"

namespace {

std::atomic<int> flushes{0};
std::atomic<int> readsThatFail{0};

/// In place of SQLite's own call.
ssize_t readOrFail(int fd, void* bytes, size_t count, off_t offset) {
    if (readsThatFail > 0 && readsThatFail-- > 0) {
        errno = EIO;
        return -1;
    }
    return ::pread(fd, bytes, count, offset);
}

}  // namespace

/// In place of the system's for SQLite, too: a name that the program has itself comes first.
extern "C" [[gnu::visibility("default")]] int fdatasync(int fd) {
    ++flushes;
    return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

namespace ingle::history {
namespace {

using namespace std::chrono_literals;

using DurableHistory = HistoryFixture;

std::string chunkText(uint32_t number) {
    return fmt::format("chunk {} of 漢字. ", number);
}

/// Streams numbered chunks without end and reports each on `pipe` once it is stored.
[[noreturn]] void streamForever(const std::string& path, RowId conversation, RowId question, int pipe) {
    auto history = openHistory(path);
    if (!history) ::_exit(1);
    const auto answer = history::beginAnswer(**history, conversation, question, "m", "M", {});
    if (!answer) ::_exit(1);
    for (uint32_t number = 0;; ++number) {
        const auto id = static_cast<TokenId>(number);
        if (!appendAnswer(**history, *answer, piece(chunkText(number)), {id}, "")) ::_exit(1);
        if (::write(pipe, &number, sizeof number) != sizeof number) ::_exit(1);
    }
}

TEST_F(DurableHistory, EveryAcknowledgedChunkSurvivesAKilledWriter) {
    ask();
    std::mt19937 random(7);
    for (int round = 0; round < 10; ++round) {
        m_history.reset();
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ::close(ends[0]);
            streamForever(m_path, m_conversation, m_question, ends[1]);
        }
        ::close(ends[1]);
        uint32_t last = 0;
        ASSERT_EQ(::read(ends[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
        ::usleep(random() % 40'000);
        ::kill(child, SIGKILL);
        while (::read(ends[0], &last, sizeof last) == static_cast<ssize_t>(sizeof last)) {
        }
        ::close(ends[0]);
        ::waitpid(child, nullptr, 0);

        reopen();
        EXPECT_EQ(integrity(), "ok");
        const Message answer = valueOf(history::branch(*m_history, m_conversation, 0)).back();
        EXPECT_EQ(answer.status, MessageStatus::Interrupted);
        std::string acknowledged;
        for (uint32_t number = 0; number <= last; ++number) acknowledged += chunkText(number);
        EXPECT_TRUE(allText(answer).starts_with(acknowledged))
            << "round " << round << ", " << last << " chunks";
        ASSERT_GE(answer.tokenIds.size(), last + 1);
        for (uint32_t number = 0; number <= last; ++number) {
            ASSERT_EQ(answer.tokenIds[number], static_cast<TokenId>(number));
        }
    }
}

TEST_F(DurableHistory, AFullDiskIsSaidAndLosesNothing) {
    ask();
    const RowId answer = beginAnswer();
    const auto pages = sqlite().execAndGet("PRAGMA page_count").getInt();
    sqlite().exec(fmt::format("PRAGMA max_page_count = {}", pages + 8));
    const std::string chunk(1000, 'x');
    std::string stored;
    Status appended;
    for (int i = 0; i < 200 && appended; ++i) {
        appended = appendAnswer(*m_history, answer, piece(chunk), {i}, "");
        if (appended) stored += chunk;
    }
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().code, ErrorCode::Io);
    EXPECT_THAT(appended.error().message, testing::HasSubstr("disk is full"));
    EXPECT_FALSE(stored.empty());
    const auto refused = addUserMessage(*m_history, m_conversation, answer, said(std::string(20'000, 'y')));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("disk is full"));
    EXPECT_EQ(allText(valueOf(message(*m_history, answer))), stored);

    sqlite().exec("PRAGMA max_page_count = 1000000");  // room again
    ASSERT_TRUE(appendAnswer(*m_history, answer, piece("the end"), {1}, ""));
    ASSERT_TRUE(finishAnswer(*m_history, answer, {}));
    EXPECT_EQ(allText(valueOf(message(*m_history, answer))), stored + "the end");
    EXPECT_EQ(integrity(), "ok");
}

TEST_F(DurableHistory, AnEndThatFailsOnAFullDiskMayBeRepeated) {
    ask();
    const RowId answer = beginAnswer();
    const std::string chunk(30'000, 'x');
    ASSERT_TRUE(appendAnswer(*m_history, answer, piece(chunk), {1}, ""));
    // Room for the last small piece, not for moving the whole text into the message.
    const auto pages = sqlite().execAndGet("PRAGMA page_count").getInt();
    sqlite().exec(fmt::format("PRAGMA max_page_count = {}", pages + 2));
    const AnswerEnd end{.pieces = piece("the end"), .ids = {2}};
    ASSERT_FALSE(finishAnswer(*m_history, answer, end));
    EXPECT_EQ(allText(valueOf(message(*m_history, answer))), chunk);

    sqlite().exec("PRAGMA max_page_count = 1000000");  // room again
    ASSERT_TRUE(finishAnswer(*m_history, answer, end));
    EXPECT_EQ(allText(valueOf(message(*m_history, answer))), chunk + "the end");
    EXPECT_THAT(valueOf(message(*m_history, answer)).tokenIds, testing::ElementsAre(1, 2));
}

TEST_F(DurableHistory, DeletedTextIsInNoFile) {
    ask("the heliotrope sentence nobody may read");
    const RowId answer = beginAnswer();
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(appendAnswer(*m_history, answer, piece("a reply about zirconium "), {i}, "withheldium"));
    }
    ASSERT_TRUE(finishAnswer(*m_history, answer, {.error = Error{ErrorCode::Io, "errorium"}}));
    ASSERT_TRUE(setDraft(*m_history, m_conversation, "a draftium"));
    ASSERT_TRUE(renameConversation(*m_history, m_conversation, "a titlium"));
    std::ofstream(m_path + ".backup-v1") << "a backup with zirconium";
    const RowId kept = valueOf(createConversation(*m_history, "kept", ""));
    ASSERT_TRUE(addUserMessage(*m_history, kept, 0, said("the obsidian sentence stays")));
    const std::vector<std::string> secrets{"heliotrope", "zirconium", "withheldium",
                                           "errorium",   "draftium",  "titlium"};
    for (const std::string& secret : secrets) EXPECT_TRUE(anyFileHolds(secret)) << secret;

    shred();
    EXPECT_TRUE(anyFileHolds("a backup")) << "nothing was deleted yet";
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    for (const std::string& secret : secrets) EXPECT_TRUE(anyFileHolds(secret)) << secret;
    shred();
    EXPECT_FALSE(anyFileHolds("a backup"));
    for (const std::string& secret : secrets) EXPECT_FALSE(anyFileHolds(secret)) << secret;
    EXPECT_TRUE(anyFileHolds("obsidian"));
    EXPECT_EQ(valueOf(search(*m_history, "obsidian", 5)).size(), 1u);
    EXPECT_TRUE(valueOf(search(*m_history, "zirconium", 5)).empty());
    EXPECT_EQ(integrity(), "ok");
    reopen();
    for (const std::string& secret : secrets) EXPECT_FALSE(anyFileHolds(secret)) << secret;
}

TEST_F(DurableHistory, ShreddingWaitsForWhoeverReadsDeletedText) {
    ask("the heliotrope sentence");
    SQLite::Database reader(m_path, SQLite::OPEN_READONLY);
    reader.exec("BEGIN");
    EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM messages").getInt(), 1);
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    ASSERT_TRUE(emptyTrash(*m_history));
    ShredState state = ShredState::Working;
    while (state == ShredState::Working)
        state = valueOf(shredSlice(*m_history, std::chrono::milliseconds(5)));
    EXPECT_EQ(state, ShredState::Waiting);
    EXPECT_TRUE(m_history->mayShred());
    reader.exec("COMMIT");
    shred();
    EXPECT_FALSE(m_history->mayShred());
    EXPECT_FALSE(anyFileHolds("heliotrope"));
}

TEST_F(DurableHistory, ShreddingGoesOnAfterARestartAtEverySlice) {
    // Enough for segments of the index that one slice does not merge.
    ask("the heliotrope sentence");
    for (int i = 0; i < 40; ++i) {
        const auto added =
            addUserMessage(*m_history, m_conversation, 0, said(fmt::format("zirconium {}", i)));
        ASSERT_TRUE(added);
    }
    const RowId kept = valueOf(createConversation(*m_history, "kept", ""));
    ASSERT_TRUE(addUserMessage(*m_history, kept, 0, said("the obsidian sentence stays")));
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    ASSERT_TRUE(emptyTrash(*m_history));
    EXPECT_TRUE(valueOf(trash(*m_history)).empty());
    EXPECT_FALSE(restoreConversation(*m_history, m_conversation)) << "it is being removed";
    int slices = 0;
    while (valueOf(shredSlice(*m_history, std::chrono::milliseconds(0))) == ShredState::Working) {
        ++slices;
        reopen();
    }
    EXPECT_GT(slices, 5);
    for (const char* secret : {"heliotrope", "zirconium"}) EXPECT_FALSE(anyFileHolds(secret)) << secret;
    EXPECT_EQ(valueOf(search(*m_history, "obsidian", 5)).size(), 1u);
    EXPECT_EQ(integrity(), "ok");
    EXPECT_NO_THROW(sqlite().exec("INSERT INTO search_index (search_index) VALUES ('integrity-check')"));
}

TEST_F(DurableHistory, NoSliceOfShreddingTakesAllConversations) {
    ASSERT_TRUE(m_history->atOnce([&]() -> Status {
        for (int i = 0; i < 60; ++i) {
            INGLE_TRY_ASSIGN(const RowId id, createConversation(*m_history, "heliotrope", ""));
            INGLE_TRY(trashConversation(*m_history, id));
        }
        return {};
    }));
    EXPECT_GT(shred(std::chrono::milliseconds(0)), 60);
    EXPECT_FALSE(anyFileHolds("heliotrope"));
}

TEST_F(DurableHistory, AFreshBackupThatCannotBeMadeLeavesTheOldOnes) {
    ask();
    std::ofstream(m_path + ".backup-v1") << "old";
    std::filesystem::create_directory(m_path + ".new-backup");  // in the way
    EXPECT_FALSE(replaceBackups(m_path));
    EXPECT_TRUE(std::filesystem::exists(m_path + ".backup-v1")) << "it may be all there is";
    std::filesystem::remove(m_path + ".new-backup");
    EXPECT_TRUE(replaceBackups(m_path));
    EXPECT_FALSE(std::filesystem::exists(m_path + ".backup-v1"));
    const auto copy = valueOf(openReader(backupPath(m_path, static_cast<int>(allMigrations().size()))));
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(valueOf(conversations(*copy)).size(), 1u);
}

TEST_F(DurableHistory, ABackupThatAKilledProgramLeftUnnamedGoesLikeTheOthers) {
    ask();
    std::ofstream(m_path + ".new-backup") << "heliotrope";
    EXPECT_TRUE(valueOf(hasBackups(m_path)));
    ASSERT_TRUE(removeBackups(m_path));
    EXPECT_FALSE(anyFileHolds("heliotrope"));
    ASSERT_TRUE(replaceBackups(m_path));
    EXPECT_FALSE(std::filesystem::exists(m_path + ".new-backup"));
    EXPECT_TRUE(std::filesystem::exists(backupPath(m_path, static_cast<int>(allMigrations().size()))));
}

TEST_F(DurableHistory, StreamedTextReachesTheDiskWithinASecond) {
    ask();
    const RowId answer = beginAnswer();
    const auto append = [&](int number) {
        ASSERT_TRUE(appendAnswer(*m_history, answer, piece("word "), {number}, ""));
    };
    append(0);
    const int before = flushes;
    const auto began = std::chrono::steady_clock::now();
    for (int number = 1; std::chrono::steady_clock::now() - began < 2s; ++number) {
        append(number);
        std::this_thread::sleep_for(5ms);
    }
    // Each second, and not with each of some hundred tokens; bringing the log into the file takes three.
    EXPECT_GE(flushes - before, 2);
    EXPECT_LE(flushes - before, 8);
    // What is written last is not left to the next token.
    append(-1);
    const int last = flushes;
    for (int look = 0; look < 10; ++look) {
        const auto rest = valueOf(m_history->syncWhenDue());
        if (!rest) break;
        EXPECT_LE(*rest, 1s);
        std::this_thread::sleep_for(*rest);
    }
    EXPECT_EQ(flushes - last, 1);
    EXPECT_EQ(valueOf(m_history->syncWhenDue()), std::nullopt);
}

TEST_F(DurableHistory, OnAFullDiskItOpensToBeRead) {
    ask("the heliotrope sentence");
    beginAnswer();
    m_history->database().setLogPages(1 << 30);
    ASSERT_TRUE(addUserMessage(*m_history, m_conversation, 0, said("only the log has this")));
    // As a killed window leaves it, with its log.
    const std::string left = m_dir + "/left/history.db";
    std::filesystem::create_directory(m_dir + "/left");
    for (const char* suffix : {"", "-wal"}) std::filesystem::copy_file(m_path + suffix, left + suffix);
    {
        const FullDisk full;
        const auto history = valueOf(openHistory(left));
        ASSERT_NE(history, nullptr);
        ASSERT_TRUE(history->refusal());
        EXPECT_EQ(errorIdOf(*history->refusal()), ErrorId::DiskFull);
        const auto reader = valueOf(openReader(left));
        ASSERT_NE(reader, nullptr);
        EXPECT_EQ(valueOf(search(*reader, "heliotrope", 5)).size(), 1u);
        EXPECT_EQ(valueOf(search(*history, "only", 5)).size(), 1u);
        const auto added = addUserMessage(*history, m_conversation, 0, said("more"));
        ASSERT_FALSE(added);
        EXPECT_EQ(errorIdOf(added.error()), ErrorId::DiskFull);
    }
    const auto again = valueOf(openHistory(left));
    ASSERT_NE(again, nullptr);
    EXPECT_FALSE(again->refusal());
    EXPECT_EQ(valueOf(search(*again, "only", 5)).size(), 1u);
}

/// SQLite calls it damage, and the window would offer to set the history aside.
TEST_F(DurableHistory, APassingReadErrorIsNoDamage) {
    ask("the heliotrope sentence");
    m_history.reset();
    sqlite3_vfs* const vfs = ::sqlite3_vfs_find("unix");
    const std::array names{"pread", "pread64"};
    std::array<sqlite3_syscall_ptr, 2> before{};
    for (size_t each = 0; each < names.size(); ++each) {
        before[each] = vfs->xGetSystemCall(vfs, names[each]);
        vfs->xSetSystemCall(vfs, names[each], reinterpret_cast<sqlite3_syscall_ptr>(readOrFail));
    }
    int failed = 0;
    for (int reads = 1; reads < 12; ++reads) {
        readsThatFail = 0;
        const auto opened = openHistory(m_path);
        ASSERT_TRUE(opened);
        readsThatFail = reads;
        const auto found = search(**opened, "heliotrope", 5);
        const auto second = openReader(m_path);
        readsThatFail = 0;
        for (const Error* error : {found ? nullptr : &found.error(), second ? nullptr : &second.error()}) {
            if (error == nullptr) continue;
            ++failed;
            EXPECT_EQ(error->code, ErrorCode::Io) << error->message;
            EXPECT_THAT(error->message, testing::Not(testing::HasSubstr("damaged")));
        }
    }
    EXPECT_GT(failed, 0) << "no read failed: nothing was tested";
    for (size_t each = 0; each < names.size(); ++each) vfs->xSetSystemCall(vfs, names[each], before[each]);
    reopen();
    EXPECT_EQ(valueOf(search(*m_history, "heliotrope", 5)).size(), 1u);
}

TEST_F(DurableHistory, AReaderSeesCommittedTextWhileAnAnswerStreams) {
    ask();
    const RowId answer = beginAnswer();
    SQLite::Database reader(m_path, SQLite::OPEN_READONLY);
    for (int i = 1; i <= 100; ++i) {
        ASSERT_TRUE(appendAnswer(*m_history, answer, piece("x"), {i}, ""));
        EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM answer_chunks").getInt(), i);
    }
}

TEST_F(DurableHistory, DamagedFilesGiveAResult) {
    ask("some text that is long enough to be searched for");
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(addUserMessage(*m_history, m_conversation, 0, said(fmt::format("message {}", i))));
    }
    m_history.reset();
    std::ifstream file(m_path, std::ios::binary);
    const std::string good(std::istreambuf_iterator<char>(file), {});
    std::mt19937_64 random(3);
    int refused = 0;
    for (int round = 0; round < 150; ++round) {
        std::string bad = good;
        if (round % 5 == 0) {
            bad.resize(random() % bad.size());
        } else {
            for (int edit = 0; edit < 20; ++edit) bad[random() % bad.size()] = static_cast<char>(random());
        }
        std::filesystem::remove(m_path + "-wal");
        std::filesystem::remove(m_path + "-shm");
        std::ofstream(m_path, std::ios::binary) << bad;
        const auto opened = openHistory(m_path);
        if (!opened) {
            ++refused;
            continue;
        }
        const auto list = conversations(**opened);
        const auto branch = history::branch(**opened, m_conversation, 0);
        const auto hits = search(**opened, "message", 5);
        const auto added = addUserMessage(**opened, m_conversation, 0, said("more"));
        refused += !list || !branch || !hits || !added;
    }
    EXPECT_GT(refused, 10);
    std::ofstream(m_path, std::ios::binary) << good;
    std::filesystem::remove(m_path + "-wal");
    reopen();
}

}  // namespace
}  // namespace ingle::history
