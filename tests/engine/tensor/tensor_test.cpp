#include "engine/tensor/tensor.h"

#include <gtest/gtest.h>

namespace ingle::tensor {
namespace {

const quant::QuantFormat& format(const char* name) {
    return *quant::findFormat(name);
}

TEST(Shape, textLeavesOutTrailingOnes) {
    EXPECT_EQ((Shape{{4096, 32000, 1, 1}}.text()), "{4096, 32000}");
    EXPECT_EQ((Shape{{1, 8, 1, 2}}.text()), "{1, 8, 1, 2}");
    EXPECT_EQ(Shape{}.text(), "{1}");
}

TEST(CheckedBytes, countsWholeBlocksOfEveryRow) {
    EXPECT_EQ(checkedBytes({{64, 3, 2, 1}}, format("Q4_0")).value(), 2U * 18 * 3 * 2);
    EXPECT_EQ(checkedBytes({{5, 1, 1, 1}}, format("F16")).value(), 10U);
}

TEST(CheckedBytes, refusesShapesThatCannotBe) {
    const uint64_t large = uint64_t{1} << 40;
    for (const Shape& shape :
         {Shape{{0, 1, 1, 1}}, Shape{{32, 0, 1, 1}}, Shape{{33, 1, 1, 1}}, Shape{{large, large, 1, 1}},
          Shape{{~uint64_t{31}, 1, 1, 1}}, Shape{{32, large, large, large}}}) {
        const auto bytes = checkedBytes(shape, format("Q4_0"));
        ASSERT_FALSE(bytes.has_value()) << shape.text();
        EXPECT_EQ(bytes.error().code, ErrorCode::Corrupt);
    }
}

TEST(CheckedBytes, refusesElementCountsOf63BitsEvenWhenTheBytesFit) {
    EXPECT_FALSE(checkedBytes({{uint64_t{1} << 32, uint64_t{1} << 31, 1, 1}}, format("Q4_0")).has_value());
}

}  // namespace
}  // namespace ingle::tensor
