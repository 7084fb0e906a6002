#include "engine/io/byte_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace ingle::io {
namespace {

constexpr std::array<std::byte, 7> kBytes{std::byte{1},   std::byte{2}, std::byte{3},  std::byte{4},
                                          std::byte{'x'}, std::byte{0}, std::byte{'y'}};

TEST(ByteReader, readsFieldsAtAnyByte) {
    ByteReader reader(kBytes);
    EXPECT_EQ(reader.read<uint8_t>().value(), 1);
    EXPECT_EQ(reader.read<uint16_t>().value(), 0x0302);
    EXPECT_EQ(reader.offset(), 3U);
    EXPECT_EQ(reader.take(1).value()[0], std::byte{4});
    EXPECT_EQ(reader.text(3).value(), std::string_view("x\0y", 3));
    EXPECT_EQ(reader.remaining(), 0U);
}

TEST(ByteReader, refusesToReadPastTheEndAndStaysWhereItWas) {
    ByteReader reader(kBytes);
    ASSERT_TRUE(reader.take(4).has_value());
    const auto tooFar = reader.read<uint64_t>();
    ASSERT_FALSE(tooFar.has_value());
    EXPECT_EQ(tooFar.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(tooFar.error().message, "8 bytes are needed at byte 4, but only 3 follow");
    EXPECT_FALSE(reader.take(std::numeric_limits<uint64_t>::max()).has_value());
    EXPECT_EQ(reader.text(3).value().size(), 3U);
}

}  // namespace
}  // namespace ingle::io
