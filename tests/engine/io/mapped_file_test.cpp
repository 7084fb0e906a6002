#include "engine/io/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/temporary_folder.h"

namespace ingle::io {
namespace {

TEST(MappedFile, showsTheBytesOfTheFile) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("a"), std::ios::binary) << std::string("ab\0c", 4);
    const auto file = MappedFile::open(folder.file("a"));
    ASSERT_TRUE(file.has_value()) << file.error().message;
    const auto bytes = (*file)->bytes();
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
              std::string("ab\0c", 4));
    EXPECT_EQ((*file)->path(), folder.file("a"));
}

TEST(MappedFile, refusesWhatIsNoFile) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("empty"));
    ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
    EXPECT_EQ(MappedFile::open(folder.file("missing")).error().code, ErrorCode::Io);
    EXPECT_EQ(MappedFile::open(folder.path()).error().code, ErrorCode::Io);
    EXPECT_EQ(MappedFile::open(folder.file("fifo")).error().code, ErrorCode::Io);
    EXPECT_EQ(MappedFile::open(folder.file("empty")).error().code, ErrorCode::Corrupt);
    EXPECT_NE(MappedFile::open(folder.file("missing")).error().message.find("missing"), std::string::npos);
}

}  // namespace
}  // namespace ingle::io
