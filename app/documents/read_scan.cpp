#include "app/documents/read_scan.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/documents/child_process.h"
#include "app/documents/kept_pages.h"
#include "app/documents/limits.h"
#include "app/documents/opened_file.h"
#include "app/documents/picture_kind.h"
#include "app/documents/refusals.h"
#include "app/documents/text_encoding.h"
#include "ingle/sha256.h"

namespace ingle::documents {
namespace {

namespace fs = std::filesystem;

/// A file as far as it is known here, without being parsed.
struct ScanFile {
    std::string hash;  ///< SHA-256, hexadecimal
    std::string_view format;
};

std::optional<ScanFile> lookAt(int file) {
    std::string bytes;
    std::array<char, 65536> buffer;
    for (off_t at = 0;;) {
        const ssize_t count = ::pread(file, buffer.data(), buffer.size(), at);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 || bytes.size() > limits::kFileBytes) return std::nullopt;
        if (count == 0) return ScanFile{sha256Hex(bytes), pictureKindOf(bytes) ? "picture" : "PDF"};
        bytes.append(buffer.data(), static_cast<size_t>(count));
        at += count;
    }
}

class ScanReader {
  public:
    ScanReader(int file, const ScanOptions& options) : m_file(file), m_options(options) {}

    Result<Document> read() {
        m_program = m_options.reading.program.empty() ? findReader() : m_options.reading.program;
        if (m_program.empty()) return refuse(Refusal::ReaderMissing);
        const auto scan = lookAt(m_file);
        if (!scan) return refuse(Refusal::ReaderFailed);
        m_format = scan->format;
        const KeptPages kept(m_options.keptIn, scan->hash, m_options.seer);
        auto document = readPages(kept);
        const bool isCancelled = !document && document.error().code == ErrorCode::Cancelled;
        if (document || (isCancelled && m_options.isGivenUp())) kept.forget();
        if (document && document->text.empty())
            return refuse(m_options.see ? Refusal::Empty : Refusal::Scanned, m_format);
        return document;
    }

  private:
    Result<Document> readPages(const KeptPages& kept) const {
        Document document{.format = std::string(m_format)};
        uint64_t numEmpty = 0;
        for (uint32_t number = 1, numPages = 1; number <= numPages; ++number) {
            m_options.isAt(number, number == 1 ? 0 : numPages);
            auto page = kept.find(number);
            if (!page) {
                INGLE_TRY_ASSIGN(page, m_options.see ? seen(number) : asked(number, kPageTask));
                kept.keep(number, *page);
            }
            numPages = page->numPages;
            numEmpty += page->text.empty() ? 1 : 0;
            if (!add(document, number, page->text)) return refuse(Refusal::TooMuchText, m_format);
        }
        if (numEmpty > 0) document.leftOut.push_back({LossKind::PagesWithoutText, numEmpty, {}});
        return document;
    }
    Result<RecognisedPage> asked(uint32_t number, std::string_view task) const {
        if (::lseek(m_file, 0, SEEK_SET) != 0) return refuse(Refusal::ReaderFailed);
        INGLE_TRY_ASSIGN(const std::string answer,
                         runReader(m_program, m_file, {"", std::string(task), std::to_string(number)},
                                   m_options.reading, kPageBytes));
        return decodePage(answer, m_format);
    }
    Result<RecognisedPage> seen(uint32_t number) const {
        INGLE_TRY_ASSIGN(RecognisedPage page, asked(number, kPagePictureTask));
        if (number == 1) m_options.isAt(number, page.numPages);
        if (page.picture.empty()) return page;
        INGLE_TRY_ASSIGN(const std::string text, m_options.see(std::exchange(page.picture, {})));
        appendClean(page.text, text);
        page.text.resize(page.text.find_last_not_of(" \t\n") + 1);
        return page;
    }
    /// False: the text gets too long.
    static bool add(Document& document, uint32_t number, const std::string& text) {
        if (text.empty()) return true;
        if (!document.text.empty()) document.text += "\n\n";
        document.places.push_back({document.text.size(), PlaceKind::Page, number, {}});
        document.text += text;
        return document.text.size() <= limits::kTextBytes;
    }

    static constexpr size_t kPageBytes = std::max(limits::kAnswerBytes, limits::kPictureBytes + 4096);

    const int m_file;
    const ScanOptions& m_options;
    std::string m_program;
    std::string_view m_format;
};

}  // namespace

Result<Document> readScan(const std::string& path, const ScanOptions& options) {
    INGLE_TRY_ASSIGN(const OpenedFile file, openFile(path));
    if (file.isFolder) return refuse(Refusal::NotAFile);
    const std::string name = fs::path(path).filename().string();
    INGLE_TRY_ASSIGN(Document document, ScanReader(file.descriptor.get(), options).read());
    document.title = oneLine(name);
    return document;
}

bool isScan(const Result<Document>& read) {
    if (!read) return read.error().id == kRefusals[static_cast<size_t>(Refusal::Scanned)].id;
    return std::ranges::count(read->leftOut, LossKind::PagesWithoutText, &Loss::kind) > 0;
}

}  // namespace ingle::documents
