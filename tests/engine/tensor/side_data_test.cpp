/// Scales of parts of any size, offsets, another order of columns: each is its formula, and what does not fit
/// the matrix is refused.
#include "engine/tensor/side_data.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace ingle::tensor {
namespace {

/// Rows as they stand for, of a matrix that holds 1, 2, 3 …
std::vector<float> rowsOf(const SideData& side, uint64_t width, uint64_t numRows) {
    std::vector<float> stored(width * numRows);
    std::iota(stored.begin(), stored.end(), 1.0F);
    Tensor matrix{"w", Shape::of(width, numRows), quant::findFormat(quant::kF32),
                  std::as_bytes(std::span(stored))};
    EXPECT_TRUE(checkSideData(side, matrix.shape));
    matrix.side = std::make_shared<const SideData>(side);
    std::vector<float> rows(stored.size());
    for (uint64_t row = 0; row < numRows; ++row)
        matrix.decodeRow(row, std::span(rows).subspan(row * width, width));
    return rows;
}

TEST(SideData, oneScaleForTheWholeMatrix) {
    EXPECT_EQ(rowsOf({.partRows = 2, .partColumns = 3, .scales = {2}}, 3, 2),
              (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST(SideData, aScaleForEachBlockTheLastOnesSmaller) {
    EXPECT_EQ(rowsOf({.partRows = 2, .partColumns = 2, .scales = {1, 10, 100, 1000}}, 3, 3),
              (std::vector<float>{1, 2, 30, 4, 5, 60, 700, 800, 9000}));
}

TEST(SideData, scalesAndOffsetsOfGroupsOfARow) {
    EXPECT_EQ(rowsOf({.partColumns = 2, .scales = {1, 2, 3, 4}, .offsets = {-1, -2, -3, -4}}, 4, 2),
              (std::vector<float>{0, 1, 4, 6, 12, 15, 24, 28}));
}

TEST(SideData, scalesAndZerosOfRows) {
    EXPECT_EQ(rowsOf({.partColumns = 3, .scales = {2, 10}, .zeros = {1, 5}}, 3, 2),
              (std::vector<float>{0, 2, 4, -10, 0, 10}));
}

TEST(SideData, numbersAreReadWhereTheyLieOrCopied) {
    alignas(float) std::byte bytes[9];
    const float numbers[]{1.5F, -2};
    for (const size_t offset : {0, 1}) {
        std::memcpy(bytes + offset, numbers, sizeof numbers);
        const FloatList list = FloatList::at(std::span(bytes).subspan(offset, sizeof numbers));
        ASSERT_EQ(list.size(), 2U);
        EXPECT_EQ(list[0], 1.5F);
        EXPECT_EQ(list[1], -2);
        const bool isThere = reinterpret_cast<const std::byte*>(list.data()) == bytes + offset;
        EXPECT_EQ(isThere, offset == 0);
    }
}

/// The scale is that of the place where the value is stored.
TEST(SideData, columnsInAnotherOrder) {
    EXPECT_EQ(rowsOf({.partColumns = 2, .scales = {1, 10}, .columns = {3, 0, 2, 1}}, 4, 1),
              (std::vector<float>{40, 1, 30, 2}));
}

TEST(SideData, anOrderOfColumnsAlone) {
    EXPECT_EQ(rowsOf({.columns = {2, 0, 1}}, 3, 2), (std::vector<float>{3, 1, 2, 6, 4, 5}));
}

TEST(SideData, anOrderForEveryTwoRows) {
    EXPECT_EQ(rowsOf({.columns = {1, 0, 0, 1}, .rowsPerOrder = 2}, 2, 3),
              (std::vector<float>{2, 1, 4, 3, 5, 6}));
}

TEST(SideData, thatDoesNotFitIsRefused) {
    const Shape shape = Shape::of(4, 3);
    const auto refused = [&](const SideData& side) {
        const Status status = checkSideData(side, shape);
        EXPECT_FALSE(status);
        if (status) return std::string();
        EXPECT_EQ(status.error().code, ErrorCode::Corrupt);
        return status.error().message;
    };
    EXPECT_EQ(refused({.partRows = 0, .scales = {1}}), "scales of 0 × 1 values");
    EXPECT_EQ(refused({.partRows = 2, .partColumns = 4, .scales = {1}}),
              "1 scales for a matrix of shape {4, 3}, which has 2 parts of 2 × 4");
    EXPECT_EQ(refused({.partRows = 3, .partColumns = 4, .scales = {1}, .offsets = {1, 2}}),
              "2 offsets for 1 scales");
    EXPECT_EQ(refused({.partRows = 3, .partColumns = 4, .scales = {1}, .zeros = {1, 2}}),
              "2 zeros for 1 scales");
    EXPECT_EQ(refused({.partRows = 3, .partColumns = 4, .scales = {1}, .offsets = {1}, .zeros = {1}}),
              "scales with both offsets and zeros");
    EXPECT_EQ(refused({.partRows = 3, .partColumns = 4, .scales = {1}, .columns = {0, 1}}),
              "an order of 2 columns for rows of 4");
    EXPECT_EQ(refused({.partRows = 3, .partColumns = 4, .scales = {1}, .columns = {0, 1, 1, 2}}),
              "an order of columns that names 1 twice or beyond the row");
    EXPECT_EQ(refused({.partRows = 3, .partColumns = 4, .scales = {1}, .columns = {0, 1, 2, 4}}),
              "an order of columns that names 4 twice or beyond the row");
    EXPECT_EQ(refused({.columns = {0, 1, 2, 3}, .rowsPerOrder = 2}), "an order of 4 columns for rows of 4");
    EXPECT_EQ(refused({.columns = {0, 1, 2, 3, 3, 2, 1, 1}, .rowsPerOrder = 2}),
              "an order of columns that names 1 twice or beyond the row");
    EXPECT_EQ(refused({.offsets = {1}}), "1 offsets for 0 scales");
}

TEST(Tensor, rowsMayLieApart) {
    std::vector<float> stored(24);
    std::iota(stored.begin(), stored.end(), 0.0F);
    Tensor tensor{"w", Shape::of(2, 2, 2), quant::findFormat(quant::kF32), std::as_bytes(std::span(stored))};
    tensor.rowStride = 3 * sizeof(float);
    tensor.matrixStride = 12 * sizeof(float);
    EXPECT_EQ(tensor.bytes(), 8 * sizeof(float));
    EXPECT_EQ(tensor.extent(), 17 * sizeof(float));
    std::vector<float> rows(8);
    for (uint64_t row = 0; row < 4; ++row) tensor.decodeRow(row, std::span(rows).subspan(2 * row, 2));
    EXPECT_EQ(rows, (std::vector<float>{0, 1, 3, 4, 12, 13, 15, 16}));
}

}  // namespace
}  // namespace ingle::tensor
