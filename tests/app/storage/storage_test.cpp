#include "app/storage/storage.h"
#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/opening.h"
#include "app/history/search/search.h"
#include "app/history/store/settings.h"
#include "app/history/trash/trash.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <thread>

namespace ingle::storage {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using history::History;
using history::HistoryReader;
using history::RowId;

constexpr auto kPatience = 20s;

std::vector<Part> said(const std::string& text) {
    return {{PartKind::Text, text, ""}};
}

/// What the work returns, on whichever file it runs.
template <typename Work>
auto answerOf() {
    if constexpr (std::is_invocable_v<Work&, HistoryReader&>) {
        return std::invoke_result_t<Work&, HistoryReader&>();
    } else if constexpr (std::is_invocable_v<Work&, History&>) {
        return std::invoke_result_t<Work&, History&>();
    } else {
        return std::invoke_result_t<Work&, library::Library&>();
    }
}

class StorageTest : public testing::Test {
  protected:
    void SetUp() override {
        m_folder = (fs::temp_directory_path() / "ingle-storage-XXXXXX").string();
        ASSERT_NE(::mkdtemp(m_folder.data()), nullptr);
        m_file = m_folder + "/history.sqlite";
    }
    void TearDown() override {
        m_storage.reset();
        fs::remove_all(m_folder);
    }
    void open(std::chrono::milliseconds backupAfter = Storage::kBackupAfter) {
        m_storage.reset();
        const auto noticed = [this](const Notice& notice) {
            const std::lock_guard lock(m_mutex);
            m_notices.push_back(notice);
            m_noticed.notify_all();
        };
        m_storage = std::make_unique<Storage>(m_folder, noticed, backupAfter);
    }
    std::vector<history::Backup> backups() {
        auto found = history::backupsBeside(m_file);
        EXPECT_TRUE(found);
        return found.value_or(std::vector<history::Backup>());
    }
    /// Waits until the file's first backup is there.
    bool waitForBackup() {
        for (const auto end = std::chrono::steady_clock::now() + kPatience;
             std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(10ms))
            if (!backups().empty()) return true;
        return false;
    }
    /// Runs work and waits for its result.
    template <typename Work>
    auto wait(Work work) {
        using Answer = decltype(answerOf<Work>());
        const auto answer = std::make_shared<std::promise<Answer>>();
        m_storage->run(work, [answer](Answer result) { answer->set_value(std::move(result)); });
        return answer->get_future().get();
    }
    /// Waits for the first notice of the kind.
    std::optional<Notice> noticeOf(Notice::Kind kind) {
        std::unique_lock lock(m_mutex);
        const auto find = [&] {
            return std::find_if(m_notices.begin(), m_notices.end(),
                                [&](const Notice& notice) { return notice.kind == kind; });
        };
        if (!m_noticed.wait_for(lock, kPatience, [&] { return find() != m_notices.end(); }))
            return std::nullopt;
        return *find();
    }
    /// Waits until it is told what became of the file. (Shredding waits meanwhile, and says so.)
    std::optional<Notice::Kind> noticeOfTheFile() {
        std::unique_lock lock(m_mutex);
        const auto find = [&] {
            return std::ranges::find_if(
                m_notices, [](const Notice& notice) { return notice.kind != Notice::Kind::ShreddingWaits; });
        };
        if (!m_noticed.wait_for(lock, kPatience, [&] { return find() != m_notices.end(); }))
            return std::nullopt;
        return find()->kind;
    }
    RowId ask(const std::string& text) {
        const auto id = wait([&](History& history) -> Result<RowId> {
            INGLE_TRY_ASSIGN(const RowId conversation, history::createConversation(history, text, ""));
            INGLE_TRY(history::addUserMessage(history, conversation, 0, said(text)));
            return conversation;
        });
        EXPECT_TRUE(id);
        return id.value_or(0);
    }
    std::vector<std::string> titles() {
        std::vector<std::string> titles;
        const auto list = wait([](HistoryReader& reader) { return history::conversations(reader); });
        EXPECT_TRUE(list) << list.error().message;
        if (list) {
            for (const auto& each : *list) titles.push_back(each.title);
        }
        return titles;
    }

    std::string m_folder;
    std::string m_file;
    std::mutex m_mutex;
    std::condition_variable m_noticed;
    std::vector<Notice> m_notices;
    std::unique_ptr<Storage> m_storage;
};

TEST_F(StorageTest, WhatWasWrittenIsReadByTheOtherConnection) {
    open();
    for (const char* title : {"one", "two", "three"}) ask(title);
    EXPECT_EQ(titles().size(), 3u);
    open();
    EXPECT_EQ(titles().size(), 3u);
    EXPECT_TRUE(m_notices.empty());
}

TEST_F(StorageTest, AClosedHistoryIsOneFile) {
    for (int n = 0; n < 20; ++n) {  // which of the two connections closed first was chance once
        open();
        ask("one");
        titles();
        m_storage.reset();
        EXPECT_TRUE(fs::exists(m_file));
        EXPECT_FALSE(fs::exists(m_file + "-wal")) << n;
        EXPECT_FALSE(fs::exists(m_file + "-shm")) << n;
    }
}

TEST_F(StorageTest, ManyThreadsMayAsk) {
    open();
    std::atomic<int> answers = 0;
    std::vector<std::thread> threads;
    for (int n = 0; n < 4; ++n) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                m_storage->run([](History& history) { return history::createConversation(history, "x", ""); },
                               [&](const Result<RowId>& id) { answers += id ? 1 : 0; });
                const RequestId request =
                    m_storage->run([](HistoryReader& reader) { return history::search(reader, "x", 10); },
                                   [&](const Result<std::vector<history::SearchHit>>&) { ++answers; });
                if (i % 2 == 0) m_storage->cancel(request);
                m_storage->run([](library::Library&) { return Status(); }, [&](const Status&) { ++answers; });
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    m_storage.reset();  // finishes what was queued
    EXPECT_EQ(answers, 4 * 20 * 3);
}

TEST_F(StorageTest, AnAnswerIsWrittenWhileTheLibraryHangs) {
    open();
    std::promise<void> release;
    const std::shared_future<void> released = release.get_future().share();
    std::promise<void> over;
    m_storage->run(
        [released](library::Library&) -> Status {
            released.wait();  // a file on a network that does not answer
            return {};
        },
        [&](const Status&) { over.set_value(); });
    ask("meanwhile");
    EXPECT_THAT(titles(), testing::ElementsAre("meanwhile"));
    release.set_value();
    over.get_future().wait();
}

TEST_F(StorageTest, TheLibraryIsReadWhileAnotherFileHangs) {
    open();
    std::promise<void> release;
    m_storage->run(
        [released = release.get_future().share()]() -> Status {
            released.wait();  // a folder on a network that does not answer
            return {};
        },
        [](const Status&) {});
    EXPECT_TRUE(wait([](library::Library& library) { return library.reload(); }));
    ask("meanwhile");
    EXPECT_THAT(titles(), testing::ElementsAre("meanwhile"));
    release.set_value();
}

TEST_F(StorageTest, TheEndWaitsForNoFileThatHangs) {
    open();
    // Opening a pipe that nobody writes to hangs like a file on a network that is gone.
    const std::string pipe = m_folder + "/pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    struct Hanging {
        std::promise<void> begun;
        std::promise<void> over;
    } hanging[2];
    const auto hang = [pipe](Hanging& on) -> Status {
        on.begun.set_value();
        ::close(::open(pipe.c_str(), O_RDONLY));
        on.over.set_value();
        return {};
    };
    m_storage->run([&, hang](library::Library&) { return hang(hanging[0]); }, [](const Status&) {});
    m_storage->run([&, hang] { return hang(hanging[1]); }, [](const Status&) {});
    bool isDropped = true;
    m_storage->run([&](library::Library&) { return isDropped = false, Status(); }, [](const Status&) {});
    for (Hanging& each : hanging) each.begun.get_future().wait();
    for (int n = 0; n < 50; ++n)
        m_storage->run([](History& history) { return history::createConversation(history, "kept", ""); },
                       [](const Result<RowId>&) {});
    const auto before = std::chrono::steady_clock::now();
    m_storage.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
    EXPECT_FALSE(fs::exists(m_file + "-wal"));

    const int writer = ::open(pipe.c_str(), O_WRONLY);  // what was left behind goes on, and disturbs nobody
    for (Hanging& each : hanging) each.over.get_future().wait();
    ::close(writer);
    open();
    EXPECT_EQ(titles().size(), 50u);
    EXPECT_TRUE(isDropped);
}

TEST_F(StorageTest, ReadingAndWritingDoNotHoldEachOther) {
    open();
    ask("before");
    std::promise<void> release;
    const std::shared_future<void> released = release.get_future().share();
    const auto hang = [released](auto&) -> Status {
        released.wait();
        return {};
    };
    // A chat of ten thousand messages is read: an answer is written.
    m_storage->run([hang](HistoryReader& reader) { return hang(reader); }, [](const Status&) {});
    ask("meanwhile");
    release.set_value();
    EXPECT_EQ(titles().size(), 2u);

    // The disk hangs: the list is read, and what has to see the write waits for it.
    std::promise<void> writes;
    const std::shared_future<void> written = writes.get_future().share();
    m_storage->run(
        [written](History& history) -> Status {
            written.wait();
            return history::setSetting(history, "draft", "typed");
        },
        [](const Status&) {});
    std::promise<Result<std::optional<std::string>>> draft;
    m_storage->readBehindWrites([](HistoryReader& reader) { return history::setting(reader, "draft"); },
                                [&](const auto& read) { draft.set_value(read); });
    EXPECT_EQ(titles().size(), 2u);
    writes.set_value();
    EXPECT_EQ(draft.get_future().get().value_or(std::nullopt), "typed");
}

TEST_F(StorageTest, WhatReadsIsCancelledQueuedOrInTheMiddle) {
    open();
    ask("x");
    std::promise<void> began;
    std::promise<ErrorCode> ended;
    const RequestId running = m_storage->run(
        [&](HistoryReader& reader) -> Result<int> {
            began.set_value();
            while (true) {
                const auto hits = history::search(reader, "x", 100);
                if (!hits) return tl::unexpected<Error>(hits.error());
            }
        },
        [&](const Result<int>& result) { ended.set_value(result ? ErrorCode::Io : result.error().code); });
    began.get_future().wait();
    std::promise<ErrorCode> dropped;
    const RequestId queued = m_storage->run(
        [](HistoryReader& reader) { return history::search(reader, "x", 1); },
        [&](const auto& hits) { dropped.set_value(hits ? ErrorCode::Io : hits.error().code); });
    m_storage->cancel(queued);
    auto result = ended.get_future();
    // Between two searches there is nothing to interrupt.
    while (result.wait_for(1ms) != std::future_status::ready) m_storage->cancel(running);
    EXPECT_EQ(result.get(), ErrorCode::Cancelled);
    EXPECT_EQ(dropped.get_future().get(), ErrorCode::Cancelled);
    EXPECT_EQ(titles().size(), 1u) << "what follows is not cancelled";
}

TEST_F(StorageTest, AFileThatIsRemovedIsWrittenAnew) {
    open();
    const RowId conversation = ask("before");
    const auto answer = wait([&](History& history) -> Result<RowId> {
        INGLE_TRY_ASSIGN(const auto branch, history::branch(history, conversation, 0));
        INGLE_TRY_ASSIGN(const RowId id,
                         history::beginAnswer(history, conversation, branch.back().id, "", "", {}));
        const PartPiece piece{PartKind::Text, "half ", "", true};
        INGLE_TRY(history::appendAnswer(history, id, {&piece, 1}, {1}, ""));
        return id;
    });
    ASSERT_TRUE(answer);
    fs::remove(m_file);
    ASSERT_TRUE(noticeOf(Notice::Kind::FileRescued));
    EXPECT_TRUE(fs::exists(m_file));
    EXPECT_EQ(fs::status(m_file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    // The answer that was being written goes on in the new file.
    const Status finished = wait([&](History& history) -> Status {
        return history::finishAnswer(history, *answer,
                                     {.pieces = {{PartKind::Text, "whole", "", false}}, .ids = {2}});
    });
    EXPECT_TRUE(finished) << finished.error().message;
    EXPECT_THAT(titles(), testing::ElementsAre("before"));
    open();
    const auto message = wait([&](HistoryReader& reader) { return history::message(reader, *answer); });
    ASSERT_TRUE(message);
    EXPECT_EQ(textOf(message->parts, PartKind::Text), "half whole");
    EXPECT_EQ(message->status, history::MessageStatus::Complete);
}

TEST_F(StorageTest, AFolderThatIsRemovedComesBack) {
    open();
    ask("before");
    fs::remove_all(m_folder);
    ASSERT_TRUE(noticeOf(Notice::Kind::FileRescued));
    ask("after");
    open();
    EXPECT_EQ(titles().size(), 2u);
}

TEST_F(StorageTest, AFileInItsPlaceIsNeverOverwritten) {
    // Somebody brings back an older history while this one is open.
    open();
    ask("older");
    m_storage.reset();
    const std::string older = m_folder + "/older.sqlite";
    fs::rename(m_file, older);
    open();
    ask("ours");
    fs::rename(older, m_file);
    const auto notice = noticeOf(Notice::Kind::FileKeptBeside);
    ASSERT_TRUE(notice);
    EXPECT_NE(notice->path, m_file);
    ask("ours, too");
    EXPECT_EQ(titles().size(), 2u);
    open();
    EXPECT_THAT(titles(), testing::ElementsAre("older"));
    const auto kept = history::openReader(notice->path);
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_EQ(history::conversations(**kept).value_or(std::vector<history::Conversation>{}).size(), 2u);
}

TEST_F(StorageTest, AFileThatIsCopiedSlowlyOverOursIsOpenedWhenItIsWhole) {
    open();
    ask("older");
    m_storage.reset();
    std::ifstream file(m_file, std::ios::binary);
    const std::string theirs(std::istreambuf_iterator<char>(file), {});
    open();
    // In the file, so that what is left of ours fits nothing.
    for (int i = 0; i < 30; ++i) ask("ours " + std::string(200'000, 'x'));
    std::ofstream copy(m_file, std::ios::binary | std::ios::trunc);
    constexpr size_t kPieces = 12;
    for (size_t i = 0; i < kPieces; ++i) {
        const size_t begin = theirs.size() * i / kPieces;
        copy << std::string_view(theirs).substr(begin, theirs.size() * (i + 1) / kPieces - begin)
             << std::flush;
        std::this_thread::sleep_for(150ms);
    }
    copy.close();
    const auto kind = noticeOfTheFile();
    if (kind == Notice::Kind::FileOverwritten)
        EXPECT_THAT(titles(), testing::ElementsAre("older"));
    else
        EXPECT_EQ(kind, Notice::Kind::FileKeptBeside);
    m_storage.reset();
    open();
    EXPECT_THAT(titles(), testing::ElementsAre("older"));
}

TEST_F(StorageTest, AFileThatIsCopiedOverOursIsNeverWrittenTo) {
    // As AFileInItsPlaceIsNeverOverwritten, but the file keeps its inode, as `cp` and restoring backups do.
    open();
    ask("older");
    m_storage.reset();
    const std::string older = m_folder + "/older.db";
    fs::copy_file(m_file, older);
    const auto bytesOf = [](const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const std::string theirs = bytesOf(older);
    open();
    ask("between");
    m_storage.reset();
    for (const bool reachesTheFile : {false, true}) {
        m_notices.clear();
        open();
        // Much of it is in the log only, or in the file, too.
        for (int i = 0; i < (reachesTheFile ? 30 : 1); ++i) ask("ours " + std::string(200'000, 'x'));
        std::ofstream(m_file, std::ios::binary | std::ios::trunc) << theirs;
        const auto kind = noticeOfTheFile();
        ask("afterwards");
        const bool lost = kind == Notice::Kind::FileOverwritten;
        if (lost) {
            EXPECT_THAT(titles(), testing::ElementsAre("afterwards", "older"));
        } else {
            EXPECT_EQ(kind, Notice::Kind::FileKeptBeside);
            EXPECT_TRUE(bytesOf(m_file) == theirs);
            m_storage.reset();
            EXPECT_TRUE(bytesOf(m_file) == theirs);
        }
        open();
        EXPECT_THAT(titles(), testing::Contains("older"));
        const auto sound = wait([](HistoryReader& reader) -> Result<std::string> {
            return history::search(reader, "afterwards", 5).has_value() ? "ok" : "damaged";
        });
        EXPECT_EQ(sound.value_or(""), "ok");
        m_storage.reset();
        std::ofstream(m_file, std::ios::binary | std::ios::trunc) << theirs;
    }
}

TEST_F(StorageTest, WhatWeWriteOurselvesIsNotSomebodyElses) {
    open();
    const auto end = std::chrono::steady_clock::now() + 700ms;  // it is looked after twice a second
    while (std::chrono::steady_clock::now() < end) ask(std::string(300'000, 'x'));
    EXPECT_GT(fs::file_size(m_file), 3'000'000u) << "the log went into the file";
    open();
    EXPECT_FALSE(titles().empty());
    EXPECT_TRUE(m_notices.empty());
}

TEST_F(StorageTest, AKilledRescueIsTakenUp) {
    open();
    ask("ours");
    m_storage.reset();
    const std::string rescue = m_file + ".rescue";
    // Killed before the file had its name; the log of the one that was deleted may still be there.
    for (const bool withLog : {true, false}) {
        fs::rename(m_file, rescue);
        if (withLog) std::ofstream(m_file + "-wal") << std::string(5000, 'x');
        open();
        EXPECT_THAT(titles(), testing::ElementsAre("ours"));
        m_storage.reset();
        EXPECT_FALSE(fs::exists(rescue));
    }
    // Killed while it was written.
    std::ofstream(rescue + "-unfinished") << "half";
    open();
    EXPECT_THAT(titles(), testing::ElementsAre("ours"));
    EXPECT_FALSE(fs::exists(rescue + "-unfinished"));
    EXPECT_TRUE(m_notices.empty());
    m_storage.reset();
    // Somebody brought another file before the next start.
    fs::rename(m_file, rescue);
    {
        const auto theirs = history::openHistory(m_file);
        ASSERT_TRUE(theirs && history::createConversation(**theirs, "theirs", ""));
    }
    open();
    EXPECT_THAT(titles(), testing::ElementsAre("theirs"));
    const auto notice = noticeOf(Notice::Kind::FileKeptBeside);
    ASSERT_TRUE(notice);
    const auto kept = history::openReader(notice->path);
    ASSERT_TRUE(kept);
    EXPECT_EQ(history::conversations(**kept)->front().title, "ours");
}

TEST_F(StorageTest, AFileThatGoesJustBeforeTheEndIsKept) {
    open();
    ask("older");
    m_storage.reset();
    const std::string older = m_folder + "/older.sqlite";
    fs::copy_file(m_file, older);
    // Removed, and another one in its place; nobody has looked at it when the window closes.
    for (const bool replaced : {false, true}) {
        open();
        ask("ours");
        fs::remove(m_file);
        if (replaced) fs::copy_file(older, m_file);
        m_storage.reset();
        // An empty one may be there: a backup that has just begun opens what stands there.
        const std::string log = m_file + "-wal";
        EXPECT_TRUE(!fs::exists(log) || fs::file_size(log) == 0) << "not to be read into another file";
        std::string ours = m_file;
        for (const auto& entry : fs::directory_iterator(m_folder))
            if (replaced && entry.path().filename().string().starts_with("history-kept-"))
                ours = entry.path().string();
        const auto kept = history::openReader(ours);
        ASSERT_TRUE(kept) << kept.error().message;
        const auto list = history::conversations(**kept);
        ASSERT_TRUE(list);
        EXPECT_EQ(list->size(), replaced ? 3u : 2u);
    }
    open();
    EXPECT_THAT(titles(), testing::ElementsAre("older"));
}

TEST_F(StorageTest, ADamagedHistoryKeepsNothingElseAway) {
    std::ofstream(m_file) << std::string(5000, 'x');
    open();
    const auto list = wait([](HistoryReader& reader) { return history::conversations(reader); });
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error().code, ErrorCode::Corrupt);
    EXPECT_FALSE(wait([](History& history) { return history::createConversation(history, "x", ""); }));
    EXPECT_TRUE(wait([](library::Library&) { return Status(); }));
    std::promise<bool> aside;
    m_storage->setHistoryAside(
        [&](const Result<std::string>& path) { aside.set_value(path && fs::exists(*path)); });
    EXPECT_TRUE(aside.get_future().get()) << "and its path is told";
    ask("new");
    EXPECT_THAT(titles(), testing::ElementsAre("new"));
}

TEST_F(StorageTest, WhatExpiredIsShreddedInTheBackground) {
    open();
    const RowId conversation = ask("the heliotrope sentence");
    std::ofstream(m_file + ".backup-v1") << "heliotrope";
    ASSERT_TRUE(wait([&](History& history) { return history::trashConversation(history, conversation); }));
    EXPECT_TRUE(titles().empty());
    open();
    const auto trash = wait([](HistoryReader& reader) { return history::trash(reader); });
    ASSERT_TRUE(trash);
    EXPECT_EQ(trash->size(), 1u) << "it is kept for 30 days";
    ASSERT_TRUE(wait([&](History& history) { return history::emptyTrash(history); }));
    const auto held = [this] {
        for (const auto& entry : fs::directory_iterator(m_folder)) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string content(std::istreambuf_iterator<char>(file), {});
            if (content.find("heliotrope") != std::string::npos) return true;
        }
        return false;
    };
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (held() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(10ms);
    EXPECT_FALSE(held());
    EXPECT_FALSE(fs::exists(m_file + ".backup-v1"));
}

TEST_F(StorageTest, ABackupIsMadeOnceADay) {
    open();
    ask("one");
    m_storage.reset();
    open(0ms);
    ASSERT_TRUE(waitForBackup());
    m_storage.reset();  // finishes what it does
    ASSERT_EQ(backups().size(), 1u);
    EXPECT_TRUE(history::checkBackup(backups().front().path));
    // A new one is not made today, and not of what has not changed since.
    open(0ms);
    ask("two");
    std::this_thread::sleep_for(700ms);  // longer than it looks
    EXPECT_EQ(backups().size(), 1u);
    m_storage.reset();
    const auto yesterday = fs::file_time_type::clock::now() - 25h;
    fs::last_write_time(backups().front().path, yesterday);
    fs::last_write_time(m_file, yesterday - 1h);
    open(0ms);
    std::this_thread::sleep_for(700ms);
    EXPECT_EQ(backups().size(), 1u);
    m_storage.reset();
    fs::last_write_time(m_file, yesterday + 1h);
    open(0ms);
    for (int i = 0; i < 2000 && backups().size() < 2; ++i) std::this_thread::sleep_for(10ms);
    EXPECT_EQ(backups().size(), 2u);
}

TEST_F(StorageTest, ABackupThatCannotBeMadeIsTold) {
    fs::create_directories(m_file + ".new-backup/something");  // where the copy is to go
    open(0ms);
    ask("one");
    const auto notice = noticeOf(Notice::Kind::NoBackup);
    ASSERT_TRUE(notice);
    EXPECT_THAT(notice->error, testing::HasSubstr("new-backup"));
}

TEST_F(StorageTest, ABackupIsRestoredWhileOthersWait) {
    open();
    ask("one");
    const auto made = std::make_shared<std::promise<Result<history::Backup>>>();
    m_storage->backUp([made](const Result<history::Backup>& backup) { made->set_value(backup); });
    const auto backup = made->get_future().get();
    ASSERT_TRUE(backup) << backup.error().message;
    ask("two");
    const auto restored = std::make_shared<std::promise<Result<std::string>>>();
    m_storage->restore(backup->path,
                       [restored](const Result<std::string>& aside) { restored->set_value(aside); });
    const auto aside = restored->get_future().get();
    ASSERT_TRUE(aside) << aside.error().message;
    EXPECT_EQ(titles(), std::vector<std::string>{"one"});
    ask("three");
    EXPECT_EQ(titles().size(), 2u);
    m_storage.reset();
    const auto before = history::openHistory(*aside);
    ASSERT_TRUE(before);
    EXPECT_EQ(history::conversations(**before)->size(), 2u);
    EXPECT_TRUE(m_notices.empty());
}

TEST_F(StorageTest, ADamagedBackupIsNotRestored) {
    open();
    ask("one");
    std::ofstream(m_file + ".backup-v3-1") << "not a history";
    const auto restored = std::make_shared<std::promise<Result<std::string>>>();
    m_storage->restore(m_file + ".backup-v3-1",
                       [restored](const Result<std::string>& aside) { restored->set_value(aside); });
    EXPECT_FALSE(restored->get_future().get());
    EXPECT_EQ(titles(), std::vector<std::string>{"one"});
}

}  // namespace
}  // namespace ingle::storage
