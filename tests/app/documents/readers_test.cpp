/// What each reader makes of a small document: text and places, as they are given to a model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/documents/answer.h"
#include "app/documents/fence.h"
#include "app/documents/other_formats.h"
#include "app/documents/readers/reader.h"
#include "app/documents/refusals.h"
#include "tests/app/documents/sample_documents.h"
#include "tests/processor_time.h"

namespace ingle::documents {

void PrintTo(const Place& place, std::ostream* out) {
    *out << place.offset << ' ' << static_cast<int>(place.kind) << ' ' << place.number << ' ' << place.words;
}

namespace {

using testing::ElementsAre;

Result<Document> readSample(std::string_view bytes, std::string_view name = "sample") {
    prepareReaders();
    Result<Document> document = readBytes({bytes, name});
    if (document) {
        EXPECT_TRUE(isSound(*document));
        // Each place is where it says.
        for (const Place& place : document->places) {
            EXPECT_NE(document->text.substr(place.offset, 400).find(place.words), std::string::npos)
                << place.words;
        }
    }
    return document;
}

/// The refusal's id and its sentence.
void expectRefused(const Result<Document>& result, Refusal refusal, std::string_view mentions) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().id, kRefusals[static_cast<size_t>(refusal)].id) << result.error().message;
    EXPECT_NE(result.error().message.find(mentions), std::string::npos) << result.error().message;
    EXPECT_EQ(result.error().message.find('{'), std::string::npos) << result.error().message;
}

Place heading(size_t offset, uint32_t level, std::string words) {
    return {offset, PlaceKind::Heading, level, std::move(words)};
}

TEST(Readers, plainTextStaysAsItIs) {
    const auto document = readSample(
        "\xEF\xBB\xBF"
        "One\r\n\ttwo\x1b\n\nthree\f\n",
        "a.txt");
    ASSERT_TRUE(document);
    EXPECT_EQ(document->text, "One\n\ttwo\n\nthree");
    EXPECT_EQ(document->format, "text");
    EXPECT_TRUE(document->places.empty());
    EXPECT_TRUE(document->leftOut.empty());
}

TEST(Readers, utf16AndLatin1AreText) {
    using namespace std::string_view_literals;
    const auto little = readSample("\xFF\xFEG\0\xFC\0=\xD8\x00\xDE"sv);
    ASSERT_TRUE(little);
    EXPECT_EQ(little->text, "Gü😀");
    const auto big = readSample("\xFE\xFF\0G\xD8\0\0x"sv);  // half a pair
    ASSERT_TRUE(big);
    EXPECT_EQ(big->text, "G\xEF\xBF\xBDx");
    const auto western = readSample(
        "Gr\xFC\xDF"
        "e \x80 and more");
    ASSERT_TRUE(western);
    EXPECT_EQ(western->text, "Grüße € and more");
    EXPECT_THAT(western->leftOut, ElementsAre(Loss{LossKind::OtherEncoding, 1, "WINDOWS-1252"}));
    EXPECT_EQ(lossText(western->leftOut[0]), "nothing, but it is no UTF-8 and was read as WINDOWS-1252");
}

TEST(Readers, markdownHasItsHeadingsAsPlaces) {
    const auto document = readSample(test::kMarkdown, "A.MD");
    ASSERT_TRUE(document);
    EXPECT_EQ(document->text + '\n', test::kMarkdown);
    EXPECT_EQ(document->title, "Top");
    EXPECT_THAT(document->places,
                ElementsAre(heading(0, 1, "Top"), heading(25, 2, "Second"), heading(62, 3, "Third")));
}

TEST(Readers, aWebPageIsItsVisibleText) {
    const auto document = readSample(test::kPage);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(
        document->text,
        "# Top\n\nOne two&three\nfour\n\n- item\n  - inner\n- last\n\n```\na\n  b\n```\n\n| a | b |\n\nEnd.");
    EXPECT_EQ(document->title, "The page");
    EXPECT_THAT(document->places, ElementsAre(heading(0, 1, "Top")));
    EXPECT_THAT(document->leftOut, ElementsAre(Loss{LossKind::Images, 1}));
}

TEST(Readers, aPageIsReadInTheEncodingThatItNames) {
    const auto named =
        readSample("<html><meta charset=shift_jis><p>many plain words before \x93\xFA\x96{</html>");
    ASSERT_TRUE(named) << named.error().message;
    EXPECT_EQ(named->text, "many plain words before 日本");
    EXPECT_TRUE(named->leftOut.empty());
    // Nobody knows that one.
    const auto guessed = readSample("<html><meta charset=klingon><p>d\xE9j\xE0 vu</html>");
    ASSERT_TRUE(guessed) << guessed.error().message;
    EXPECT_EQ(guessed->text, "déjà vu");
    EXPECT_THAT(guessed->leftOut, ElementsAre(Loss{LossKind::OtherEncoding, 1, "WINDOWS-1252"}));
}

TEST(Readers, aWordDocument) {
    const auto document = readSample(test::wordDocument());
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text,
              "## First\n\nOne two[^1]\n\n- item\n  - inner\n\n| a | b\\|c |\n| d e |  |\n\n## "
              "Second\n\nGrüße\nx\n\n"
              "[^1]: A note.");
    EXPECT_EQ(document->title, "A & B");
    EXPECT_EQ(document->format, "Word document");
    EXPECT_THAT(document->places, ElementsAre(heading(0, 2, "First"), heading(66, 2, "Second")));
    EXPECT_THAT(document->leftOut, ElementsAre(Loss{LossKind::Images, 1}, Loss{LossKind::DeletedText, 1}));
}

TEST(Readers, anOpenDocument) {
    const auto document = readSample(test::openDocument());
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text,
              "# Top\n\nOne two  three[^1]\n\n- item\n  - inner\n\n| a | b |\n\nEnd.\n\n[^1]: A note.");
    EXPECT_EQ(document->title, "Titled");
    EXPECT_THAT(document->places, ElementsAre(heading(0, 1, "Top")));
    EXPECT_THAT(document->leftOut, ElementsAre(Loss{LossKind::Images, 1}, Loss{LossKind::Comments, 1}));
}

TEST(Readers, aPdfOfThreePages) {
    const auto document = readSample(test::pdfWith({"First page", "", "Gr\\374\\337e"}));
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text, "First page\n\nGrüße");
    EXPECT_THAT(document->places,
                ElementsAre(Place{0, PlaceKind::Page, 1, ""}, Place{12, PlaceKind::Page, 3, ""}));
    EXPECT_THAT(document->leftOut, ElementsAre(Loss{LossKind::PagesWithoutText, 1}));
}

TEST(Readers, aFontWhoseCharactersAreUnknownIsTold) {
    auto objects = test::pdfObjects({"<3042>"});
    objects[2] =
        "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/90ms-RKSJ-H/DescendantFonts[<</Type/Font/Subtype/"
        "CIDFontType0/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>]>>";
    expectRefused(readSample(test::pdfOf(objects)), Refusal::UnknownCharacters, "PDF");
}

TEST(Readers, refusalsAreOneSentenceEach) {
    expectRefused(readSample(""), Refusal::Empty, "no text");
    expectRefused(readSample(" \n "), Refusal::Empty, "no text in this text");
    expectRefused(readSample("\x01\x02\x03\x04\xff\xff", "x.bin"), Refusal::Unknown, "PDF");
    expectRefused(readSample(test::encryptedPdf()), Refusal::Encrypted,
                  "This PDF is protected by a password");
    expectRefused(readSample(test::pdfWith({"", ""})), Refusal::Scanned, "OCR");
    expectRefused(readSample("%PDF-1.4\nnothing"), Refusal::Damaged, "This PDF is damaged");
    const std::string word = test::wordDocument();
    expectRefused(readSample(word.substr(0, word.size() / 2), "a.docx"), Refusal::Damaged,
                  "Word document is damaged");
    expectRefused(readSample(test::wordDocument("<w:p>")), Refusal::Damaged, "Word document");
    expectRefused(readSample(test::wordDocument("<w:p/>")), Refusal::Empty, "Word document");
    expectRefused(readSample(test::zipOf(test::wordParts(test::kWordBody), "password"), "a.docx"),
                  Refusal::Encrypted, "password");
    using namespace std::string_literals;
    expectRefused(
        readSample("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0"s,
                   "a.docx"),
        Refusal::Encrypted, "password");
    expectRefused(
        readSample(test::zipOf(test::openDocumentParts("<text:p>x</text:p>", "<manifest:encryption-data/>"))),
        Refusal::Encrypted, "OpenDocument");
}

TEST(Readers, entitiesAreNotExpanded) {
    auto parts = test::wordParts("<w:p><w:r><w:t>&x;</w:t></w:r></w:p>");
    parts[3].second.insert(parts[3].second.find("<w:document"), "<!DOCTYPE x [<!ENTITY x \"words\">]>");
    expectRefused(readSample(test::zipOf(parts)), Refusal::Damaged, "Word document");
    parts = test::wordParts("<w:p><w:r><w:t>&x;</w:t></w:r></w:p>");
    expectRefused(readSample(test::zipOf(parts)), Refusal::Damaged, "Word document");
}

TEST(Readers, anArchiveThatUnpacksToFarMoreIsRefused) {
    auto parts = test::wordParts(std::string(size_t{64} << 20, ' '));
    expectRefused(readSample(test::zipOf(parts)), Refusal::Bomb, "unpack");
}

TEST(Readers, otherFormatsAreNamedWithAdvice) {
    const std::string ole = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
    expectRefused(readSample(ole, "letter.DOC"), Refusal::OtherFormat,
                  "This is an old Word document (.doc): save it as .docx or PDF.");
    expectRefused(readSample(ole, "sheet.xls"), Refusal::OtherFormat, "Excel");
    expectRefused(readSample("GIF89a"), Refusal::OtherFormat, "save it as PNG");
    expectRefused(readSample("\x89PNG\r\n\x1a\n"), Refusal::Scanned, "OCR");
    expectRefused(readSample(test::zipOf({{"mimetype", "application/epub+zip"}})), Refusal::OtherFormat,
                  ".epub");
    expectRefused(readSample(test::zipOf({{"xl/workbook.xml", "<x/>"}}), "a.xlsx"), Refusal::OtherFormat,
                  "Excel");
    for (const OtherFormat& each : allOtherFormats()) {
        const std::string bytes = std::string(each.at, '\1') + std::string(each.beginning);
        const std::string name = each.endings.empty() ? "" : "x" + std::string(each.endings.front());
        EXPECT_NE(recogniseOtherFormat(bytes, name), nullptr) << each.key;
    }
}

TEST(Readers, contentIsBelievedBeforeTheName) {
    const auto pdf = readSample(test::pdfWith({"Words"}), "a.docx");
    ASSERT_TRUE(pdf) << pdf.error().message;
    EXPECT_EQ(pdf->format, "PDF");
    const auto text = readSample("Dear reader", "letter.doc");
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(text->format, "text");
}

/// A fence grew by one mark at a time: 50 s for a megabyte of them.
TEST(Fence, isLongerThanAnyInTheText) {
    EXPECT_EQ(fenced("a"), "```\na\n```");
    EXPECT_EQ(fenced("a ```` b"), "`````\na ```` b\n`````");
    const std::string marks(1 << 20, '`');
    const double begin = test::processorSeconds();
    EXPECT_EQ(fenced(marks).size(), 3 * marks.size() + 4);
    EXPECT_LT(test::processorSeconds() - begin, 0.5);
}

}  // namespace
}  // namespace ingle::documents
