/// One folder of snapshots that several programs use at the same time: in this process, and in others.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include "engine/session/snapshots/snapshot_store.h"
#include "ingle/file_descriptor.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

namespace fs = std::filesystem;
using Store = std::shared_ptr<SnapshotStore>;

constexpr size_t kStateBytes = 20'000;  // of noise, so that a file is about as large
constexpr backend::TokenRange kPage{0, 64};
const SnapshotOwner kChat{OwnerKind::Conversation, "1"};
const SnapshotOwner kDocument{OwnerKind::Document, "1"};

SnapshotKey key(uint64_t number) {
    return {{number, ~number}};
}

backend::SavedState state(uint64_t number) {
    backend::SavedState made{.kvType = KvType::F16, .range = kPage};
    std::mt19937_64 noise(number);
    made.bytes.resize(kStateBytes);
    for (std::byte& byte : made.bytes) byte = static_cast<std::byte>(noise());
    return made;
}

void keep(SnapshotStore& store, uint64_t number, const SnapshotOwner& owner = kChat) {
    store.write(key(number), owner, [&] { return state(number); });
    store.waitUntilWritten();
}

class SharedSnapshots : public testing::Test {
  protected:
    Store open(const std::string& program, uint64_t maxBytes = uint64_t{1} << 30) const {
        return SnapshotStore::open({folder(), maxBytes, program}).value();
    }
    std::string folder() const { return m_folder.file("s"); }
    fs::path file(uint64_t number) const { return folder() + "/" + key(number).hex() + ".snap"; }
    bool isThere(uint64_t number) const { return fs::exists(file(number)); }
    size_t numRecords() const { return count(".snap"); }
    size_t count(const std::string& part) const {
        size_t number = 0;
        for (const auto& entry : fs::directory_iterator(folder()))
            number += entry.path().filename().string().find(part) != std::string::npos;
        return number;
    }
    /// Holds the folder as another process would that is just changing it.
    FileDescriptor holdFolder() const {
        FileDescriptor file(::open((folder() + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        EXPECT_EQ(::flock(file.get(), LOCK_EX), 0);
        return file;
    }
    static void waitFor(const std::function<bool()>& condition) {
        for (int waited = 0; waited < 5000 && !condition(); ++waited) ::usleep(1000);
        EXPECT_TRUE(condition());
    }
    /// Runs `work` in a process of its own. This one must have no other thread.
    static pid_t start(const std::function<void()>& work) {
        const pid_t child = ::fork();
        if (child != 0) return child;
        work();
        ::_exit(0);
    }
    static int exitStatus(pid_t child) {
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return status;
    }

  private:
    const test::TemporaryFolder m_folder;
};

/// The folder is listed at the start: a record that is removed meanwhile is not known again.
TEST_F(SharedSnapshots, damagedRecordsAreForgottenWhileTheFolderIsListed) {
    constexpr uint64_t kRecords = 300;
    for (int round = 0; round < 8; ++round) {
        for (uint64_t number = 0; number < kRecords; ++number) std::ofstream(file(number)) << "damaged";
        const Store store = open("window");
        for (uint64_t number = 0; number < kRecords; ++number)
            EXPECT_FALSE(store->read(key(number), KvType::F16, kPage, kStateBytes));
        store->waitUntilWritten();
        for (uint64_t number = 0; number < kRecords; ++number) EXPECT_FALSE(store->contains(key(number)));
    }
}

TEST_F(SharedSnapshots, EachProgramHasListsOfItsOwn) {
    const Store window = open(""), server = open("serve");
    keep(*window, 1);
    keep(*server, 2);
    keep(*server, 3, kDocument);
    EXPECT_TRUE(fs::exists(folder() + "/conversations/1"));
    EXPECT_FALSE(fs::exists(folder() + "/documents/1"));
    EXPECT_TRUE(fs::exists(folder() + "/programs/serve/conversations/1"));
    EXPECT_TRUE(fs::exists(folder() + "/programs/serve/documents/1"));
    EXPECT_EQ(fs::status(folder()).permissions(), fs::perms::owner_all);
}

TEST_F(SharedSnapshots, WhatIsNoNameOfAProgramIsRefused) {
    for (const std::string& name : {std::string(".."), std::string("a/b"), std::string("a b"),
                                    std::string("\xc3\xa4"), std::string(65, 'x')}) {
        const auto opened = SnapshotStore::open({folder(), 1, name});
        ASSERT_FALSE(opened) << name;
        EXPECT_EQ(opened.error().code, ErrorCode::InvalidArgument);
        EXPECT_FALSE(fs::exists(folder()));
    }
    EXPECT_TRUE(SnapshotStore::open({folder(), 1, std::string(64, 'x')}));
}

// Again and again at once: the folder's time does not change with each.
TEST_F(SharedSnapshots, WhatOneWritesOrRemovesTheOtherSees) {
    const Store window = open(""), server = open("serve");
    window->waitUntilWritten();  // it has looked by then
    for (uint64_t number = 0; number < 50; ++number) {
        keep(*server, number);
        EXPECT_FALSE(window->contains(key(number)));
        window->refresh();
        ASSERT_TRUE(window->contains(key(number))) << number;
        const auto found = window->read(key(number), KvType::F16, kPage, kStateBytes);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->bytes, state(number).bytes);
    }
    EXPECT_EQ(window->totalBytes(), server->totalBytes());
    server->retain({});
    server->waitUntilWritten();
    EXPECT_FALSE(window->read(key(0), KvType::F16, kPage, kStateBytes));
    EXPECT_FALSE(window->contains(key(0))) << "the reading showed it";
    window->refresh();
    EXPECT_FALSE(window->contains(key(1)));
    EXPECT_EQ(window->totalBytes(), 0u);
    keep(*window, 1);
    EXPECT_TRUE(isThere(1)) << "it is written again";
}

TEST_F(SharedSnapshots, RetainTakesWhatNoProgramNeeds) {
    const Store window = open(""), server = open("serve");
    keep(*window, 1);
    keep(*window, 2);
    server->refresh();
    keep(*server, 2);
    keep(*server, 3);
    server->retain({"2"});
    server->waitUntilWritten();
    EXPECT_TRUE(isThere(1));
    EXPECT_TRUE(isThere(2));
    EXPECT_FALSE(isThere(3));
    EXPECT_TRUE(fs::exists(folder() + "/conversations/1"));
    EXPECT_TRUE(fs::is_empty(folder() + "/programs/serve/conversations"));
    keep(*server, 2);
    window->retain({});
    window->waitUntilWritten();
    EXPECT_FALSE(isThere(1));
    EXPECT_TRUE(isThere(2)) << "the server needs it again";
}

TEST_F(SharedSnapshots, AnEarlierRecordThatAnotherProgramNeedsIsNotReplaced) {
    const Store window = open(""), server = open("serve");
    keep(*window, 1, kDocument);
    keep(*server, 1, kDocument);  // of the same name, and another one
    keep(*window, 2, kDocument);
    window->replace(key(1), key(2), kDocument);
    window->waitUntilWritten();
    EXPECT_TRUE(isThere(1));
    server->retain({});
    server->waitUntilWritten();
    window->replace(key(1), key(2), kDocument);
    window->waitUntilWritten();
    EXPECT_FALSE(isThere(1));
    EXPECT_TRUE(isThere(2));
}

TEST_F(SharedSnapshots, TheLimitIsForAllAndTheOldestGoFirst) {
    const uint64_t limit = 10 * (kStateBytes + 500);
    const Store window = open("", limit), server = open("serve", limit);
    for (uint64_t number = 0; number < 6; ++number) keep(*window, number);
    for (uint64_t number = 6; number < 12; ++number) {
        keep(*server, number);
        EXPECT_LE(numRecords(), 10u);
    }
    EXPECT_FALSE(isThere(0));
    EXPECT_FALSE(isThere(1));
    EXPECT_TRUE(isThere(5));
    // One that the server has just used is not the oldest for the window, either.
    server->refresh();
    ASSERT_TRUE(server->read(key(3), KvType::F16, kPage, kStateBytes));
    for (uint64_t number = 12; number < 16; ++number) keep(*window, number);
    EXPECT_LE(numRecords(), 10u);
    EXPECT_TRUE(isThere(3));
    EXPECT_FALSE(isThere(4));
}

TEST_F(SharedSnapshots, DocumentsOfAnotherProgramAreNotEvicted) {
    const uint64_t limit = 3 * (kStateBytes + 500);
    const Store window = open("", limit), server = open("serve", limit);
    keep(*server, 1, kDocument);
    keep(*server, 2, kDocument);
    for (uint64_t number = 10; number < 20; ++number) keep(*window, number);
    EXPECT_TRUE(isThere(1));
    EXPECT_TRUE(isThere(2));
    EXPECT_EQ(numRecords(), 5u) << "the limit is for the others";
    server->retain({});
    server->waitUntilWritten();
    keep(*window, 20);
    EXPECT_FALSE(isThere(1));
}

TEST_F(SharedSnapshots, NothingIsChangedWhileAnotherHoldsTheFolder) {
    const uint64_t limit = 2 * (kStateBytes + 500);
    Store store = open("", limit);
    keep(*store, 1);
    auto held = std::make_unique<FileDescriptor>(holdFolder());
    for (uint64_t number = 2; number < 5; ++number)
        store->write(key(number), kChat, [&] { return state(number); });
    store->retain({"1"});
    ::usleep(50'000);
    EXPECT_EQ(numRecords(), 1u);
    held.reset();
    store->waitUntilWritten();
    EXPECT_EQ(numRecords(), 2u);
    // And whoever never lets go of it does not keep this one from ending.
    held = std::make_unique<FileDescriptor>(holdFolder());
    store->write(key(9), kChat, [] { return state(9); });
    const auto begin = std::chrono::steady_clock::now();
    store.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
    EXPECT_FALSE(isThere(9));
}

TEST_F(SharedSnapshots, UnfinishedFilesGoOnlyWhenNobodyIsWriting) {
    open("");
    const auto leave = [&] { std::ofstream(file(1).string() + ".part-4194303-0") << "half"; };
    auto held = std::make_unique<FileDescriptor>(holdFolder());
    leave();
    const Store store = open("serve");
    ::usleep(50'000);
    EXPECT_EQ(count(".part-"), 1u) << "that may be what the one who holds the folder is writing";
    held.reset();
    store->waitUntilWritten();
    EXPECT_EQ(count(".part-"), 0u);
}

// Where the lock cannot be had, it is done without: a file of that name that is none must not hang anybody.
TEST_F(SharedSnapshots, WhereThereIsNoLockItIsDoneWithout) {
    fs::create_directories(folder() + "/lock");
    const Store store = open("");
    keep(*store, 1);
    EXPECT_TRUE(isThere(1));
    store->retain({});
    store->waitUntilWritten();
    EXPECT_FALSE(isThere(1));
}

// A record that is not yet noted would be one that nobody needs.
TEST_F(SharedSnapshots, WhatAnotherProcessIsJustWritingIsNotTaken) {
    constexpr uint64_t kRecords = 300;
    const pid_t writer = start([&] {
        const Store server = open("serve");
        for (uint64_t number = 0; number < kRecords; ++number)
            server->write(key(number), kChat, [&] { return state(number); });
        server->waitUntilWritten();
    });
    {
        const Store window = open("");
        int status = 0;
        int rounds = 0;
        while (::waitpid(writer, &status, WNOHANG) == 0) {
            window->retain({});
            window->waitUntilWritten();
            ++rounds;
        }
        EXPECT_EQ(status, 0);
        EXPECT_GT(rounds, 3);
    }
    EXPECT_EQ(numRecords(), kRecords);
    const pid_t other = start([&] {
        const Store server = open("serve");
        server->retain({});
        server->waitUntilWritten();
    });
    EXPECT_EQ(exitStatus(other), 0);
    EXPECT_EQ(numRecords(), 0u);
}

// Three processes at the limit: as many records as there is room for, and all of them whole.
TEST_F(SharedSnapshots, ProcessesThatEvictTogetherTakeNoMoreThanIsTooMuch) {
    const uint64_t limit = 20 * (kStateBytes + 500);
    std::vector<pid_t> writers;
    for (uint64_t process = 0; process < 3; ++process) {
        writers.push_back(start([&] {
            const Store store = open(process == 0 ? "" : fmt::format("p{}", process), limit);
            for (uint64_t number = 0; number < 100; ++number) keep(*store, process * 1000 + number, kChat);
        }));
    }
    for (const pid_t writer : writers) EXPECT_EQ(exitStatus(writer), 0);
    EXPECT_LE(numRecords(), 20u);
    EXPECT_GE(numRecords(), 18u);
    const Store store = open("");
    for (uint64_t number = 0; number < 3000; ++number) {
        if (isThere(number)) {
            EXPECT_TRUE(store->read(key(number), KvType::F16, kPage, kStateBytes)) << number;
        }
    }
}

TEST_F(SharedSnapshots, AProcessThatIsKilledLeavesNothingHalfDone) {
    size_t mostRecords = 0;
    for (int round = 0; round < 20; ++round) {
        const pid_t writer = start([&] {
            const Store server = open("serve");
            for (uint64_t number = 0;; ++number) keep(*server, number % 50);
        });
        ::usleep(static_cast<useconds_t>(5'000 + 3'000 * round));
        ::kill(writer, SIGKILL);
        exitStatus(writer);
        {
            const Store window = open("");
            keep(*window, 1000);  // its lock is free
            EXPECT_TRUE(isThere(1000));
            EXPECT_EQ(count(".part-"), 0u);
            for (uint64_t number = 0; number < 50; ++number) {
                if (isThere(number)) {
                    EXPECT_TRUE(window->read(key(number), KvType::F16, kPage, kStateBytes)) << number;
                }
            }
            mostRecords = std::max(mostRecords, numRecords());
            window->retain({});
            window->waitUntilWritten();
        }
        const pid_t other = start([&] {
            const Store server = open("serve");
            server->retain({});
            server->waitUntilWritten();
        });
        EXPECT_EQ(exitStatus(other), 0);
        EXPECT_EQ(numRecords(), 0u);
    }
    EXPECT_GT(mostRecords, 1u) << "it was killed before it wrote anything";
}

}  // namespace
}  // namespace ingle::session
