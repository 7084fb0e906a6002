#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/documents/answer.h"
#include "app/documents/limits.h"
#include "app/documents/read_document.h"
#include "tests/temporary_folder.h"

namespace ingle::documents {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

class SourceFolder : public testing::Test {
  protected:
    void write(const fs::path& name, std::string_view bytes) const {
        const fs::path path = m_folder.path() / "project" / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
    }
    Result<Document> read(ReadOptions options = {}) const {
        return readDocument(m_folder.file("project"), options);
    }

    test::TemporaryFolder m_folder;
};

TEST_F(SourceFolder, isItsTextFilesByPath) {
    write("b.txt", "last\n");
    write("a/z.py", "print('`')\n");
    write("a.c", "int x;\n");
    write("fence.md", "```\ncode\n```\n");
    const auto document = read();
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_TRUE(isSound(*document));
    EXPECT_EQ(document->title, "project");
    EXPECT_EQ(document->text,
              "# a.c\n\n```\nint x;\n```\n\n# a/z.py\n\n```\nprint('`')\n```\n\n# b.txt\n\n```\nlast\n```\n\n"
              "# fence.md\n\n````\n```\ncode\n```\n````");
    ASSERT_EQ(document->places.size(), 4u);
    for (const Place& place : document->places)
        EXPECT_TRUE(document->text.substr(place.offset).starts_with("# " + place.words + "\n"));
    EXPECT_TRUE(document->leftOut.empty());
}

TEST_F(SourceFolder, leavesOutAndCounts) {
    write("a.txt", "words");
    write(".git/config", "secret");
    write(".env", "secret");
    write("node_modules/x/index.js", "made");
    write("out.o", std::string_view("\0\1\2", 3));
    write("huge.log", std::string(limits::kSourceBytes + 1, 'x'));
    write("made/CMakeCache.txt", "made");
    write("west.txt",
          "Gr\xFC\xDF"
          "e and more words");
    std::ofstream(m_folder.file("outside.txt")) << "secret";
    fs::create_symlink(m_folder.file("outside.txt"), m_folder.file("project/link.txt"));
    fs::create_symlink("a.txt", m_folder.file("project/inside.txt"));
    fs::create_directory_symlink("..", m_folder.file("project/up"));
    const auto document = read();
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text, "# a.txt\n\n```\nwords\n```\n\n# west.txt\n\n```\nGrüße and more words\n```");
    EXPECT_THAT(document->leftOut,
                UnorderedElementsAre(Loss{LossKind::HiddenFiles, 2}, Loss{LossKind::BuildFolders, 2},
                                     Loss{LossKind::BinaryFiles, 1}, Loss{LossKind::LargeFiles, 1},
                                     Loss{LossKind::OutsideLinks, 2},
                                     Loss{LossKind::OtherEncoding, 1, "WINDOWS-1252"}));
}

TEST_F(SourceFolder, withoutTextIsRefused) {
    write(".hidden", "x");
    const auto document = read();
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().message, "There is no text in this folder.");
}

TEST_F(SourceFolder, tooMuchTextAndCancellationEndIt) {
    for (size_t i = 0; i * limits::kSourceBytes <= limits::kTextBytes; ++i)
        write("f" + std::to_string(i), std::string(limits::kSourceBytes, 'x'));
    const auto document = read();
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().id, "documentTooMuchText");
    const auto cancelled = read({.isCancelled = [] { return true; }});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().id, "cancelled");
}

}  // namespace
}  // namespace ingle::documents
