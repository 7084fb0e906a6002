/// Scans through `ingle-documents`: what is recognised in pictures of pages, and what is kept of it on the
/// way.
#include <gtest/gtest.h>
#include <poppler-document.h>
#include <poppler-page-renderer.h>
#include <poppler-page.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/documents/kept_pages.h"
#include "app/documents/page_answer.h"
#include "app/documents/read_picture.h"
#include "app/documents/read_scan.h"
#include "app/documents/readers/pictures/pixels.h"
#include "tests/app/documents/sample_documents.h"
#include "tests/temporary_folder.h"

namespace ingle::documents {
namespace {

namespace fs = std::filesystem;

/// A stream of a page in Helvetica that is drawn at 150 dots an inch: "<</Type/XObject …>>".
std::string drawn(const std::string& words) {
    const std::string pdf = test::pdfOf(
        {"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[4 0 R]/Count 1>>",
         "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
         "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 100]/Contents 5 0 R/Resources<</Font<</F 3 0 R>>>>>>",
         test::streamOf(fmt::format("BT /F 24 Tf 20 40 Td ({}) Tj ET", words))});
    const std::unique_ptr<poppler::document> document(
        poppler::document::load_from_raw_data(pdf.data(), static_cast<int>(pdf.size())));
    const std::unique_ptr<poppler::page> page(document->create_page(0));
    poppler::page_renderer renderer;
    renderer.set_image_format(poppler::image::format_gray8);
    renderer.set_render_hint(poppler::page_renderer::text_antialiasing);
    const poppler::image image = renderer.render_page(page.get(), 150, 150);
    std::string dots;
    for (int row = 0; row < image.height(); ++row)
        dots.append(image.const_data() + static_cast<std::ptrdiff_t>(row) * image.bytes_per_row(),
                    static_cast<size_t>(image.width()));
    return fmt::format(
        "<</Type/XObject/Subtype/Image/Width {}/Height {}/ColorSpace/DeviceGray/BitsPerComponent 8/Length "
        "{}>>\n"
        "stream\n{}\nendstream",
        image.width(), image.height(), dots.size(), dots);
}

/// A PDF whose pages are pictures of these words.
std::string scanOf(const std::vector<std::string>& pages) {
    std::string kids;
    for (size_t i = 0; i < pages.size(); ++i) kids += fmt::format("{} 0 R ", 4 + 2 * i);
    std::vector<std::string> objects{"<</Type/Catalog/Pages 2 0 R>>",
                                     fmt::format("<</Type/Pages/Kids[{}]/Count {}>>", kids, pages.size()),
                                     test::streamOf("400 0 0 100 0 200 cm /I Do")};
    for (size_t i = 0; i < pages.size(); ++i) {
        objects.push_back(
            fmt::format("<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 3 0 "
                        "R/Resources<</XObject<</I {} 0 R>>>>>>",
                        5 + 2 * i));
        objects.push_back(drawn(pages[i]));
    }
    return test::pdfOf(objects);
}

class Scans : public testing::Test {
  protected:
    void SetUp() override {
        m_path = m_folder.file("scan.pdf");
        std::ofstream(m_path, std::ios::binary) << scanOf({"Beech trees", "", "Oak forest"});
        m_options.keptIn = m_folder.file("kept");
        static const bool kHasNone = [this] {
            const auto probe = readScan(m_path);
            return !probe && probe.error().id == "documentScanned";
        }();
        if (kHasNone) GTEST_SKIP() << "Tesseract, or a language of it, is not installed";
    }
    /// Those that are kept, by their names.
    std::vector<fs::path> kept() const {
        std::vector<fs::path> found;
        if (fs::exists(m_options.keptIn))
            for (const auto& each : fs::recursive_directory_iterator(m_options.keptIn))
                if (each.is_regular_file()) found.push_back(each.path());
        std::ranges::sort(found);
        return found;
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
    ScanOptions m_options;
};

TEST_F(Scans, theTextOfPicturesIsRecognised) {
    std::vector<uint32_t> told;
    m_options.isAt = [&](uint32_t page, uint32_t) { told.push_back(page); };
    const auto document = readScan(m_path, m_options);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text, "Beech trees\n\nOak forest");
    EXPECT_EQ(document->places,
              (std::vector<Place>{{0, PlaceKind::Page, 1, {}}, {13, PlaceKind::Page, 3, {}}}));
    ASSERT_EQ(document->leftOut.size(), 1u);
    EXPECT_EQ(document->leftOut[0].kind, LossKind::PagesWithoutText);
    EXPECT_EQ(document->leftOut[0].count, 1u);
    EXPECT_EQ(told, (std::vector<uint32_t>{1, 2, 3}));
    EXPECT_TRUE(kept().empty()) << "all was read";
    EXPECT_TRUE(isScan(readDocument(m_path)));
    EXPECT_TRUE(isScan(document));
}

TEST_F(Scans, whatWasInterruptedGoesOn) {
    uint32_t page = 0;
    m_options.isAt = [&](uint32_t at, uint32_t) { page = at; };
    m_options.reading.isCancelled = [&] { return page == 3; };
    const auto cancelled = readScan(m_path, m_options);
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
    ASSERT_EQ(kept().size(), 2u);
    // What is kept is believed; what is no page is not.
    std::ofstream(kept()[0], std::ios::binary) << encodePage(RecognisedPage{3, "It was kept", {}});
    std::ofstream(kept()[1], std::ios::binary) << "nonsense";
    m_options.reading.isCancelled = [] { return false; };
    const auto document = readScan(m_path, m_options);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text, "It was kept\n\nOak forest");
}

TEST_F(Scans, pagesWithTextKeepIt) {
    std::ofstream(m_path, std::ios::binary) << test::pdfWith({"Own words"});
    const auto document = readScan(m_path);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text, "Own words");
    EXPECT_FALSE(isScan(document));
}

/// A photograph of words, as a PNG file.
std::string photographOf(const std::string& words) {
    const std::string pdf = scanOf({words});
    const std::unique_ptr<poppler::document> document(
        poppler::document::load_from_raw_data(pdf.data(), static_cast<int>(pdf.size())));
    const std::unique_ptr<poppler::page> page(document->create_page(0));
    poppler::page_renderer renderer;
    renderer.set_image_format(poppler::image::format_rgb24);
    const poppler::image image = renderer.render_page(page.get(), 200, 200);
    Picture picture{static_cast<uint32_t>(image.width()), static_cast<uint32_t>(image.height()), {}};
    for (int row = 0; row < image.height(); ++row) {
        const char* line = image.const_data() + static_cast<std::ptrdiff_t>(row) * image.bytes_per_row();
        picture.rgb.insert(picture.rgb.end(), line, line + 3 * image.width());
    }
    return encodePng(picture);
}

TEST_F(Scans, aPictureIsADocument) {
    m_path = m_folder.file("photograph.png");
    std::ofstream(m_path, std::ios::binary) << photographOf("Beech trees");
    EXPECT_TRUE(isScan(readDocument(m_path)));
    const auto document = readScan(m_path, m_options);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text, "Beech trees");
    EXPECT_EQ(document->format, "picture");
    EXPECT_EQ(document->title, "photograph.png");
    EXPECT_TRUE(kept().empty());
}

/// Scans that a model reads; it needs no Tesseract.
class SeenScans : public testing::Test {
  protected:
    void SetUp() override {
        m_path = m_folder.file("scan.pdf");
        std::ofstream(m_path, std::ios::binary) << scanOf({"Beech trees", "", "Oak forest"});
        m_options.keptIn = m_folder.file("kept");
        m_options.seer = "eyes";
        m_options.see = [this](const std::string& picture) -> Result<std::string> {
            m_seen.push_back(picture);
            if (m_seen.size() == m_failsAt) return fail(ErrorCode::Device, "the lamp went out");
            return m_seen.size() == 2 ? " \n" : "Words " + std::to_string(m_seen.size()) + "\n";
        };
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
    ScanOptions m_options;
    std::vector<std::string> m_seen;
    size_t m_failsAt = 0;
};

TEST_F(SeenScans, pagesAreShownAndTheirTextIsTaken) {
    std::vector<std::pair<uint32_t, uint32_t>> told;
    m_options.isAt = [&](uint32_t page, uint32_t numPages) { told.emplace_back(page, numPages); };
    const auto document = readScan(m_path, m_options);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text, "Words 1\n\nWords 3");
    EXPECT_EQ(document->places,
              (std::vector<Place>{{0, PlaceKind::Page, 1, {}}, {9, PlaceKind::Page, 3, {}}}));
    // How many there are is known before the first, which may take a minute, is read.
    EXPECT_EQ(told, (std::vector<std::pair<uint32_t, uint32_t>>{{1, 0}, {1, 3}, {2, 3}, {3, 3}}));
    ASSERT_EQ(m_seen.size(), 3u);
    const auto first = readPictureBytes(m_seen[0]);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_NEAR(first->width, 400 * 150 / 72, 1);  // points at so many dots an inch
    EXPECT_TRUE(std::ranges::any_of(first->rgb, [](uint8_t each) { return each < 50; })) << "no words";
    EXPECT_EQ(first->rgb[0], 255);
}

TEST_F(SeenScans, whatIsGivenUpLeavesNothing) {
    m_options.reading.isCancelled = [this] { return m_seen.size() == 2; };
    ASSERT_FALSE(readScan(m_path, m_options));
    EXPECT_FALSE(fs::is_empty(m_options.keptIn)) << "somebody may go on";
    m_options.isGivenUp = [] { return true; };
    const auto cancelled = readScan(m_path, m_options);
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
    EXPECT_TRUE(fs::is_empty(m_options.keptIn));
}

/// Pages of a scan that nobody goes on with.
TEST_F(SeenScans, whatNobodyComesBackForIsRemoved) {
    m_failsAt = 2;
    ASSERT_FALSE(readScan(m_path, m_options));
    const fs::path others = fs::path(m_options.keptIn) / "another-eyes";
    fs::create_directories(others);
    std::ofstream(others / "1") << "a page";
    const auto setAge = [&](std::chrono::hours age) {
        for (const auto& each : fs::directory_iterator(m_options.keptIn))
            fs::last_write_time(each.path(), fs::file_time_type::clock::now() - age);
    };
    setAge(KeptPages::kPatience - std::chrono::hours(1));
    m_failsAt = 4;
    ASSERT_FALSE(readScan(m_path, m_options));
    EXPECT_EQ(m_seen.size(), 4u) << "the first page was still there";
    EXPECT_TRUE(fs::exists(others));
    setAge(KeptPages::kPatience + std::chrono::hours(1));
    m_failsAt = 5;
    ASSERT_FALSE(readScan(m_path, m_options));
    EXPECT_FALSE(fs::exists(others));
    m_failsAt = 0;
    ASSERT_TRUE(readScan(m_path, m_options));
    EXPECT_EQ(m_seen.size(), 8u);
}

TEST_F(SeenScans, afterAnErrorItGoesOnWithTheSameReaderOnly) {
    m_failsAt = 3;
    const auto failed = readScan(m_path, m_options);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "the lamp went out");
    ASSERT_TRUE(readScan(m_path, m_options));
    EXPECT_EQ(m_seen.size(), 4u) << "two pages were read before";
    m_failsAt = 0;
    EXPECT_TRUE(fs::is_empty(m_options.keptIn));

    m_failsAt = m_seen.size() + 3;
    EXPECT_FALSE(readScan(m_path, m_options));
    m_options.seer = "others";
    const size_t before = m_seen.size();
    ASSERT_TRUE(readScan(m_path, m_options));
    EXPECT_EQ(m_seen.size(), before + 3) << "what another has read is not taken";
    EXPECT_TRUE(fs::is_empty(m_options.keptIn)) << "nor does it stay";
}

TEST_F(SeenScans, pagesWithTextAreNotShown) {
    std::ofstream(m_path, std::ios::binary) << test::pdfWith({"Own words", ""});
    const auto document = readScan(m_path, m_options);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text, "Own words\n\nWords 1");
}

TEST_F(SeenScans, aPictureIsShownAsItIs) {
    m_path = m_folder.file("photograph.png");
    const std::string bytes = photographOf("Beech trees");
    std::ofstream(m_path, std::ios::binary) << bytes;
    const auto document = readScan(m_path, m_options);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text, "Words 1");
    EXPECT_EQ(document->format, "picture");
    EXPECT_EQ(m_seen, std::vector{bytes});
}

TEST(ScanAnswers, onlyPicturesAreBelieved) {
    const RecognisedPage sent{7, {}, encodePng({1, 1, {1, 2, 3}})};
    const auto page = decodePage(encodePage(sent));
    ASSERT_TRUE(page);
    EXPECT_EQ(page->numPages, 7u);
    EXPECT_EQ(page->picture, sent.picture);
    for (const char* wrong : {"pictured 1\n", "pictured 1\nwords", "pictured 0\n\x89PNG\r\n\x1a\n",
                              "pictured 1\n\0\0\0\x18"
                              "ftypheic"})
        EXPECT_FALSE(decodePage(wrong)) << wrong;
}

TEST(ScanAnswers, onlyPagesAreBelieved) {
    const auto page = decodePage(encodePage(RecognisedPage{7, "Words", {}}));
    ASSERT_TRUE(page);
    EXPECT_EQ(page->numPages, 7u);
    EXPECT_EQ(page->text, "Words");
    for (const char* wrong : {"", "pages", "pages \nx", "pages 0\nx", "pages 99999999\nx", "pages 1x\nx",
                              "pages 1\n\x1b[31m", "error nothing\n"})
        EXPECT_FALSE(decodePage(wrong)) << wrong;
}

}  // namespace
}  // namespace ingle::documents
