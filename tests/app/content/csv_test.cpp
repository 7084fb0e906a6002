#include "app/content/csv.h"

#include <gtest/gtest.h>

#include "app/content/block_stream.h"
#include "tests/app/content/shown_blocks.h"

namespace ingle::content {
namespace {

TEST(Csv, IsTheTableWithQuotationMarksWhereTheyAreNeeded) {
    const auto blocks = blocksOf("| a | b, c |\n|---|--:|\n| **x** | say \"y\" |\n| only |\n");
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_EQ(tableAsCsv(blocks), "a,\"b, c\"\r\nx,\"say \"\"y\"\"\"\r\nonly,\r\n");
}

TEST(Csv, OfALongTableIsAllOfItsPieces) {
    std::string table = "| n |\n|---|\n";
    std::string expected = "n\r\n";
    for (int i = 0; i < 100; ++i) {
        table += "| " + std::to_string(i) + " |\n";
        expected += std::to_string(i) + "\r\n";
    }
    const auto blocks = blocksOf(table);
    EXPECT_GT(blocks.size(), 1u);
    EXPECT_EQ(tableAsCsv(blocks), expected);
}

TEST(Csv, OfWhatIsNoTableIsEmpty) {
    EXPECT_EQ(tableAsCsv(blocksOf("no table, only words")), "");
}

}  // namespace
}  // namespace ingle::content
