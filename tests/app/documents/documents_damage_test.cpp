// Damaged documents can only produce a Result: mutations of small ones of every format, through the readers.
// INGLE_MUTATIONS sets the number per format, INGLE_SEED the seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>

#include "app/documents/answer.h"
#include "app/documents/readers/reader.h"
#include "app/documents/refusals.h"
#include "tests/app/documents/mutation.h"
#include "tests/app/documents/sample_documents.h"
#include "tests/processor_time.h"

namespace ingle::documents {
namespace {

constexpr double kMaxSeconds = 1;

uint64_t numberFromEnvironment(const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : fallback;
}

/// Reads mutations of what `make` makes, and hands both kinds of outcomes to the same questions.
void readMutations(std::string_view name, const std::function<std::string(std::mt19937_64&)>& make) {
    const uint64_t count = numberFromEnvironment("INGLE_MUTATIONS", 5000);
    const uint64_t seed = numberFromEnvironment("INGLE_SEED", 20'261'123);
    prepareReaders();
    size_t numRead = 0;
    for (uint64_t i = 0; i < count; ++i) {
        std::mt19937_64 random(seed + i);
        const std::string bytes = make(random);
        const double before = test::processorSeconds();
        const Result<Document> document = readBytes({bytes, name});
        EXPECT_LT(test::processorSeconds() - before, kMaxSeconds) << "seed " << seed + i;
        if (document) {
            ++numRead;
            // A title may be missing: readDocument() takes the name then.
            EXPECT_TRUE(isSound(*document)) << "seed " << seed + i;
        } else {
            EXPECT_TRUE(refusalOf(document.error().id)) << document.error().message << ", seed " << seed + i;
        }
        if (testing::Test::HasFailure()) return;
    }
    std::cout << "  " << numRead << " of " << count << " were read\n";
    EXPECT_GT(numRead, 0u);
    EXPECT_LT(numRead, count);
}

/// Of an archive the packed parts are damaged before they are packed, or the archive itself is.
std::string mutatedArchive(test::Parts parts, std::mt19937_64& random) {
    if (random() % 2) return test::mutated(test::zipOf(parts), random);
    std::string& content = parts[random() % parts.size()].second;
    content = test::mutated(content, random);
    return test::zipOf(parts);
}

TEST(DocumentsDamage, text) {
    readMutations("a.txt", [](auto& random) {
        return test::mutated(
            "Words\n\nand Gr\xC3\xBC\xC3\x9F"
            "e\n",
            random);
    });
}

TEST(DocumentsDamage, markdown) {
    readMutations("a.md", [](auto& random) { return test::mutated(std::string(test::kMarkdown), random); });
}

TEST(DocumentsDamage, webPages) {
    readMutations("a.html", [](auto& random) { return test::mutated(std::string(test::kPage), random); });
}

TEST(DocumentsDamage, word) {
    readMutations("a.docx",
                  [](auto& random) { return mutatedArchive(test::wordParts(test::kWordBody), random); });
}

TEST(DocumentsDamage, openDocument) {
    readMutations("a.odt", [](auto& random) { return mutatedArchive(test::openDocumentParts(), random); });
}

/// Pages that are pictures, as models get them.
void showMutations(const std::string& scan, std::string_view name) {
    const uint64_t count = numberFromEnvironment("INGLE_MUTATIONS", 1000);
    const uint64_t seed = numberFromEnvironment("INGLE_SEED", 20'261'123);
    prepareReaders();
    size_t numShown = 0;
    for (uint64_t i = 0; i < count && !testing::Test::HasFailure(); ++i) {
        std::mt19937_64 random(seed + i);
        const std::string bytes = test::mutated(scan, random);
        const Result<RecognisedPage> page = readPage({bytes, name}, 1, PageWish::Picture);
        if (page)
            numShown += page->picture.empty() ? 0 : 1;
        else
            EXPECT_TRUE(refusalOf(page.error().id)) << page.error().message << ", seed " << seed + i;
    }
    EXPECT_GT(numShown, 0u);
}

TEST(DocumentsDamage, pagesOfScans) {
    const std::string dots(12 * 8, '\x5a');
    showMutations(
        test::pdfOf(
            {"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[4 0 R]/Count 1>>",
             test::streamOf("40 0 0 30 0 0 cm /I Do"),
             "<</Type/Page/Parent 2 0 R/MediaBox[0 0 40 30]/Contents 3 0 R/Resources<</XObject<</I 5 0 "
             "R>>>>>>",
             fmt::format("<</Type/XObject/Subtype/Image/Width 12/Height 8/ColorSpace/DeviceGray"
                         "/BitsPerComponent 8/Length {}>>\nstream\n{}\nendstream",
                         dots.size(), dots)}),
        "scan.pdf");
}

TEST(DocumentsDamage, pdf) {
    const std::string pdf = test::pdfWith({"First page", "Second"});
    readMutations("a.pdf", [&](auto& random) { return test::mutated(pdf, random); });
}

}  // namespace
}  // namespace ingle::documents
