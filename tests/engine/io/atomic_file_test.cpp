#include "engine/io/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "engine/io/source.h"
#include "ingle/error_ids.h"
#include "ingle/file_descriptor.h"
#include "ingle/paint_thread.h"
#include "tests/full_disk.h"
#include "tests/golden.h"
#include "tests/temporary_folder.h"

namespace ingle::io {
namespace {

size_t numFilesIn(const std::filesystem::path& folder) {
    const auto entries = std::filesystem::directory_iterator(folder);
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

Status writeText(AtomicFile& file, std::string_view text) {
    return file.write(std::as_bytes(std::span(text)));
}

TEST(AtomicFile, replacesTheTargetOnCommitOnly) {
    const test::TemporaryFolder folder;
    const std::string target = folder.file("target");
    std::ofstream(target) << "old";
    {
        auto file = AtomicFile::create(target);
        ASSERT_TRUE(file.has_value()) << file.error().message;
        ASSERT_TRUE(writeText(**file, "new ").has_value());
        ASSERT_TRUE(writeText(**file, "text").has_value());
        EXPECT_EQ((*file)->bytesWritten(), 8U);
        EXPECT_EQ(test::readBytes(target), "old");
        ASSERT_TRUE((*file)->commit().has_value());
    }
    EXPECT_EQ(test::readBytes(target), "new text");
    EXPECT_EQ(numFilesIn(folder.path()), 1U);
}

/// Also one that has come while the new one was written.
TEST(AtomicFile, keepsAFileThatIsThere) {
    const test::TemporaryFolder folder;
    const std::string target = folder.file("target");
    const auto write = [&](const std::string& path) {
        return AtomicFile::create(path, Access::ByUmask, Existing::Kept);
    };
    {
        const auto file = write(target).value();
        ASSERT_TRUE(writeText(*file, "new"));
        std::ofstream(target) << "old";
        const Status status = file->commit();
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().message, target + ": is there already, and was to be kept");
    }
    EXPECT_EQ(test::readBytes(target), "old");
    EXPECT_FALSE(write(target));
    ASSERT_EQ(::symlink("nowhere", folder.file("link").c_str()), 0);
    EXPECT_FALSE(write(folder.file("link")));
    EXPECT_EQ(numFilesIn(folder.path()), 2U);
    const auto file = write(folder.file("other")).value();
    ASSERT_TRUE(writeText(*file, "new"));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(test::readBytes(folder.file("other")), "new");
    EXPECT_EQ(numFilesIn(folder.path()), 3U);
}

TEST(AtomicFile, nothingIsReadOrWrittenOnAThreadThatPaints) {
    const test::TemporaryFolder folder;
    const std::string target = folder.file("target");
    const auto paint = [](const auto& work) {
        markPaintThread();
        work();
    };
    EXPECT_DEATH(paint([&] { (void)AtomicFile::create(target); }), "used on the thread that paints");
    EXPECT_DEATH(paint([&] { (void)Source::open(target); }), "used on the thread that paints");
}

TEST(AtomicFile, isPrivateWhenAsked) {
    const test::TemporaryFolder folder;
    const std::string target = folder.file("target");
    ASSERT_TRUE((*AtomicFile::create(target, Access::Private))->commit().has_value());
    struct stat status {};
    ASSERT_EQ(::stat(target.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

/// Whoever is killed in the middle of gigabytes leaves none of them, where the file system has nameless
/// files.
TEST(AtomicFile, aKilledProcessLeavesNothing) {
    const test::TemporaryFolder folder;
    const FileDescriptor nameless(::open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600));
    if (!nameless.isOpen()) GTEST_SKIP() << "no nameless files here";
    const pid_t child = ::fork();
    if (child == 0) {
        const auto file = AtomicFile::create(folder.file("target"));
        (void)writeText(**file, "half");
        ::kill(::getpid(), SIGKILL);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(numFilesIn(folder.path()), 0U);
}

TEST(AtomicFile, aFullDiskIsSaidByItsId) {
    const test::TemporaryFolder folder;
    const auto file = AtomicFile::create(folder.file("target")).value();
    const FullDisk full;
    const Status status = writeText(*file, "more than a byte");
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(errorIdOf(status.error()), ErrorId::DiskFull);
}

TEST(AtomicFile, leavesNothingWithoutACommit) {
    const test::TemporaryFolder folder;
    {
        auto file = AtomicFile::create(folder.file("target"));
        ASSERT_TRUE(file.has_value()) << file.error().message;
        ASSERT_TRUE(writeText(**file, "half").has_value());
        EXPECT_LE(numFilesIn(folder.path()), 1U);
    }
    EXPECT_EQ(numFilesIn(folder.path()), 0U);
}

TEST(AtomicFile, reportsAFolderThatDoesNotExist) {
    const test::TemporaryFolder folder;
    const auto file = AtomicFile::create(folder.file("no/such/target"));
    ASSERT_FALSE(file.has_value());
    EXPECT_EQ(file.error().code, ErrorCode::Io);
}

TEST(AtomicFile, replacesNothingButFiles) {
    const test::TemporaryFolder folder;
    ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
    EXPECT_FALSE(AtomicFile::create(folder.file("pipe")));
    EXPECT_FALSE(AtomicFile::create(folder.path().string()));
}

}  // namespace
}  // namespace ingle::io
