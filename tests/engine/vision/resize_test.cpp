/// Resizing and cutting of pictures, without any model.
#include "engine/vision/preprocess.h"

#include <gtest/gtest.h>

#include "tests/engine/vision/png_file.h"

namespace ingle::vision {
namespace {

Picture filled(Size size, Colour colour) {
    Picture picture{size.width, size.height, {}};
    for (uint64_t i = 0; i < size.area(); ++i)
        picture.rgb.insert(picture.rgb.end(), colour.begin(), colour.end());
    return picture;
}

TEST(Resize, aPictureOfOneColourStaysSo) {
    const Picture picture = filled({37, 21}, {10, 128, 255});
    for (const Filter filter : {Filter::Bilinear, Filter::Bicubic, Filter::Lanczos})
        for (const Size size : {Size{5, 3}, Size{37, 50}, Size{90, 21}, Size{1, 1}})
            EXPECT_EQ(resized(picture, size, filter).rgb, filled(size, {10, 128, 255}).rgb);
}

/// Numbers of Pillow: Image.frombytes("L", (4, 1), bytes([0, 100, 200, 50])).resize((2, 1), …) and (8, 1).
TEST(Resize, numbersAreThoseOfPillow) {
    Picture line{4, 1, {}};
    for (const uint8_t grey : {0, 100, 200, 50}) line.rgb.insert(line.rgb.end(), 3, grey);
    const auto greys = [&](uint32_t width, Filter filter) {
        const Picture made = resized(line, {width, 1}, filter);
        std::vector<int> values;
        for (size_t i = 0; i < made.rgb.size(); i += 3) values.push_back(made.rgb[i]);
        return values;
    };
    EXPECT_EQ(greys(2, Filter::Bilinear), (std::vector{71, 121}));
    EXPECT_EQ(greys(2, Filter::Bicubic), (std::vector{68, 127}));
    EXPECT_EQ(greys(2, Filter::Lanczos), (std::vector{71, 130}));
    EXPECT_EQ(greys(8, Filter::Bicubic), (std::vector{0, 17, 71, 131, 193, 174, 81, 37}));
}

TEST(Resize, whatFitsLiesInTheMiddle) {
    const Picture made = fitted(filled({10, 5}, {255, 255, 255}), {20, 20}, Filter::Bicubic, {1, 2, 3});
    EXPECT_EQ(sizeOf(made), (Size{20, 20}));
    const auto pixel = [&](size_t x, size_t y) {
        const uint8_t* at = made.rgb.data() + (y * 20 + x) * 3;
        return std::vector<int>(at, at + 3);
    };
    EXPECT_EQ(pixel(0, 4), (std::vector{1, 2, 3}));
    EXPECT_EQ(pixel(0, 5), (std::vector{255, 255, 255}));
    EXPECT_EQ(pixel(19, 14), (std::vector{255, 255, 255}));
    EXPECT_EQ(pixel(19, 15), (std::vector{1, 2, 3}));
}

TEST(UnitSizes, keepTheirLimitsAndProportions) {
    const UnitSizes sizes{.unit = 28, .tokens = {4, 100}};
    for (const Size size : {Size{1, 1}, Size{3000, 2000}, Size{28, 28}, Size{100, 15}, Size{7, 1300}}) {
        const Result<Size> made = sizes.of(size);
        ASSERT_TRUE(made) << size.width << " × " << size.height;
        EXPECT_EQ(made->width % 28, 0u);
        EXPECT_EQ(made->height % 28, 0u);
        const uint64_t tokens = made->area() / (28 * 28);
        EXPECT_GE(tokens, 4u);
        EXPECT_LE(tokens, 110u);
    }
    const Result<Size> narrow = sizes.of({1, 201});
    ASSERT_FALSE(narrow);
    EXPECT_EQ(narrow.error().message,
              "a picture of 1 × 201 pixels is too narrow: one side may be 200 times the other at most");
}

/// Whatever the proportions, tiles stay within their bounds.
TEST(Cutters, extremePicturesAreCutOrRefused) {
    const Resizing stretched{Filter::Lanczos, Fit::Stretched};
    const std::unique_ptr<Cutter> cutters[] = {
        inUnits({28, {8, 64}}, {}, {}),
        inSquare(56, {}, {}),
        inBestTiles(56, {{56, 112}, {112, 56}}, {}, {}),
        inSlices(84, 14, SmallBy::Sides, {}, SliceMarks::EachSlice),
        inSlices(84, 14, SmallBy::Area, {}, SliceMarks::AllTogether),
        inIdeficsTiles(64, 128, stretched),
        inLfmTiles({32, {2, 8}, Rounding::ToEven}, stretched),
        inNearestGrid(28, 64, stretched, {}),
    };
    for (const auto& cutter : cutters) {
        for (const Size size : {Size{1, 1}, Size{1, 4000}, Size{4000, 1}, Size{1, 199}, Size{500, 3}}) {
            const Result<CutPicture> cut = cutter->cut(test::gradient(size.width, size.height));
            if (!cut) {
                EXPECT_EQ(cut.error().code, ErrorCode::InvalidArgument);
                continue;
            }
            EXPECT_FALSE(cut->tiles.empty());
            EXPECT_LE(cut->tiles.size(), 12u);
            for (const CutPicture::Tile& tile : cut->tiles) {
                EXPECT_GT(sizeOf(tile.picture).area(), 0u);
                EXPECT_LE(sizeOf(tile.picture).area(), 1u << 20);
                EXPECT_EQ(tile.picture.rgb.size(), 3 * sizeOf(tile.picture).area());
            }
        }
    }
}

TEST(Cutters, aWrongFilterChangesThousandsOfBytes) {
    const Picture picture = test::gradient(150, 118);
    const auto pixels = [&](Filter filter) {
        return inSquare(168, {filter}, {})->cut(picture)->tiles[0].picture.rgb;
    };
    const auto bilinear = pixels(Filter::Bilinear);
    const auto bicubic = pixels(Filter::Bicubic);
    size_t numOther = 0;
    for (size_t i = 0; i < bilinear.size(); ++i) numOther += bilinear[i] != bicubic[i] ? 1 : 0;
    EXPECT_GT(numOther, 1000u);
}

}  // namespace
}  // namespace ingle::vision
