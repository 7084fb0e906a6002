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
}

TEST(MappedFile, isFoundByItsAddresses) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("a")) << std::string(5000, 'a');
    std::ofstream(folder.file("b")) << "b";
    // More than there is room for in the list: then any address may be one.
    std::vector<std::shared_ptr<const MappedFile>> files;
    for (int i = 0; i < 300; ++i) files.push_back(MappedFile::open(folder.file("b")).value());
    EXPECT_TRUE(MappedFile::isMapped(files.back()->bytes().data()));
    files.clear();
    const int here = 0;
    EXPECT_FALSE(MappedFile::isMapped(&here));
    auto a = MappedFile::open(folder.file("a")).value();
    const std::byte* const begin = a->bytes().data();
    EXPECT_TRUE(MappedFile::isMapped(begin));
    EXPECT_TRUE(MappedFile::isMapped(begin + 4999));
    EXPECT_FALSE(MappedFile::isMapped(begin + 5000));
    EXPECT_FALSE(MappedFile::isMapped(&here));
    a.reset();
    EXPECT_FALSE(MappedFile::isMapped(begin));
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
