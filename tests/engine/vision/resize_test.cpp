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

/// What transformers 5.24 makes of sizes: smart_resize(32, 65536, 1048576), get_aspect_ratio_preserving_size
/// (16, 280 * 9, 3), Pixtral's for a longest edge of 1024 in patches of 16, and get_optimal_tiled_canvas of 1
/// to 12 tiles of 448 pixels.
TEST(UnitSizes, areThoseOfTheModelsOwnCode) {
    struct Case {
        Size size, nearest, filled, covered, tiles;
    };
    const Case cases[] = {
        {{640, 480}, {640, 480}, {912, 672}, {640, 480}, {4, 3}},
        {{480, 640}, {480, 640}, {672, 912}, {480, 640}, {3, 4}},
        {{97, 1300}, {96, 1312}, {192, 2928}, {80, 1024}, {1, 12}},
        {{33, 33}, {256, 256}, {768, 768}, {48, 48}, {1, 1}},
        {{2000, 1500}, {1152, 864}, {912, 672}, {1024, 768}, {4, 3}},
        {{112, 80}, {320, 224}, {912, 672}, {112, 80}, {4, 3}},
        {{1023, 1024}, {1024, 1024}, {768, 768}, {1024, 1024}, {3, 3}},
        {{300, 299}, {288, 288}, {768, 768}, {304, 304}, {1, 1}},
        {{48, 80}, {224, 352}, {576, 1008}, {48, 80}, {2, 3}},
    };
    const UnitSizes nearest{.unit = 32, .tokens = {64, 1024}, .rounding = Rounding::ToEven};
    const UnitSizes filled{.unit = 48, .tokens = {70, 280}, .rule = SizeRule::Filled};
    const UnitSizes covered{.unit = 16, .tokens = {1, 4096}, .rule = SizeRule::Covered, .longest = 1024};
    const auto tiles = inNearestTiles(448, 1, 12, {}, {"<img>", "</img>"});
    for (const Case& tried : cases) {
        SCOPED_TRACE(std::to_string(tried.size.width) + " × " + std::to_string(tried.size.height));
        EXPECT_EQ(nearest.of(tried.size).value(), tried.nearest);
        EXPECT_EQ(filled.of(tried.size).value(), tried.filled);
        EXPECT_EQ(covered.of(tried.size).value(), tried.covered);
        const CutPicture cut = tiles->cut(test::gradient(tried.size.width, tried.size.height)).value();
        EXPECT_EQ(cut.tiles[0].grid, tried.tiles);
        // All of it stands behind its parts.
        EXPECT_EQ(cut.tiles.size(), tried.tiles.area() > 1 ? tried.tiles.area() + 1 : 1);
        EXPECT_EQ(cut.tiles[0].before, "<img>");
    }
    // Fewer tokens are the stronger limit.
    const UnitSizes few{.unit = 16, .tokens = {1, 100}, .rule = SizeRule::Covered, .longest = 1024};
    EXPECT_LE(few.of({640, 480}).value().area(), 100u * 16 * 16);
}

/// Limits that are no whole tokens, and what floats round otherwise: smart_resize of transformers 5.24.
TEST(UnitSizes, limitsInPixelsAreThoseOfTheModelsOwnCode) {
    struct Case {
        uint32_t unit;
        PixelLimits pixels;
        Size size, made;
    };
    const Case cases[] = {
        {28, {3136, 802816}, {1728, 972}, {1176, 672}}, {28, {3136, 802816}, {2176, 1224}, {1176, 672}},
        {32, {65536, 16777216}, {90, 10}, {768, 96}},   {28, {3136, 262144}, {751, 1519}, {336, 728}},
        {28, {10000, 1000000}, {112, 84}, {140, 112}},  {28, {9000, 1000000}, {140, 56}, {168, 84}},
        {28, {3136, 8000}, {84, 112}, {56, 84}},        {28, {784, 40000}, {200, 300}, {140, 224}},
        {28, {784, 802816}, {98, 10}, {112, 28}},       {28, {1, 500}, {98, 70}, {28, 28}},
        {28, {3136, 802816}, {98, 70}, {112, 56}},      {28, {3136, 802816}, {640, 480}, {644, 476}},
    };
    for (const Case& tried : cases) {
        const UnitSizes sizes{.unit = tried.unit, .rule = SizeRule::ByPixels, .limits = tried.pixels};
        EXPECT_EQ(sizes.of(tried.size).value(), tried.made) << tried.size.width << " × " << tried.size.height;
    }
    EXPECT_FALSE((UnitSizes{.unit = 28, .rule = SizeRule::ByPixels, .limits = {1, 500}}.of({1, 201})));
}

TEST(Cutters, theMiddleIsCutOut) {
    Picture picture = filled({100, 50}, {9, 9, 9});
    for (size_t line = 0; line < 50; ++line)  // 25 columns on each side are black
        for (size_t column = 0; column < 100; ++column)
            if (column < 25 || column >= 75)
                std::fill_n(picture.rgb.begin() + static_cast<long>(3 * (line * 100 + column)), 3,
                            uint8_t{0});
    const auto cut = inMiddle(50, 50, {}, {})->cut(picture);
    ASSERT_TRUE(cut);
    ASSERT_EQ(cut->tiles.size(), 1u);
    EXPECT_EQ(cut->tiles[0].picture.rgb, filled({50, 50}, {9, 9, 9}).rgb);
    EXPECT_EQ(sizeOf(inMiddle(32, 40, {}, {})->cut(picture)->tiles[0].picture), (Size{32, 32}));
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
        inNearestTiles(56, 1, 9, {}, {}),
        inMiddle(56, 60, {}, {}),
        inUnits({.unit = 28, .tokens = {8, 64}, .rule = SizeRule::Filled}, {}, {}),
        inUnits({.unit = 28, .tokens = {8, 64}, .rule = SizeRule::Covered, .longest = 400}, {}, {}),
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
