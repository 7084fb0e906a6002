#include "app/library/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/golden_text.h"

namespace ingle::library {
namespace {

namespace fs = std::filesystem;

class LibraryTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "ingle-library-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        m_dir = pattern;
        m_data = m_dir + "/data/inglenook";
    }
    void TearDown() override { fs::remove_all(m_dir); }

    std::string makeModel(const std::string& name, const std::string& content = "weights") {
        const std::string path = m_dir + "/" + name;
        std::ofstream(path) << content;
        return path;
    }
    Library open() {
        auto library = Library::open(m_data);
        EXPECT_TRUE(library) << library.error().message;
        return std::move(*library);
    }
    static unsigned modeOf(const std::string& path) {
        struct stat status {};
        EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
        return status.st_mode & 0777;
    }

    std::string m_dir;
    std::string m_data;
};

TEST_F(LibraryTest, RemembersModelsAcrossStarts) {
    const std::string path = makeModel("a.gguf");
    const auto added = open().add(path, "tiny", "llama", "llama · 1M · Q8_0");
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_EQ(added->fingerprint.bytes, 7u);

    Library again = open();
    ASSERT_EQ(again.models().size(), 1u);
    const ModelEntry entry = again.models()[0];
    EXPECT_EQ(entry.id, added->id);
    EXPECT_EQ(entry.name, "tiny");
    EXPECT_EQ(entry.path, path);
    EXPECT_EQ(entry.fingerprint, added->fingerprint);
    EXPECT_EQ(entry.family, "llama");
    EXPECT_EQ(entry.summary, "llama · 1M · Q8_0");
    EXPECT_EQ(entry.addedAt, added->addedAt);
    EXPECT_TRUE(again.notice().empty());
}

TEST_F(LibraryTest, RemembersWhatAModelIsFor) {
    ASSERT_TRUE(open().add(makeModel("bge"), "bge", "bert", "", ModelPurpose::Embeddings));
    ASSERT_TRUE(open().add(makeModel("tiny"), "tiny", "llama", ""));
    const Library again = open();
    EXPECT_EQ(again.findByName("bge")->purpose, ModelPurpose::Embeddings);
    EXPECT_EQ(again.findByName("tiny")->purpose, ModelPurpose::Chats);
}

TEST_F(LibraryTest, FilesArePrivate) {
    Library library = open();
    ASSERT_TRUE(library.add(makeModel("a"), "a", "", ""));
    EXPECT_EQ(modeOf(m_data), 0700u);
    EXPECT_EQ(modeOf(m_data + "/library.json"), 0600u);
    EXPECT_EQ(modeOf(m_data + "/library.lock"), 0600u);
}

TEST_F(LibraryTest, NamesAreMadeUniqueAndPathsAreNotAddedTwice) {
    Library library = open();
    const auto first = library.add(makeModel("a"), "tiny", "", "");
    const auto second = library.add(makeModel("b"), "tiny", "", "");
    ASSERT_TRUE(library.markFailure(first->id, Error{ErrorCode::Corrupt, "It is broken."}));
    const auto refreshed = library.add(m_dir + "/./a", "other", "rwkv5", "");
    EXPECT_EQ(second->name, "tiny 2");
    EXPECT_EQ(refreshed->id, first->id);
    EXPECT_EQ(refreshed->name, "tiny");
    EXPECT_EQ(refreshed->family, "rwkv5");
    EXPECT_FALSE(refreshed->failure);
    EXPECT_EQ(library.models().size(), 2u);
    EXPECT_EQ(library.findByName("tiny 2")->id, second->id);
    EXPECT_EQ(library.findById(second->id)->name, "tiny 2");
    EXPECT_FALSE(library.findByName("tiny 3"));
}

TEST_F(LibraryTest, MostRecentlyUsedComesFirst) {
    Library library = open();
    const auto first = library.add(makeModel("a"), "a", "", "");
    ASSERT_TRUE(library.add(makeModel("b"), "b", "", ""));
    EXPECT_EQ(library.models()[0].name, "b");
    ::usleep(2000);
    ASSERT_TRUE(library.markUsed(first->id));
    EXPECT_EQ(library.models()[0].name, "a");
}

TEST_F(LibraryTest, ListsTheGuideBehindAllOthersWhereverItLies) {
    Library library = open();
    ASSERT_TRUE(library.keepGuide(makeModel("guide.gguf")));
    ASSERT_EQ(library.models().size(), 1u);
    EXPECT_EQ(library.models()[0].id, kGuideId);
    EXPECT_EQ(checkFile(library.models()[0]), FileState::Same);

    ASSERT_TRUE(library.add(makeModel("a.gguf"), "a", "llama", ""));
    EXPECT_EQ(library.models()[0].name, "a");
    EXPECT_EQ(library.models()[1].id, kGuideId);

    // Moved and upgraded at once, and refused before that.
    ASSERT_TRUE(library.markFailure(kGuideId, Error{ErrorCode::Corrupt, "It was damaged."}));
    fs::remove(m_dir + "/guide.gguf");
    ASSERT_TRUE(library.keepGuide(makeModel("moved.gguf", "better weights")));
    ASSERT_EQ(library.models().size(), 2u);
    EXPECT_EQ(library.findById(kGuideId)->path, m_dir + "/moved.gguf");
    EXPECT_FALSE(library.findById(kGuideId)->failure);
    EXPECT_EQ(checkFile(*library.findById(kGuideId)), FileState::Same);

    // Forgotten, it comes back; a failure stays while the file is the same.
    ASSERT_TRUE(library.remove(kGuideId));
    ASSERT_TRUE(library.keepGuide(m_dir + "/moved.gguf"));
    ASSERT_TRUE(library.markFailure(kGuideId, Error{ErrorCode::Corrupt, "It was damaged."}));
    ASSERT_TRUE(library.keepGuide(m_dir + "/moved.gguf"));
    EXPECT_EQ(library.findById(kGuideId)->failure.value().message, "It was damaged.");
    EXPECT_FALSE(library.keepGuide(m_dir + "/gone.gguf"));
}

TEST_F(LibraryTest, RenamesRelocatesAndForgetsWithoutTouchingTheFile) {
    Library library = open();
    const auto a = library.add(makeModel("a"), "a", "", "");
    const auto b = library.add(makeModel("b"), "b", "", "");
    EXPECT_TRUE(library.rename(a->id, "first"));
    EXPECT_EQ(library.rename(a->id, "b").error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(library.rename(a->id, "").error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(library.rename("nobody", "x").error().code, ErrorCode::InvalidArgument);

    fs::rename(m_dir + "/a", m_dir + "/moved");
    EXPECT_EQ(checkFile(*library.findById(a->id)), FileState::Missing);
    EXPECT_EQ(library.relocate(a->id, m_dir + "/b").error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(library.relocate(a->id, m_dir + "/absent").error().code, ErrorCode::Io);
    EXPECT_TRUE(library.relocate(a->id, m_dir + "/moved"));
    EXPECT_EQ(checkFile(*library.findById(a->id)), FileState::Same);

    EXPECT_TRUE(library.remove(b->id));
    EXPECT_EQ(library.remove(b->id).error().code, ErrorCode::InvalidArgument);
    EXPECT_TRUE(fs::exists(m_dir + "/b"));
    ASSERT_EQ(open().models().size(), 1u);
    EXPECT_EQ(open().models()[0].name, "first");
}

TEST_F(LibraryTest, NoticesChangedAndTouchedFiles) {
    Library library = open();
    const std::string path = makeModel("a", std::string(300'000, 'w'));
    const ModelEntry entry = *library.add(path, "a", "", "");
    EXPECT_EQ(checkFile(entry), FileState::Same);

    fs::last_write_time(path, fs::last_write_time(path) + std::chrono::hours(1));
    EXPECT_EQ(checkFile(entry), FileState::Same);

    fs::copy_file(path, path + ".copy");
    fs::rename(path + ".copy", path);  // another inode, the same bytes
    EXPECT_EQ(checkFile(entry), FileState::Same);

    makeModel("a", std::string(299'999, 'w') + "x");
    EXPECT_EQ(checkFile(entry), FileState::Changed);
    makeModel("a", "x" + std::string(299'999, 'w'));
    EXPECT_EQ(checkFile(entry), FileState::Changed);
    makeModel("a", "short");
    EXPECT_EQ(checkFile(entry), FileState::Changed);
    fs::remove(path);
    fs::create_directory(path);
    EXPECT_EQ(checkFile(entry), FileState::Missing);
}

TEST_F(LibraryTest, AFolderIsAModelToo) {
    Library library = open();
    const std::string folder = m_dir + "/Qwen3-8B";
    fs::create_directory(folder);
    EXPECT_FALSE(library.add(folder, "empty", "", ""));
    makeModel("Qwen3-8B/config.json", "{}");
    makeModel("Qwen3-8B/model.safetensors", std::string(300'000, 'w'));
    const auto added = library.add(folder + "/", "Qwen3 8B", "qwen3", "");
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_EQ(added->path, folder);
    EXPECT_EQ(added->fingerprint.bytes, 300'002u);
    EXPECT_EQ(checkFile(open().models()[0]), FileState::Same);

    // Notes beside it, times and another place change nothing.
    makeModel("Qwen3-8B/notes.md", "mine");
    const std::string weights = folder + "/model.safetensors";
    fs::last_write_time(weights, fs::last_write_time(weights) + std::chrono::hours(1));
    EXPECT_EQ(checkFile(*added), FileState::Same);
    fs::rename(folder, m_dir + "/moved");
    EXPECT_EQ(checkFile(*added), FileState::Missing);
    EXPECT_EQ(fingerprint(m_dir + "/moved")->headHash, added->fingerprint.headHash);
    EXPECT_EQ(fingerprint(m_dir + "/moved")->bytes, added->fingerprint.bytes);
    fs::rename(m_dir + "/moved", folder);

    makeModel("Qwen3-8B/config.json", "[]");
    EXPECT_EQ(checkFile(*added), FileState::Changed);
    makeModel("Qwen3-8B/config.json", "{}");
    EXPECT_EQ(checkFile(*added), FileState::Same);
    makeModel("Qwen3-8B/model.safetensors", std::string(299'999, 'w') + "x");
    EXPECT_EQ(checkFile(*added), FileState::Changed);
    fs::remove_all(folder);
    EXPECT_EQ(checkFile(*added), FileState::Missing);
}

TEST_F(LibraryTest, AHashOfAnEarlierVersionIsQuietlyReplaced) {
    const std::string path = makeModel("a", std::string(300'000, 'w'));
    const ModelEntry entry = *open().add(path, "a", "", "");
    std::ifstream stored(m_data + "/library.json");
    std::string text(std::istreambuf_iterator<char>(stored), {});
    const std::string mark = "\"hash\": \"xxh3\"";
    ASSERT_NE(text.find(mark), std::string::npos);
    text.replace(text.find(mark), mark.size(), "\"other\": 1");
    std::ofstream(m_data + "/library.json") << text;

    Library library = open();
    EXPECT_EQ(library.models()[0].fingerprint.headHash, Fingerprint::kNoHash);
    fs::last_write_time(path, fs::last_write_time(path) + std::chrono::hours(1));
    EXPECT_EQ(checkFile(library.models()[0]), FileState::Same);
    ASSERT_TRUE(library.markUsed(entry.id));
    EXPECT_EQ(open().models()[0].fingerprint.headHash, entry.fingerprint.headHash);
    makeModel("a", "x" + std::string(299'999, 'w'));
    EXPECT_EQ(checkFile(open().models()[0]), FileState::Changed);
}

TEST_F(LibraryTest, WhatIsNotARegularFileIsNotAdded) {
    Library library = open();
    EXPECT_EQ(library.add(m_dir, "folder", "", "").error().code, ErrorCode::Io);
    ASSERT_EQ(::mkfifo((m_dir + "/pipe").c_str(), 0600), 0);
    EXPECT_EQ(library.add(m_dir + "/pipe", "pipe", "", "").error().code, ErrorCode::Io);
    EXPECT_EQ(library.add(m_dir + "/absent", "absent", "", "").error().code, ErrorCode::Io);
    EXPECT_TRUE(library.models().empty());
}

TEST_F(LibraryTest, ADamagedFileIsSetAside) {
    ASSERT_TRUE(open().add(makeModel("a"), "a", "", ""));
    for (const std::string damage : {"{\"version\":1,\"models\":[{\"id\":7}]}", "nonsense", "[]", "{}",
                                     "{\"version\":1,\"models\":7}"}) {
        std::ofstream(m_data + "/library.json") << damage;
        Library library = open();
        EXPECT_THAT(library.notice(), testing::HasSubstr("library.json.damaged"));
        EXPECT_TRUE(library.models().empty());
        std::ifstream aside(m_data + "/library.json.damaged");
        EXPECT_EQ(std::string(std::istreambuf_iterator<char>(aside), {}), damage);
        EXPECT_TRUE(open().notice().empty());
        EXPECT_TRUE(library.add(m_dir + "/a", "a", "", ""));
    }
}

TEST_F(LibraryTest, TheFileStaysAsItIsByteByByte) {
    const auto rewritten = [this](const std::string& text) -> Result<std::string> {
        fs::create_directories(m_data);
        std::ofstream(m_data + "/library.json", std::ios::binary) << text;
        INGLE_TRY_ASSIGN(Library library, Library::open(m_data));
        if (library.models().empty()) return fail(ErrorCode::Corrupt, "It was set aside.");
        const ModelEntry entry = library.models().back();
        INGLE_TRY(library.setProfile(entry.id, entry.profile));
        std::ifstream file(m_data + "/library.json", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const std::string print =
        R"({"bytes":18446744073709551615,"modifiedNs":-5,"device":3,"inode":4,"headHash":5,"hash":"xxh3"})";
    const auto written =
        rewritten(R"({"models":[{"id":"0a","name":"n","path":"/m/漢","fingerprint":)" + print +
                  R"(,"embeds":true,"family":"llama","summary":"s","addedAt":"2026-01-02T03:04:05.678Z",
            "lastUsedAt":"2026-02-02T03:04:05.678Z","failure":"f","failureId":"i","failureArguments":["a","b"],
            "tokensPerSecond":0.1,"measuredPerSecond":2,"profile":"{\"topK\":1}"},
            {"id":"0b","name":"bare","path":"/b","fingerprint":)" +
                  print + R"(}],"version":1})");
    ASSERT_TRUE(written) << written.error().message;
    const std::string golden = test::goldenText("library.json", *written);
    EXPECT_EQ(*written, golden);
    EXPECT_EQ(*rewritten(golden), golden);

    const auto whole = nlohmann::json::parse(golden);
    test::MemberReport report;
    report.ask(whole["models"][0], [&](const std::string& text) -> Result<std::string> {
        auto changed = whole;
        changed["models"] = nlohmann::json::array({nlohmann::json::parse(text)});
        INGLE_TRY_ASSIGN(const std::string again, rewritten(changed.dump()));
        return nlohmann::json::parse(again)["models"][0].dump();
    });
    EXPECT_EQ(report.text(), test::goldenText("library_mistakes.txt", report.text()));
}

TEST_F(LibraryTest, MutatedFilesNeverThrow) {
    Library library = open();
    ASSERT_TRUE(library.add(makeModel("a"), "a", "llama", "x"));
    std::ifstream file(m_data + "/library.json");
    const std::string good(std::istreambuf_iterator<char>(file), {});
    std::mt19937_64 random(1);
    int damaged = 0;
    for (int i = 0; i < 300; ++i) {
        std::string text = good;
        if (random() % 2) {
            text[random() % text.size()] = static_cast<char>(random());
        } else {
            text.resize(random() % text.size());
        }
        std::ofstream(m_data + "/library.json") << text;
        const auto opened = Library::open(m_data);
        damaged += opened && !opened->notice().empty();
    }
    EXPECT_GT(damaged, 100);
}

TEST_F(LibraryTest, AFileOfANewerVersionIsLeftAlone) {
    ASSERT_TRUE(open().models().empty());
    std::ofstream(m_data + "/library.json") << "{\"version\":2,\"models\":[]}";
    const auto library = Library::open(m_data);
    ASSERT_FALSE(library);
    EXPECT_EQ(library.error().code, ErrorCode::Unsupported);
    EXPECT_FALSE(fs::exists(m_data + "/library.json.damaged"));
}

TEST_F(LibraryTest, TwoProcessesAddingAtOnceLoseNothing) {
    constexpr int kEach = 40;
    std::vector<pid_t> children;
    for (int process = 0; process < 2; ++process) {
        for (int i = 0; i < kEach; ++i) makeModel(fmt::format("m{}-{}", process, i));
    }
    for (int process = 0; process < 2; ++process) {
        const pid_t child = ::fork();
        if (child == 0) {
            auto library = Library::open(m_data);
            bool ok = library.has_value();
            for (int i = 0; ok && i < kEach; ++i) {
                ok = library->add(fmt::format("{}/m{}-{}", m_dir, process, i), "m", "", "").has_value();
            }
            ::_exit(ok ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    Library library = open();
    EXPECT_EQ(library.models().size(), 2u * kEach);
    EXPECT_TRUE(library.findByName(fmt::format("m {}", 2 * kEach)));
}

TEST_F(LibraryTest, AChangeMadeElsewhereIsSeenAndKept) {
    Library window = open();
    Library commandLine = open();
    const auto a = commandLine.add(makeModel("a"), "a", "", "");
    ASSERT_TRUE(window.markUsed(a->id)) << "it reads the file again first";
    ASSERT_TRUE(commandLine.reload());
    EXPECT_NE(commandLine.findById(a->id)->lastUsedAt, "");
}

TEST_F(LibraryTest, KeepsAMeanOfHowFastAModelAnswered) {
    Library library = open();
    const auto a = library.add(makeModel("a"), "a", "", "");
    EXPECT_EQ(library.findById(a->id)->measuredPerSecond, 0);
    ASSERT_TRUE(library.markMeasured(a->path, 10));
    EXPECT_DOUBLE_EQ(open().findById(a->id)->measuredPerSecond, 10);
    ASSERT_TRUE(library.markMeasured(a->path, 20));
    EXPECT_DOUBLE_EQ(open().findById(a->id)->measuredPerSecond, 13);
    // Dropped again it is the same model, with all that is known and set.
    ASSERT_TRUE(library.setProfile(a->id, "{}"));
    ASSERT_TRUE(library.add(a->path, "a", "", ""));
    EXPECT_DOUBLE_EQ(open().findById(a->id)->measuredPerSecond, 13);
    EXPECT_EQ(open().findById(a->id)->profile, "{}");
    EXPECT_EQ(library.markMeasured("/nowhere/else.gguf", 5).error().code, ErrorCode::InvalidArgument);
}

TEST_F(LibraryTest, AFailedWriteChangesNothing) {
    Library library = open();
    ASSERT_TRUE(library.add(makeModel("a"), "a", "", ""));
    fs::remove(m_data + "/library.json");
    fs::create_directory(m_data + "/library.json");
    EXPECT_EQ(library.add(makeModel("b"), "b", "", "").error().code, ErrorCode::Io);
    EXPECT_EQ(library.models().size(), 1u);
}

TEST(DefaultDataDir, FollowsXdg) {
    ::setenv("XDG_DATA_HOME", "/x/data", 1);
    EXPECT_EQ(defaultDataDir(), "/x/data/inglenook");
    ::setenv("XDG_DATA_HOME", "relative", 1);
    ::setenv("HOME", "/home/ada", 1);
    EXPECT_EQ(defaultDataDir(), "/home/ada/.local/share/inglenook");
    ::unsetenv("XDG_DATA_HOME");
    EXPECT_EQ(defaultDataDir(), "/home/ada/.local/share/inglenook");
}

}  // namespace
}  // namespace ingle::library
