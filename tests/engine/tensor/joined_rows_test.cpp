/// Rows of several matrices as those of one: each has the numbers it had.
#include "engine/tensor/joined_rows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/tensor/side_data.h"

namespace ingle::tensor {
namespace {

constexpr uint64_t kWidth = 3, kRows = 4;

/// A matrix that holds first, first + 1, first + 2 …, and the floats.
struct Numbers {
    std::vector<float> floats = std::vector<float>(kWidth * kRows);
    std::shared_ptr<Tensor> tensor;

    explicit Numbers(float first, const SideData* side = nullptr) {
        std::iota(floats.begin(), floats.end(), first);
        tensor = std::make_shared<Tensor>(Tensor{
            "w", Shape::of(kWidth, kRows), quant::findFormat(quant::kF32), std::as_bytes(std::span(floats))});
        if (side) tensor->side = std::make_shared<const SideData>(*side);
    }
    std::vector<float> row(uint64_t index) const {
        std::vector<float> values(kWidth);
        tensor->decodeRow(index, values);
        return values;
    }
};

std::vector<float> rowOf(const Tensor& tensor, uint64_t row) {
    std::vector<float> values(kWidth);
    tensor.decodeRow(row, values);
    return values;
}

TEST(JoinedRows, areThoseOfTheirMatrices) {
    const Numbers a(0), b(100);
    const auto joined = joinRows({{a.tensor, 1, 2}, {b.tensor, 0, 2, 3}, {a.tensor, 3, 1}});
    ASSERT_TRUE(joined);
    EXPECT_EQ(joined->shape, Shape::of(kWidth, 5));
    EXPECT_EQ(joined->side, nullptr);
    const std::vector<float> expected[] = {a.row(1), a.row(2), b.row(0), b.row(3), a.row(3)};
    for (uint64_t row = 0; row < 5; ++row) EXPECT_EQ(rowOf(*joined, row), expected[row]) << row;
    // Some at once, across the ranges.
    std::vector<float> several(3 * kWidth);
    joined->decoder->decode(1, 3, std::as_writable_bytes(std::span(several)).data());
    for (uint64_t row = 0; row < 3; ++row)
        EXPECT_EQ(std::vector(several.begin() + static_cast<ptrdiff_t>(row * kWidth),
                              several.begin() + static_cast<ptrdiff_t>((row + 1) * kWidth)),
                  expected[row + 1]);
}

TEST(JoinedRows, keepTheirScalesAndOrders) {
    const SideData blocks{.partRows = 2, .partColumns = 2, .scales = {1, 2, 3, 4}, .columns = {2, 0, 1}};
    const SideData rows{.partRows = 1, .partColumns = 2, .scales = {5, 6, 7, 8, 9, 10, 11, 12}};
    const Numbers a(0, &blocks), b(100, &rows);
    const auto joined = joinRows({{a.tensor, 1, 2}, {b.tensor, 0, 2, 3}});
    ASSERT_TRUE(joined) << joined.error().message;
    EXPECT_TRUE(checkSideData(*joined->side, joined->shape));
    const std::vector<float> expected[] = {a.row(1), a.row(2), b.row(0), b.row(3)};
    for (uint64_t row = 0; row < 4; ++row) EXPECT_EQ(rowOf(*joined, row), expected[row]) << row;
}

TEST(JoinedRows, ofNoCommonPartsAreRefused) {
    const SideData narrow{.partRows = kRows, .partColumns = 2, .scales = {1, 2}};
    const SideData whole{.partRows = kRows, .partColumns = kWidth, .scales = {1}};
    const SideData turned{.columns = {2, 1, 0}};
    const Numbers a(0, &narrow), b(0, &whole), c(0), d(0, &turned);
    const auto message = [](const Result<Tensor>& joined) {
        return joined ? std::string() : joined.error().message;
    };
    EXPECT_EQ(message(joinRows({{a.tensor, 0, 2}, {b.tensor, 0, 2}})),
              "tensor 'w': parts of one matrix have scales of different groups");
    EXPECT_EQ(message(joinRows({{c.tensor, 0, 2}, {b.tensor, 0, 2}})),
              "tensor 'w': parts of one matrix have scales of different groups");
    EXPECT_EQ(message(joinRows({{c.tensor, 0, 2}, {d.tensor, 0, 1}})),
              "tensor 'w': parts of one matrix have their columns in different orders");
}

}  // namespace
}  // namespace ingle::tensor
