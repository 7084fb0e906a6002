/// What a power cut leaves: history with its settings, library, snapshots and imported models are whole, and
/// at most a second of an answer is gone. INGLE_POWER_CUTS says how many (a test run: a few dozen).
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <future>
#include <thread>

#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/messages.h"
#include "app/history/chats/pictures.h"
#include "app/history/opening.h"
#include "app/history/store/database.h"
#include "app/history/store/settings.h"
#include "app/library/library.h"
#include "app/storage/storage.h"
#include "engine/import/import.h"
#include "engine/lab/synth.h"
#include "engine/session/snapshots/snapshot_file.h"
#include "ingle/sha256.h"
#include "tests/app/power/recorded_disk.h"
#include "tests/temporary_folder.h"

using ingle::test::RecordedDisk;

namespace {

template <typename Function>
Function* systems(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string absolute(const char* path) {
    std::error_code ignored;
    return std::filesystem::absolute(path, ignored).lexically_normal().string();
}

/// As `call` does it, with what becomes of the folder.
template <typename Call>
int opened(const char* path, int flags, Call call) {
    RecordedDisk& disk = RecordedDisk::get();
    const std::string name = absolute(path);
    if (!disk.isRecorded(name) && !disk.isRecorded(name + "/")) return call();
    const bool isNameless = (flags & O_TMPFILE) == O_TMPFILE;
    const bool wasThere = ::access(path, F_OK) == 0;
    const int fd = call();
    if (fd < 0) return fd;
    if (isNameless)
        disk.made(fd, {});
    else if ((flags & O_CREAT) != 0 && !wasThere)
        disk.made(fd, name);
    else if ((flags & O_TRUNC) != 0)
        disk.resized(fd, 0);
    return fd;
}

int renamed(const char* from, const char* to, int result) {
    RecordedDisk& disk = RecordedDisk::get();
    if (result == 0 && disk.isRecorded(absolute(to))) {
        disk.named(absolute(to), disk.fileAt(to));
        disk.named(absolute(from), 0);
    }
    return result;
}

std::atomic<bool> flushingFails = false;

}  // namespace

// In place of the system's, for all libraries: a name that the program has itself comes first.
#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    static auto* const real = systems<int(const char*, int, mode_t)>("open");
    return opened(path, flags, [&] { return real(path, flags, mode); });
}
int open64(const char* path, int flags, ...) {
    std::va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    static auto* const real = systems<int(const char*, int, mode_t)>("open64");
    return opened(path, flags, [&] { return real(path, flags, mode); });
}
ssize_t write(int fd, const void* bytes, size_t count) {
    static auto* const real = systems<ssize_t(int, const void*, size_t)>("write");
    const off_t offset = ::lseek(fd, 0, SEEK_CUR);
    const ssize_t done = real(fd, bytes, count);
    if (done > 0 && offset >= 0) RecordedDisk::get().written(fd, bytes, static_cast<size_t>(done), offset);
    return done;
}
ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
    static auto* const real = systems<ssize_t(int, const void*, size_t, off_t)>("pwrite");
    const ssize_t done = real(fd, bytes, count, offset);
    if (done > 0) RecordedDisk::get().written(fd, bytes, static_cast<size_t>(done), offset);
    return done;
}
ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t offset) {
    return pwrite(fd, bytes, count, offset);
}
int ftruncate(int fd, off_t size) noexcept {
    static auto* const real = systems<int(int, off_t)>("ftruncate");
    const int done = real(fd, size);
    if (done == 0) RecordedDisk::get().resized(fd, size);
    return done;
}
int ftruncate64(int fd, off64_t size) noexcept {
    return ftruncate(fd, size);
}
int fsync(int fd) {
    if (flushingFails) return errno = EIO, -1;
    static auto* const real = systems<int(int)>("fsync");
    const int done = real(fd);
    if (done == 0) RecordedDisk::get().flushed(fd);
    return done;
}
int fdatasync(int fd) {
    if (flushingFails) return errno = EIO, -1;
    static auto* const real = systems<int(int)>("fdatasync");
    const int done = real(fd);
    if (done == 0) RecordedDisk::get().flushed(fd);
    return done;
}
int unlink(const char* path) noexcept {
    static auto* const real = systems<int(const char*)>("unlink");
    const int done = real(path);
    if (done == 0 && RecordedDisk::get().isRecorded(absolute(path)))
        RecordedDisk::get().named(absolute(path), 0);
    return done;
}
int rename(const char* from, const char* to) noexcept {
    static auto* const real = systems<int(const char*, const char*)>("rename");
    return renamed(from, to, real(from, to));
}
int renameat2(int fromFolder, const char* from, int toFolder, const char* to, unsigned flags) noexcept {
    static auto* const real = systems<int(int, const char*, int, const char*, unsigned)>("renameat2");
    return renamed(from, to, real(fromFolder, from, toFolder, to, flags));
}
int linkat(int fromFolder, const char* from, int toFolder, const char* to, int flags) noexcept {
    static auto* const real = systems<int(int, const char*, int, const char*, int)>("linkat");
    RecordedDisk& disk = RecordedDisk::get();
    const uint64_t file = disk.fileAt(from);
    const int done = real(fromFolder, from, toFolder, to, flags);
    if (done == 0 && disk.isRecorded(absolute(to))) disk.named(absolute(to), file);
    return done;
}

}  // extern "C"
#pragma GCC visibility pop

namespace ingle {
namespace {

using namespace std::chrono_literals;
using test::DiskChange;
using test::ReplayedDisk;

constexpr auto kMostLost = 1s;

template <typename T>
T valueOf(Result<T> result) {
    if (result) return std::move(*result);
    ADD_FAILURE() << result.error().message;
    return T{};
}

class PowerCut : public testing::Test {
  protected:
    void SetUp() override { std::filesystem::create_directories(m_data); }

    void record() { RecordedDisk::get().record(m_data); }
    static void told(const std::string& what, uint64_t number = 0) { RecordedDisk::get().tell(what, number); }

    /// Cuts the power anywhere behind what `what` was told for the first time, and calls `check` with what is
    /// left in m_left.
    template <typename Check>
    void cutAnywhere(const std::string& what, Check check) {
        ReplayedDisk disk(RecordedDisk::get().stop());
        size_t first = 0;
        while (first < disk.size() && disk.changes()[first].name != what) ++first;
        ASSERT_LT(first, disk.size()) << "nothing was recorded";
        const char* const many = std::getenv("INGLE_POWER_CUTS");
        const int cuts = many != nullptr ? std::atoi(many) : 40;
        std::mt19937 random(1);
        std::vector<size_t> places;
        const auto begin = disk.changes()[first].when, end = disk.changes().back().when;
        for (int cut = 0; cut < cuts; ++cut) {
            // Evenly among the changes, and over the time, of which pauses are a part.
            const std::chrono::nanoseconds behind((end - begin).count() / 1000 * (random() % 1000));
            const auto next = std::ranges::upper_bound(disk.changes(), begin + behind, {}, &DiskChange::when);
            places.push_back(cut % 2 == 0 ? first + 1 + random() % (disk.size() - first)
                                          : static_cast<size_t>(next - disk.changes().begin()));
        }
        std::ranges::sort(places);
        for (const size_t place : places) {
            disk.goTo(place);
            disk.cut(m_data, m_left, random);
            SCOPED_TRACE(testing::Message() << "cut before change " << place << " of " << disk.size());
            check(disk);
            if (HasFailure()) return;
        }
    }
    /// The highest number that was told of `what`, so long before the cut; -1: none.
    static int64_t numberTold(const ReplayedDisk& disk, const std::string& what,
                              std::chrono::milliseconds before = 0ms) {
        int64_t number = -1;
        for (size_t each = 0; each < disk.place(); ++each) {
            const DiskChange& change = disk.changes()[each];
            if (change.kind == DiskChange::Kind::Told && change.name == what &&
                change.when + before <= disk.whenCut())
                number = static_cast<int64_t>(change.offset);
        }
        return number;
    }

    test::TemporaryFolder m_folder;
    const std::string m_data = m_folder.file("data");
    const std::string m_left = m_folder.file("left");
};

std::string word(uint64_t number) {
    return fmt::format("word{} ", number);
}

/// What the storage's thread of the history makes of `work`.
template <typename Work>
auto asked(storage::Storage& storage, Work work) {
    std::promise<std::invoke_result_t<Work&, history::History&>> promise;
    storage.run(work, [&](auto result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
}

/// Streams answers as the window does, with pauses in which the engine thinks.
void streamAnswers(const std::string& folder) {
    storage::Storage storage(folder);
    const auto write = [&](auto work) { return valueOf(asked(storage, work)); };
    const auto conversation =
        write([](history::History& h) { return history::createConversation(h, "Title", "m"); });
    uint64_t words = 0, settings = 0;
    for (int turn = 0; turn < 3; ++turn) {
        // The picture first, with the draft, as the window stores it.
        const auto picture = write([&](history::History& h) {
            return history::storePicture(h, {"image/png", std::string(50'000, static_cast<char>(turn))});
        });
        const auto question = write([&](history::History& h) {
            return history::addUserMessage(h, conversation, 0, {{PartKind::Image, "What?", picture}});
        });
        RecordedDisk::get().tell("question", static_cast<uint64_t>(question));
        const auto answer = write([&](history::History& h) {
            return history::beginAnswer(h, conversation, question, "m", "M", {});
        });
        for (int token = 0; token < 150; ++token, ++words) {
            const std::vector<PartPiece> pieces{{PartKind::Text, word(words), ""}};
            EXPECT_TRUE(asked(storage, [&](history::History& h) {
                return history::appendAnswer(h, answer, pieces, {token}, "");
            }));
            RecordedDisk::get().tell("word", words);
            if (token == 0) {
                EXPECT_TRUE(asked(storage, [&](history::History& h) {
                    return history::setSetting(h, "number", std::to_string(settings));
                }));
                RecordedDisk::get().tell("setting", settings++);
            }
            std::this_thread::sleep_for(token == 100 ? 1500ms : 4ms);
        }
        EXPECT_TRUE(
            asked(storage, [&](history::History& h) { return history::finishAnswer(h, answer, {}); }));
        RecordedDisk::get().tell("answer", words - 1);
    }
}

TEST_F(PowerCut, AtMostASecondOfAnAnswerIsGone) {
    record();
    streamAnswers(m_data);
    cutAnywhere("question", [&](const ReplayedDisk& disk) {
        auto opened = history::openHistory(m_left + "/history.sqlite");
        ASSERT_TRUE(opened) << opened.error().message;
        history::History& history = **opened;
        EXPECT_EQ(history.database().sqlite().execAndGet("PRAGMA integrity_check").getString(), "ok");
        const auto question = history::message(history, numberTold(disk, "question"));
        ASSERT_TRUE(question) << "a question is gone";
        const std::string hash = question->parts.front().data;
        EXPECT_EQ(sha256Hex(valueOf(history::picture(history, hash)).bytes), hash);
        const int64_t setting = numberTold(disk, "setting");
        if (setting >= 0) {
            EXPECT_GE(std::stoll(valueOf(history::setting(history, "number")).value_or("-1")), setting);
        }
        std::string text;
        for (const history::RowId id :
             history::idsOf(history.database().prepare("SELECT id FROM messages WHERE role = 'assistant'")))
            for (const auto& part : valueOf(history::message(history, id)).parts) text += part.text;
        const int64_t last = std::max(numberTold(disk, "word", kMostLost), numberTold(disk, "answer"));
        std::string wanted;
        for (int64_t number = 0; number <= last; ++number) wanted += word(static_cast<uint64_t>(number));
        EXPECT_TRUE(text.starts_with(wanted))
            << "of words up to " << last << " are left " << text.size() << " bytes";
    });
}

std::string contentOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(PowerCut, ADiskThatDoesNotFlushIsToldOfOnce) {
    std::atomic<int> told = 0;
    storage::Storage storage(m_data, [&](const storage::Notice& notice) {
        if (notice.kind == storage::Notice::Kind::NotFlushed) ++told;
    });
    const auto conversation = valueOf(
        asked(storage, [](history::History& h) { return history::createConversation(h, "Title", "m"); }));
    const auto question = valueOf(asked(storage, [&](history::History& h) {
        return history::addUserMessage(h, conversation, 0, {{PartKind::Text, "What?", ""}});
    }));
    const auto answer = valueOf(asked(storage, [&](history::History& h) {
        return history::beginAnswer(h, conversation, question, "m", "M", {});
    }));
    const auto write = [&](int token) {
        const std::vector<PartPiece> pieces{{PartKind::Text, "word ", ""}};
        EXPECT_TRUE(asked(storage, [&](history::History& h) {
            return history::appendAnswer(h, answer, pieces, {token}, "");
        }));
    };
    flushingFails = true;
    write(0);
    for (int tries = 0; tries < 500 && told == 0; ++tries) std::this_thread::sleep_for(10ms);
    EXPECT_EQ(told, 1);
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(told, 1) << "again and again";
    flushingFails = false;
}

TEST_F(PowerCut, TheLibraryIsWhole) {
    const std::string model = m_folder.file("model.gguf");
    std::ofstream(model) << "weights";
    record();
    {
        auto library = library::Library::open(m_data);
        ASSERT_TRUE(library) << library.error().message;
        const auto entry = valueOf(library->add(model, "name", "llama", ""));
        for (uint64_t number = 0; number < 60; ++number) {
            ASSERT_TRUE(library->rename(entry.id, fmt::format("name{}", number)));
            told("name", number);
        }
    }
    cutAnywhere("name", [&](const ReplayedDisk& disk) {
        const auto library = library::Library::open(m_left);
        ASSERT_TRUE(library) << library.error().message;
        EXPECT_EQ(library->notice(), "");
        ASSERT_EQ(library->models().size(), 1u);
        EXPECT_GE(std::stoll(library->models()[0].name.substr(4)), numberTold(disk, "name"));
    });
}

/// They are not flushed: what is damaged is no snapshot.
TEST_F(PowerCut, ASnapshotIsWholeOrNone) {
    constexpr uint64_t kBytes = 20'000;
    const session::SnapshotKey key{{1, 2}};
    record();
    for (uint64_t number = 0; number < 40; ++number) {
        backend::SavedState state{.range = {0, 8}};
        std::mt19937 random(static_cast<unsigned>(number));
        state.bytes.resize(kBytes);
        for (std::byte& byte : state.bytes) byte = static_cast<std::byte>(random());
        ASSERT_TRUE(session::writeSnapshot(m_data + "/one.snap", key, state));
        told("snapshot", number);
    }
    int whole = 0;
    cutAnywhere("snapshot", [&](const ReplayedDisk&) {
        const auto state = session::readSnapshot(m_left + "/one.snap", key, KvType::F16, {0, 8}, kBytes);
        if (!state) return;
        bool isOne = false;
        for (unsigned number = 0; number < 40 && !isOne; ++number) {
            std::mt19937 random(number);
            isOne = std::ranges::all_of(
                state->bytes, [&](std::byte byte) { return byte == static_cast<std::byte>(random()); });
        }
        EXPECT_TRUE(isOne) << "it is none that was written";
        ++whole;
    });
    EXPECT_GT(whole, 0) << "none was read";
}

TEST_F(PowerCut, AnImportedModelIsWholeOrNone) {
    const std::string source = m_folder.file("source.gguf"), target = m_data + "/target.gguf";
    ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .quant = "F32"}, source));
    std::vector<std::string> contents;
    record();
    told("begin");
    for (const char* quant : {"", "Q8_0", ""}) {
        const Status imported =
            importer::importModel({.source = source, .target = target, .quant = quant, .threads = 1}, {});
        ASSERT_TRUE(imported) << imported.error().message;
        told("imported", contents.size());
        contents.push_back(contentOf(target));
    }
    EXPECT_NE(contents[0], contents[1]);
    cutAnywhere("begin", [&](const ReplayedDisk& disk) {
        const std::string left = m_left + "/target.gguf";
        const int64_t imported = numberTold(disk, "imported");
        if (!std::filesystem::exists(left)) {
            EXPECT_EQ(imported, -1) << "the model is gone";
            return;
        }
        const auto known = std::ranges::find(contents, contentOf(left));
        EXPECT_NE(known, contents.end()) << "half a model has its name";
    });
}

}  // namespace
}  // namespace ingle
