/// Documents through `ingle-documents`, and what becomes of one that crashes, hangs or lies.
#include "app/documents/read_document.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "app/documents/answer.h"
#include "app/documents/refusals.h"
#include "tests/app/documents/mutation.h"
#include "tests/app/documents/sample_documents.h"
#include "tests/temporary_folder.h"

namespace ingle::documents {
namespace {

class ReadDocument : public testing::Test {
  protected:
    std::string write(std::string_view name, std::string_view bytes) const {
        const std::string path = m_folder.file(name);
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    /// A program in place of `ingle-documents`.
    ReadOptions standIn(std::string_view script) const {
        const std::string path = write("stand-in", "#!/bin/sh\n" + std::string(script) + "\n");
        ::chmod(path.c_str(), 0700);
        return {.program = path};
    }
    static void expectId(const Result<Document>& result, std::string_view id) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().id, id) << result.error().message;
    }

    test::TemporaryFolder m_folder;
};

TEST_F(ReadDocument, everyFormatComesThrough) {
    const std::pair<const char*, std::string> samples[] = {
        {"a.txt", "First words"},
        {"b.md", "# First"},
        {"c.html", std::string(test::kPage)},
        {"d.docx", test::wordDocument()},
        {"e.odt", test::openDocument()},
        {"f.pdf", test::pdfWith({"First page", "Second"})},
    };
    for (const auto& [name, bytes] : samples) {
        const auto document = readDocument(write(name, bytes));
        ASSERT_TRUE(document) << name << ": " << document.error().message;
        EXPECT_TRUE(isSound(*document)) << name;
        EXPECT_FALSE(document->title.empty()) << name;
    }
    EXPECT_EQ(readDocument(m_folder.file("a.txt"))->title, "a.txt");
}

/// The child can open nothing, also no table of an encoding.
TEST_F(ReadDocument, oldEncodingsAreReadInTheChild) {
    const std::pair<const char*, const char*> samples[] = {
        {"\xC3\xF7\xCC\xEC\xD4\xE7\xC9\xCF\xCE\xD2\xC3\xC7\xC8\xA5\xCA\xD0\xB3\xA1", "明天早上我们去市场"},
        {"\xCF\xF0\xE8\xE2\xE5\xF2 \xE2\xF1\xE5\xEC", "Привет всем"},
        {"\x82\xB1\x82\xEA\x82\xCD\x93\xFA\x96\x7B\x8C\xEA\x82\xC5\x82\xB7", "これは日本語です"},
        {"\xB3\xBB\xC0\xCF \xBE\xC6\xC4\xA7\xBF\xA1 \xBF\xC0\xBC\xBC\xBF\xE4", "내일 아침에 오세요"},
        {"Gr\xF6\xDF"
         "ere \xC4pfel f\xFCr uns",
         "Größere Äpfel für uns"},
    };
    for (const auto& [bytes, text] : samples) {
        const auto document = readDocument(write("a.txt", bytes));
        ASSERT_TRUE(document) << text << ": " << document.error().message;
        EXPECT_EQ(document->text, text);
        EXPECT_FALSE(document->leftOut.at(0).names.empty());
    }
}

TEST_F(ReadDocument, refusalsComeThroughWithTheirSentences) {
    expectId(readDocument(write("a.pdf", test::encryptedPdf())), "documentEncrypted");
    expectId(readDocument(write("b.pdf", test::pdfWith({""}))), "documentScanned");
    expectId(readDocument(write("c.txt", "")), "documentEmpty");
    expectId(readDocument(m_folder.file("none")), "fileMissing");
    const auto old = readDocument(write("d.doc", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"));
    expectId(old, "documentOtherFormat");
    EXPECT_EQ(old.error().message, "This is an old Word document (.doc): save it as .docx or PDF.");
    ASSERT_EQ(::mkfifo(m_folder.file("pipe").c_str(), 0600), 0);
    expectId(readDocument(m_folder.file("pipe")), "documentNotAFile");
}

TEST_F(ReadDocument, aFileThatIsTooLargeIsNotOpenedInTheChild) {
    const std::string path = write("large.txt", "x");
    ASSERT_EQ(::truncate(path.c_str(), (off_t{256} << 20) + 1), 0);
    expectId(readDocument(path), "documentTooLarge");
}

TEST_F(ReadDocument, aChildThatFailsIsOneSentence) {
    const std::string path = write("a.txt", "words");
    expectId(readDocument(path, standIn("exit 1")), "documentReaderFailed");
    expectId(readDocument(path, standIn("kill -SEGV $$")), "documentReaderFailed");
    expectId(readDocument(path, standIn("kill -XCPU $$")), "documentReaderTooSlow");
    expectId(readDocument(path, standIn("exec /bin/cat /dev/zero")), "documentReaderFailed");
    expectId(readDocument(path, {.program = m_folder.file("none")}), "documentReaderMissing");
    ReadOptions slow = standIn("exec /bin/sleep 60");
    slow.patience = std::chrono::milliseconds(200);
    expectId(readDocument(path, slow), "documentReaderTooSlow");
    slow = standIn("exec 1>&-; exec /bin/sleep 60");
    slow.patience = std::chrono::milliseconds(200);
    expectId(readDocument(path, slow), "documentReaderTooSlow");
}

/// A page that takes for ever: 6 KB in which each form draws the next one ten times. What was read before it
/// is there, and a note.
TEST_F(ReadDocument, whatTakesTooLongKeepsTheTextBeforeIt) {
    std::vector<std::string> objects = test::pdfObjects({"First page", "Second page"});
    const size_t firstForm = objects.size() + 1;
    objects[5] = fmt::format(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 7 0 R/Resources"
        "<</XObject<</X {} 0 R>>>>>>",
        firstForm);
    objects[6] = test::streamOf("/X Do");
    for (size_t i = 0; i < 16; ++i)
        objects.push_back(
            fmt::format("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X {} 0 R>>>>",
                        firstForm + i + 1) +
            test::streamOf("/X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do").substr(2));
    objects.push_back("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]" + test::streamOf("0 0 m").substr(2));
    const auto document = readDocument(write("slow.pdf", test::pdfOf(objects)));
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->text, "First page");
    ASSERT_EQ(document->leftOut.size(), 1U);
    EXPECT_EQ(lossText(document->leftOut[0]), "the rest of it: reading took too long");
    EXPECT_EQ(document->title, "slow.pdf");
    rusage used{};
    ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &used), 0);
    EXPECT_LE(used.ru_utime.tv_sec, 12);
}

TEST_F(ReadDocument, itIsCancelledAtOnce) {
    ReadOptions options = standIn("exec /bin/sleep 60");
    std::atomic<bool> isCancelled = false;
    options.isCancelled = [&] { return isCancelled.load(); };
    const std::string path = write("a.txt", "words");
    const auto begin = std::chrono::steady_clock::now();
    std::thread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        isCancelled = true;
    });
    expectId(readDocument(path, options), "cancelled");
    canceller.join();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(ReadDocument, theChildHasThreeDescriptorsAndNoEnvironment) {
    const int leaked = ::dup(0);  // without close-on-exec
    const auto document =
        readDocument(write("a.txt", "words"),
                     standIn(R"(fds=$(/bin/ls -l /proc/self/fd | /usr/bin/wc -l); names=$(/usr/bin/env |)"
                             R"( /usr/bin/cut -d= -f1 | /usr/bin/sort)
/bin/echo '{"format":"'$fds'","title":"'$names'","places":[],"leftOut":[]}'
/bin/cat)"));
    ::close(leaked);
    ASSERT_TRUE(document) << document.error().message;
    // A heading, the three, and the folder that ls reads.
    EXPECT_EQ(document->format, "5");
    EXPECT_EQ(document->title.find("HOME"), std::string::npos);
    EXPECT_EQ(document->text, "words");
}

TEST(Answer, survivesTheWay) {
    const Document document{.format = "PDF",
                            .title = "A \"title\"",
                            .text = "one\n\ntwo ü",
                            .places = {{0, PlaceKind::Page, 1, ""}, {5, PlaceKind::Heading, 2, "two"}},
                            .leftOut = {{LossKind::Images, 3}}};
    const auto again = decodeAnswer(encodeAnswer(document));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->text, document.text);
    EXPECT_EQ(again->title, document.title);
    EXPECT_EQ(again->places, document.places);
    EXPECT_EQ(again->leftOut, document.leftOut);
    const auto refused = decodeAnswer(encodeAnswer(refuse(Refusal::Encrypted, "PDF")));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "This PDF is protected by a password; save a copy without one.");
}

TEST(Answer, isNotTakenOnTrust) {
    const auto answer = [](std::string_view places, std::string_view text) {
        return decodeAnswer(R"({"format":"PDF","title":"","places":)" + std::string(places) +
                            R"(,"leftOut":[]})" + '\n' + std::string(text));
    };
    EXPECT_TRUE(answer(R"([[0,"page",1,""]])", "words"));
    for (const char* places : {R"([[5,"page",1,""]])", R"([[-1,"page",1,""]])", R"([[0,"cave",1,""]])",
                               "[[0]]", "7", R"([[0,"heading",7,"x"]])", R"([[0,"heading",1,"a\nb"]])",
                               "[[[[0]]]]", R"([[3,"page",1,""],[2,"page",2,""]])"})
        EXPECT_FALSE(answer(places, "words")) << places;
    for (const char* text : {"", "a\x1b[2J", "a\xff", "a\r\nb"}) EXPECT_FALSE(answer("[]", text)) << text;
    EXPECT_FALSE(answer(R"([[1,"page",1,""]])", "\xC3\xBC")) << "in the middle of a character";
    EXPECT_FALSE(decodeAnswer(""));
    EXPECT_FALSE(decodeAnswer("{"));
    const auto unknown = decodeAnswer("{\"error\":\"Give me your money\"}\n");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().id, "documentReaderFailed");
}

/// A few hundred damaged files the whole way; each ends in a document or one of the sentences.
TEST_F(ReadDocument, brokenFilesTheWholeWay) {
    const std::pair<const char*, std::string> samples[] = {
        {"a.html", std::string(test::kPage)},
        {"a.docx", test::wordDocument()},
        {"a.odt", test::openDocument()},
        {"a.pdf", test::pdfWith({"First page", "Second"})},
    };
    constexpr int kEach = 50;
    for (const auto& [name, bytes] : samples) {
        for (int i = 0; i < kEach; ++i) {
            std::mt19937_64 random(static_cast<uint64_t>(i));
            const auto document = readDocument(write(name, test::mutated(bytes, random)));
            EXPECT_TRUE(document || refusalOf(document.error().id)) << document.error().message;
        }
    }
}

}  // namespace
}  // namespace ingle::documents
