#include "engine/io/source.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "engine/io/mapped_file.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::io {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

class Sources : public testing::Test {
  protected:
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(m_folder.file(name), std::ios::binary) << text;
    }
    static std::string textOf(const Source& source) {
        const auto mapped = MappedFile::map(source).value();
        return {reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size()};
    }

    test::TemporaryFolder m_folder;
};

TEST_F(Sources, aFileThatIsReplacedOrRemovedIsStillRead) {
    write("model", "as it was");
    const Source source = test::opened(m_folder.file("model"));
    write("other", "another");
    fs::rename(m_folder.file("other"), m_folder.file("model"));
    EXPECT_EQ(textOf(source), "as it was");
    EXPECT_EQ(textOf(test::opened(m_folder.file("model"))), "another");
    fs::remove(m_folder.file("model"));
    EXPECT_EQ(textOf(source), "as it was");
}

TEST_F(Sources, siblingsAreThoseOfTheFolderThatWasOpened) {
    fs::create_directory(m_folder.file("models"));
    write("models/a", "a");
    write("models/b", "b");
    const Source source = test::opened(m_folder.file("models/a"));
    fs::rename(m_folder.file("models"), m_folder.file("moved"));
    fs::create_directory(m_folder.file("models"));
    write("models/b", "a decoy");
    const Source sibling = source.sibling("b").value();
    EXPECT_EQ(textOf(sibling), "b");
    EXPECT_EQ(sibling.path(), m_folder.file("models/b"));
    EXPECT_EQ(sibling.name(), "b");
    EXPECT_EQ(textOf(sibling.sibling("a").value()), "a");
}

/// Download caches keep the files of a model elsewhere, with links in one folder.
TEST_F(Sources, aLinkLiesWhereItsNameDoes) {
    fs::create_directories(m_folder.file("blobs"));
    fs::create_directories(m_folder.file("snapshot"));
    write("blobs/1", "one");
    write("blobs/2", "two");
    fs::create_symlink("../blobs/1", m_folder.file("snapshot/a"));
    fs::create_symlink("../blobs/2", m_folder.file("snapshot/b"));
    const Source source = test::opened(m_folder.file("snapshot/a"));
    EXPECT_EQ(textOf(source), "one");
    EXPECT_EQ(textOf(source.sibling("b").value()), "two");
}

TEST_F(Sources, aLinkThatLeavesTheFolderIsRefused) {
    fs::create_directories(m_folder.file("model/inner"));
    write("outside", "no business of a model's");
    write("model/a", "a");
    write("model/inner/b", "b");
    fs::create_symlink("../outside", m_folder.file("model/out"));
    fs::create_symlink("..", m_folder.file("model/up"));
    fs::create_symlink("up/outside", m_folder.file("model/around"));
    fs::create_symlink("a", m_folder.file("model/same"));
    fs::create_symlink("inner/b", m_folder.file("model/below"));
    const Source source = test::opened(m_folder.file("model/a"));
    for (const char* name : {"out", "around"}) {
        const auto sibling = source.sibling(name);
        ASSERT_FALSE(sibling.has_value()) << name;
        EXPECT_EQ(sibling.error().code, ErrorCode::Unsupported) << name;
        EXPECT_THAT(sibling.error().message, StartsWith(m_folder.file("model/") + name + ": a link to"));
    }
    EXPECT_EQ(textOf(source.sibling("same").value()), "a");
    EXPECT_EQ(textOf(source.sibling("below").value()), "b");
    // Who names the link itself means what it leads to.
    EXPECT_EQ(textOf(test::opened(m_folder.file("model/out"))), "no business of a model's");
}

TEST_F(Sources, aFolderWithinIsOneOfItsOwn) {
    fs::create_directories(m_folder.file("model/inner"));
    write("model/a", "a");
    write("model/inner/b", "b");
    fs::create_symlink("..", m_folder.file("model/up"));
    fs::create_symlink("../a", m_folder.file("model/inner/above"));
    const Source source = test::opened(m_folder.file("model/a"));
    const Source inner = source.sibling("inner").value();
    EXPECT_TRUE(inner.isFolder());
    EXPECT_EQ(inner.path(), m_folder.file("model/inner"));
    EXPECT_EQ(textOf(inner.sibling("b").value()), "b");
    EXPECT_FALSE(MappedFile::map(inner).has_value());
    EXPECT_EQ(inner.sibling("above").error().code, ErrorCode::Unsupported);
    EXPECT_EQ(source.sibling("up").error().code, ErrorCode::Unsupported);
}

TEST_F(Sources, aFolderNamesWhatIsInIt) {
    write("b", "b");
    write("a", "a");
    const Source folder = test::opened(m_folder.path().string());
    const std::vector<std::string> both{"a", "b"};
    EXPECT_EQ(folder.names(10).value(), both);
    EXPECT_EQ(folder.names(10).value(), both);
    EXPECT_EQ(folder.names(1).value().size(), 1U);
    EXPECT_EQ(test::opened(m_folder.file("a")).names(10).value(), both);
}

TEST_F(Sources, aNameThatLeavesTheFolderIsRefused) {
    fs::create_directory(m_folder.file("models"));
    write("outside", "no business of a model's");
    write("models/a", "a");
    const Source source = test::opened(m_folder.file("models/a"));
    for (const std::string& name :
         {std::string("../outside"), std::string("./a"), m_folder.file("outside"), std::string("models/a"),
          std::string("a/"), std::string(".."), std::string("."), std::string(), std::string("a\0", 2)}) {
        const auto sibling = source.sibling(name);
        ASSERT_FALSE(sibling.has_value()) << name;
        EXPECT_EQ(sibling.error().code, ErrorCode::InvalidArgument) << name;
        EXPECT_THAT(sibling.error().message, StartsWith(m_folder.file("models/a") + ": '"));
        const auto found = source.findSibling(name);
        ASSERT_FALSE(found.has_value()) << name;
        EXPECT_EQ(found.error().code, ErrorCode::InvalidArgument) << name;
    }
}

TEST_F(Sources, aSiblingMayBeMissing) {
    write("a", "a");
    ASSERT_EQ(::mkfifo(m_folder.file("fifo").c_str(), 0600), 0);
    const Source source = test::opened(m_folder.file("a"));
    EXPECT_EQ(source.findSibling("missing").value(), std::nullopt);
    EXPECT_EQ(textOf(source.findSibling("a").value().value()), "a");
    for (const char* name : {"missing", "fifo"}) {
        const auto refused = source.sibling(name);
        ASSERT_FALSE(refused.has_value()) << name;
        EXPECT_EQ(refused.error().code, ErrorCode::Io);
        EXPECT_THAT(refused.error().message, StartsWith(m_folder.file(name) + ": "));
    }
    EXPECT_FALSE(source.findSibling("fifo").has_value());
}

TEST_F(Sources, whatIsNoFileIsRefusedByThePathThatWasGiven) {
    write("a", "a");
    ASSERT_EQ(::mkfifo(m_folder.file("fifo").c_str(), 0600), 0);
    for (const std::string& path : {m_folder.file("missing"), m_folder.file("a/b"), m_folder.file("a/"),
                                    m_folder.file("fifo"), std::string()}) {
        const auto source = Source::open(path);
        ASSERT_FALSE(source.has_value()) << path;
        EXPECT_EQ(source.error().code, ErrorCode::Io);
        EXPECT_THAT(source.error().message, StartsWith(path + ": "));
    }
}

TEST_F(Sources, aFolderHasFilesAndNoBytes) {
    write("a", "a");
    for (const std::string& path : {m_folder.path().string(), m_folder.path().string() + "/"}) {
        const auto folder = Source::open(path);
        ASSERT_TRUE(folder.has_value()) << folder.error().message;
        EXPECT_TRUE(folder->isFolder());
        EXPECT_EQ(folder->name(), m_folder.path().filename().string());
        const auto file = folder->sibling("a");
        ASSERT_TRUE(file.has_value()) << file.error().message;
        EXPECT_FALSE(file->isFolder());
        EXPECT_EQ(file->path(), m_folder.file("a"));
        const auto bytes = MappedFile::map(*folder);
        ASSERT_FALSE(bytes.has_value());
        EXPECT_EQ(bytes.error().message, path + ": a folder, where a file is needed");
    }
}

}  // namespace
}  // namespace ingle::io
