// Damaged pictures can only produce a Result: mutations of small ones of every format, through the decoders.
// INGLE_MUTATIONS sets the number per format, INGLE_SEED the seed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "app/documents/picture_refusals.h"
#include "app/documents/readers/pictures/pixels.h"
#include "tests/app/documents/mutation.h"
#include "tests/app/documents/sample_pictures.h"

namespace ingle::documents {
namespace {

uint64_t fromEnvironment(const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : fallback;
}

void decodeMutations(const std::string& whole) {
    const uint64_t count = fromEnvironment("INGLE_MUTATIONS", 2000);
    const uint64_t seed = fromEnvironment("INGLE_SEED", 20'261'127);
    uint64_t numRead = 0;
    for (uint64_t i = 0; i < count; ++i) {
        std::mt19937_64 random(seed + i);
        // As models see them, and as the window paints them.
        const std::string bytes = test::mutated(whole, random);
        const Result<Picture> painted = decodePixels(bytes, Transparency::OnWhite);
        const Result<Picture> picture = decodePixels(bytes);
        EXPECT_EQ(painted.has_value(), picture.has_value()) << "seed " << seed + i;
        if (painted && picture) {
            EXPECT_EQ(painted->rgb.size(), picture->rgb.size());
        }
        if (picture) {
            ++numRead;
            EXPECT_EQ(picture->rgb.size(), uint64_t{3} * picture->width * picture->height);
        } else {
            EXPECT_TRUE(std::ranges::count(kPictureRefusals, picture.error().id, &PictureRefusalInfo::id))
                << picture.error().message << ", seed " << seed + i;
        }
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_LT(numRead, count);
}

Picture larger() {
    Picture picture{40, 30, {}};
    for (int i = 0; i < 40 * 30 * 3; ++i) picture.rgb.push_back(static_cast<uint8_t>(i * i % 251));
    return picture;
}

TEST(PicturesDamage, png) {
    decodeMutations(test::pngOf(larger(), PNG_COLOR_TYPE_RGBA, 6));
}

TEST(PicturesDamage, jpeg) {
    decodeMutations(test::jpegOf(larger(), 6));
}

TEST(PicturesDamage, webp) {
    decodeMutations(test::webpOf(larger()));
}

TEST(PicturesDamage, animations) {
    decodeMutations(test::animationOf(larger(), larger()));
}

TEST(PicturesDamage, aJpegThatIsCutShort) {
    Picture large{64, 64, std::vector<uint8_t>(size_t{3} * 64 * 64)};
    for (size_t i = 0; i < large.rgb.size(); ++i) large.rgb[i] = static_cast<uint8_t>(i * i / 7);
    const std::string whole = test::jpegOf(large);
    EXPECT_TRUE(decodePixels(whole));
    EXPECT_TRUE(decodePixels(whole.substr(0, whole.size() - 2))) << "only its last marker is missing";
    for (const size_t length : {whole.size() / 2, whole.size() - 200}) {
        const Result<Picture> cut = decodePixels(whole.substr(0, length));
        ASSERT_FALSE(cut) << length;
        EXPECT_EQ(cut.error().id, "pictureDamaged") << length;
    }
}

}  // namespace
}  // namespace ingle::documents
