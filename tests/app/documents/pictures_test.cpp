/// Pictures through `ingle-documents`: every format, turned as EXIF says, and what is no picture.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "app/documents/picture_answer.h"
#include "app/documents/picture_refusals.h"
#include "app/documents/read_picture.h"
#include "app/documents/readers/pictures/pixels.h"
#include "tests/app/documents/sample_pictures.h"
#include "tests/temporary_folder.h"

namespace ingle::documents {
namespace {

class Pictures : public testing::Test {
  protected:
    std::string write(std::string_view bytes) const {
        const std::string path = m_folder.file("picture");
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    Result<Picture> read(std::string_view bytes) const { return readPicture(write(bytes)); }
    void expectId(std::string_view bytes, std::string_view id) const {
        const Result<Picture> picture = read(bytes);
        ASSERT_FALSE(picture) << id;
        EXPECT_EQ(picture.error().id, id) << picture.error().message;
    }

    test::TemporaryFolder m_folder;
    const Picture m_sample = test::samplePicture();
};

TEST_F(Pictures, everyFormatComesThrough) {
    for (const std::string& bytes :
         {test::pngOf(m_sample), test::pngOf(m_sample, PNG_COLOR_TYPE_RGBA), test::webpOf(m_sample)}) {
        const Result<Picture> picture = read(bytes);
        ASSERT_TRUE(picture) << picture.error().message;
        EXPECT_EQ(picture->width, 4u);
        EXPECT_EQ(picture->height, 3u);
        EXPECT_EQ(picture->rgb, m_sample.rgb);
    }
    const Result<Picture> jpeg = read(test::jpegOf(m_sample));
    ASSERT_TRUE(jpeg) << jpeg.error().message;
    ASSERT_EQ(jpeg->rgb.size(), m_sample.rgb.size());
    for (size_t i = 0; i < jpeg->rgb.size(); ++i) EXPECT_NEAR(jpeg->rgb[i], m_sample.rgb[i], 12) << i;
}

TEST_F(Pictures, bytesComeThroughWithoutAFile) {
    Picture large{2000, 1000, {}};
    large.rgb.resize(size_t{3} * 2000 * 1000, 77);
    for (const Picture& each : {m_sample, large}) {
        const Result<Picture> picture = readPictureBytes(test::pngOf(each));
        ASSERT_TRUE(picture) << picture.error().message;
        EXPECT_EQ(picture->rgb, each.rgb);
    }
    const Result<Picture> none = readPictureBytes("no picture");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().id, "pictureUnknown");
    // What the pipe cannot take at once, and nobody reads.
    const Result<Picture> unread = readPictureBytes(std::string(1 << 20, 'x'), {.program = "/bin/true"});
    ASSERT_FALSE(unread);
    EXPECT_EQ(unread.error().id, "pictureReaderFailed");
}

TEST_F(Pictures, greyBecomesColours) {
    const Result<Picture> picture = read(test::pngOf(m_sample, PNG_COLOR_TYPE_GRAY));
    ASSERT_TRUE(picture) << picture.error().message;
    for (size_t i = 0; i < picture->rgb.size(); ++i) EXPECT_EQ(picture->rgb[i], m_sample.rgb[i / 3 * 3]) << i;
}

TEST_F(Pictures, ofAnAnimationTheFirstFrameIsRead) {
    Picture second = m_sample;
    for (uint8_t& byte : second.rgb) byte = static_cast<uint8_t>(255 - byte);
    const Result<Picture> picture = read(test::animationOf(m_sample, second));
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_EQ(picture->rgb, m_sample.rgb);
}

/// Where the first pixel of the stored picture comes to lie, and the last of its first line.
TEST_F(Pictures, areTurnedAsExifSays) {
    struct Row {
        uint8_t orientation;
        uint32_t width;
        size_t first, lastOfLine;
    };
    const Row rows[] = {{1, 4, 0, 3}, {2, 4, 3, 0},  {3, 4, 11, 8}, {4, 4, 8, 11},
                        {5, 3, 0, 9}, {6, 3, 2, 11}, {7, 3, 11, 2}, {8, 3, 9, 0}};
    for (const Row& row : rows) {
        SCOPED_TRACE(int{row.orientation});
        const Result<Picture> picture = read(test::pngOf(m_sample, PNG_COLOR_TYPE_RGB, row.orientation));
        ASSERT_TRUE(picture) << picture.error().message;
        EXPECT_EQ(picture->width, row.width);
        EXPECT_EQ(picture->rgb[row.first * 3], m_sample.rgb[0]);
        EXPECT_EQ(picture->rgb[row.lastOfLine * 3], m_sample.rgb[9]);
        const Result<Picture> jpeg = read(test::jpegOf(m_sample, row.orientation));
        ASSERT_TRUE(jpeg) << jpeg.error().message;
        EXPECT_EQ(jpeg->width, row.width);
    }
}

/// A chunk is cut out and put behind the image's data, as some programs write it.
TEST_F(Pictures, areTurnedByWhatStandsBehindTheImage) {
    std::string png = test::pngOf(m_sample, PNG_COLOR_TYPE_RGB, 6);
    const size_t exif = png.find("eXIf") - 4, end = png.find("IEND") - 4;
    const std::string chunk = png.substr(exif, png.find("IDAT") - 4 - exif);
    ASSERT_LT(exif, end);
    png.insert(end, chunk);
    png.erase(exif, chunk.size());
    ASSERT_GT(png.find("eXIf"), png.find("IDAT"));
    const std::string webp = test::webpWith(test::webpOf(m_sample), test::exifOf(6));
    ASSERT_GT(webp.find("EXIF"), webp.find("VP8L"));
    for (const std::string& bytes : {png, webp}) {
        const Result<Picture> picture = read(bytes);
        ASSERT_TRUE(picture) << picture.error().message;
        EXPECT_EQ(picture->width, 3u);
        EXPECT_EQ(picture->rgb[2 * 3], m_sample.rgb[0]);
    }
    // Damage there is none of the picture.
    png.resize(png.find("eXIf") + 9);
    EXPECT_TRUE(read(png));
}

/// Models get what is stored; people see what is behind.
TEST_F(Pictures, transparencyIsDroppedOrPutOnWhite) {
    const std::vector<uint8_t> rgba{10, 20, 30, 0, 10, 20, 30, 255, 0, 100, 200, 51};
    const Picture seen{3, 1, {255, 255, 255, 10, 20, 30, 204, 224, 244}};
    for (const std::string& bytes : {test::transparentPng(3, 1, rgba), test::transparentWebp(3, 1, rgba)}) {
        const Result<Picture> picture = readPictureBytes(bytes, {}, Transparency::OnWhite);
        ASSERT_TRUE(picture) << picture.error().message;
        EXPECT_EQ(picture->rgb, seen.rgb);
    }
    EXPECT_EQ(readPictureBytes(test::transparentPng(3, 1, rgba))->rgb,
              (std::vector<uint8_t>{10, 20, 30, 10, 20, 30, 0, 100, 200}));
    // What is not transparent stays as it is.
    for (const std::string& bytes : {test::pngOf(m_sample), test::webpOf(m_sample)})
        EXPECT_EQ(readPictureBytes(bytes, {}, Transparency::OnWhite)->rgb, m_sample.rgb);
    const auto grey = readPictureBytes(test::pngOf(m_sample, PNG_COLOR_TYPE_GRAY), {}, Transparency::OnWhite);
    ASSERT_TRUE(grey);
    EXPECT_EQ(grey->rgb[3], m_sample.rgb[3]);
}

TEST_F(Pictures, whatIsWrittenAsPngIsReadAgain) {
    const Result<Picture> picture = read(encodePng(m_sample));
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_EQ(picture->width, m_sample.width);
    EXPECT_EQ(picture->rgb, m_sample.rgb);
}

TEST_F(Pictures, whatCannotBeReadIsTold) {
    expectId("words", "pictureUnknown");
    expectId("", "pictureUnknown");
    expectId(std::string("\0\0\0\x18"
                         "ftypheic\0\0\0\0",
                         16),
             "pictureHeic");
    expectId(std::string("\0\0\0\x18"
                         "ftypmif1\0\0\0\0avif",
                         20),
             "pictureAvif");
    for (const std::string& whole : {test::pngOf(m_sample), test::webpOf(m_sample)})
        expectId(whole.substr(0, whole.size() - 14), "pictureDamaged");
    expectId(test::jpegOf(m_sample).substr(0, 30), "pictureDamaged");
    const std::string sparse = m_folder.file("large");
    std::ofstream(sparse) << "\x89PNG";
    ASSERT_EQ(::truncate(sparse.c_str(), (64 << 20) + 1), 0);
    EXPECT_EQ(readPicture(sparse).error().id, "pictureTooLarge");
    EXPECT_EQ(readPicture(m_folder.file("missing")).error().id, "fileMissing");
    EXPECT_EQ(readPicture(m_folder.path()).error().id, "pictureUnknown");
}

/// A picture of 20,000 × 20,000 pixels takes 1.2 GB: it is refused by what its head says.
TEST_F(Pictures, bombsAreRefusedByTheirHeads) {
    std::string bytes = test::pngOf(m_sample);
    const auto put = [&](size_t at, uint32_t value) {
        for (int i = 0; i < 4; ++i)
            bytes[at + static_cast<size_t>(i)] = static_cast<char>(value >> (24 - 8 * i));
    };
    put(16, 20'000);
    put(20, 20'000);
    const auto* head = reinterpret_cast<const unsigned char*>(bytes.data()) + 12;
    uint32_t crc = ~0U;
    for (size_t i = 0; i < 17; ++i) {
        crc ^= head[i];
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0U);
    }
    put(29, ~crc);
    expectId(bytes, "pictureTooManyPixels");
}

/// Nothing that the child answers is taken on trust.
TEST_F(Pictures, answersThatNoReaderWritesAreRefused) {
    for (const char* answer :
         {"", "size 1 1", "size 1 1\n", "size 1 1\nabcd", "size 0 1\n", "size 1\nabc", "size 1 1 1\nabc",
          "size 65536 65536\nabc", "size -1 1\nabc", "error\n", "error no such\n", "words\n"}) {
        const Result<Picture> picture = decodePicture(answer);
        ASSERT_FALSE(picture) << answer;
        EXPECT_EQ(picture.error().id, "pictureReaderFailed") << answer;
    }
    const Result<Picture> picture = decodePicture("size 1 1\nabc");
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->rgb, (std::vector<uint8_t>{'a', 'b', 'c'}));
    for (const PictureRefusalInfo& info : kPictureRefusals) {
        const Result<Picture> refused =
            decodePicture(pictureHead(tl::unexpected<Error>(Error{info.code, {}, std::string(info.id)})));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().message, info.sentence);
    }
}

}  // namespace
}  // namespace ingle::documents
