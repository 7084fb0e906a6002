/// OpenDocument text (.odt), as LibreOffice writes it. Source: OpenDocument 1.3, part 3, chapters 5, 6, 9
/// and 10.
#include <algorithm>
#include <array>
#include <utility>

#include "app/documents/limits.h"
#include "app/documents/names.h"
#include "app/documents/readers/package.h"
#include "app/documents/readers/reader.h"
#include "app/documents/readers/text_composer.h"
#include "app/documents/refusals.h"

namespace ingle::documents::open_document_reader {
namespace {

constexpr std::string_view kFormat = "OpenDocument text";
/// The name and content of the first part, which is not packed so that it can be read here.
constexpr std::string_view kType = "mimetypeapplication/vnd.oasis.opendocument.text";
constexpr size_t kTypeAt = 30;

constexpr std::array kNamespaces{
    Namespace{"urn:oasis:names:tc:opendocument:xmlns:office:1.0", "office"},
    Namespace{"urn:oasis:names:tc:opendocument:xmlns:text:1.0", "text"},
    Namespace{"urn:oasis:names:tc:opendocument:xmlns:table:1.0", "table"},
    Namespace{"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0", "draw"},
};

Match match(const Input& input) {
    const bool isZip = input.bytes.starts_with(kZipBeginning);
    if (isZip && input.bytes.substr(std::min(kTypeAt, input.bytes.size())).starts_with(kType))
        return Match::ByContent;
    const bool isNamed = endsIn(input.name, ".odt") || endsIn(input.name, ".ott");
    if (!isNamed) return Match::No;
    return isZip ? Match::ByContent : Match::ByName;
}

class Body final : public MarkupHandler {
  public:
    void begin(std::string_view element, Attributes attributes) override {
        if (m_skipped > 0 || element == "text:tracked-changes" || element == "office:annotation") {
            if (element == "office:annotation") m_composer.lost(LossKind::Comments);
            if (element == "text:deletion") m_composer.lost(LossKind::DeletedText);
            ++m_skipped;
        } else if (element == "text:note-body") {
            m_isNote = true;
            m_notes += fmt::format("\n[^{}]: ", ++m_numNotes);
        } else if (element == "text:note-citation") {
            m_skipped = 1;  // its number or sign
            m_composer.text(fmt::format("[^{}]", m_numNotes + 1));
        } else if (m_isNote) {
            return;
        } else if (element == "text:p" || element == "text:h") {
            endBlock();
            ++m_paragraphs;
            m_level =
                element == "text:h" ? std::max(numberOr(1, attribute(attributes, "outline-level")), 1u) : 0;
        } else {
            inside(element, attributes);
        }
    }

    void end(std::string_view element) override {
        if (m_skipped > 0) {
            --m_skipped;
        } else if (element == "text:note-body") {
            m_isNote = false;
        } else if (m_isNote) {
            if (element == "text:p") m_notes += ' ';
        } else if (element == "text:p" || element == "text:h") {
            endBlock();
            m_paragraphs -= m_paragraphs > 0;
        } else if (element == "text:list") {
            m_lists -= m_lists > 0;
        } else if (element == "text:list-item") {
            m_isItem = false;
        } else if (element == "table:table-cell") {
            m_composer.endCell();
        } else if (element == "table:table-row") {
            m_composer.endRow();
        } else if (element == "table:table") {
            m_composer.endTable();
        }
    }

    void text(std::string_view piece) override {
        if (m_skipped > 0 || m_paragraphs == 0) return;
        if (!m_isNote)
            m_composer.words(piece);
        else if (m_notes.size() < limits::kTextBytes)
            m_notes += piece;
    }

    bool isDone() const override { return m_composer.isFull(); }

    Result<Document> finish(std::string_view title) {
        for (std::string_view notes = m_notes; !notes.empty();) {
            const size_t end = std::min(notes.find("\n[^", 1), notes.size());
            m_composer.words(notes.substr(0, end));
            m_composer.endParagraph();
            notes.remove_prefix(end);
        }
        return m_composer.finish(title);
    }

  private:
    void inside(std::string_view element, Attributes attributes) {
        constexpr uint32_t kMostSpaces = 1000;
        if (element == "text:s")
            m_composer.text(std::string(std::min(numberOr(1, attribute(attributes, "c")), kMostSpaces), ' '));
        if (element == "text:tab") m_composer.text("\t");
        if (element == "text:line-break") m_composer.lineBreak();
        if (element == "text:list") ++m_lists;
        if (element == "text:list-item") m_isItem = true;
        if (element == "draw:image") m_composer.lost(LossKind::Images);
        if (element == "table:table") {
            endBlock();
            m_composer.beginTable();
        }
    }

    /// Of an item the first paragraph has its mark.
    void endBlock() {
        const uint32_t level = std::exchange(m_level, 0);
        if (level > 0) return m_composer.endHeading(level);
        if (!m_isItem) return m_composer.endParagraph();
        if (m_composer.hasBlock()) m_isItem = false;
        m_composer.endItem(m_lists > 0 ? m_lists - 1 : 0);
    }

    TextComposer m_composer{kFormat};
    std::string m_notes;  ///< a line for each
    uint32_t m_numNotes = 0;
    size_t m_skipped = 0;     ///< open elements of what is skipped
    size_t m_paragraphs = 0;  ///< open ones
    uint32_t m_lists = 0;
    uint32_t m_level = 0;  ///< of the open paragraph; 0: no heading
    bool m_isItem = false;
    bool m_isNote = false;
};

Result<Document> read(const Input& input) {
    INGLE_TRY_ASSIGN(const ZipArchive archive, ZipArchive::open(input.bytes, kFormat));
    constexpr const char* kManifest = "META-INF/manifest.xml";
    if (archive.has(kManifest)) {
        INGLE_TRY_ASSIGN(const std::string manifest, archive.read(kManifest));
        if (manifest.find("encryption-data") != std::string::npos) return refuse(Refusal::Encrypted, kFormat);
    }
    if (!archive.has("content.xml")) return refuse(Refusal::Damaged, kFormat);
    Body body;
    INGLE_TRY(parsePart(archive, "content.xml", kNamespaces, body, kFormat));
    INGLE_TRY_ASSIGN(const std::string title, titleIn(archive, "meta.xml", kFormat));
    return body.finish(title);
}

}  // namespace

extern const Reader reader{.format = kFormat, .match = match, .read = read, .prepare = prepareMarkup};

}  // namespace ingle::documents::open_document_reader
