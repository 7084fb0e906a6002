/// Word documents (.docx). Source: ECMA-376, part 1, chapter 17 (WordprocessingML) and part 2 (packages).
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "app/documents/names.h"
#include "app/documents/readers/package.h"
#include "app/documents/readers/reader.h"
#include "app/documents/readers/text_composer.h"
#include "app/documents/refusals.h"

namespace ingle::documents::word_reader {
namespace {

constexpr std::string_view kFormat = "Word document";
constexpr std::string_view kOleBeginning = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// The stream that holds a package with a password ("EncryptedPackage" in UTF-16; [MS-OFFCRYPTO] 2.3.4.4).
constexpr std::string_view kEncryptedStream{"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0", 32};
constexpr std::array<std::string_view, 3> kEndings{".docx", ".docm", ".dotx"};

/// Those of both forms of the standard, transitional and strict.
constexpr std::array kNamespaces{
    Namespace{"http://schemas.openxmlformats.org/wordprocessingml/2006/main", "w"},
    Namespace{"http://purl.oclc.org/ooxml/wordprocessingml/main", "w"},
    Namespace{"http://schemas.openxmlformats.org/officeDocument/2006/math", "m"},
    Namespace{"http://purl.oclc.org/ooxml/officeDocument/math", "m"},
    Namespace{"http://schemas.openxmlformats.org/drawingml/2006/picture", "pic"},
    Namespace{"http://purl.oclc.org/ooxml/drawingml/picture", "pic"},
    Namespace{"http://schemas.openxmlformats.org/markup-compatibility/2006", "mc"},
    Namespace{"urn:schemas-microsoft-com:vml", "v"},
};

bool isNamed(const Input& input) {
    return std::ranges::any_of(kEndings, [&](auto each) { return endsIn(input.name, each); });
}

bool isEncrypted(const Input& input) {
    return input.bytes.starts_with(kOleBeginning) && isNamed(input) &&
           input.bytes.find(kEncryptedStream) != std::string_view::npos;
}

Match match(const Input& input) {
    if (isEncrypted(input)) return Match::ByContent;
    if (!input.bytes.starts_with(kZipBeginning)) return isNamed(input) ? Match::ByName : Match::No;
    if (isNamed(input)) return Match::ByContent;
    return input.bytes.find("word/document") != std::string_view::npos ? Match::ByContent : Match::No;
}

/// Properties that are there are on, unless they say otherwise.
bool isOn(Attributes attributes) {
    const std::string_view value = attribute(attributes, "val");
    return value != "0" && value != "false" && value != "none" && value != "off";
}

/// Where the package says that its main part is.
class Relationships final : public MarkupHandler {
  public:
    void begin(std::string_view, Attributes attributes) override {
        if (!attribute(attributes, "Type").ends_with("/officeDocument")) return;
        std::string_view target = attribute(attributes, "Target");
        if (target.starts_with('/')) target.remove_prefix(1);
        mainPart = target;
    }
    void end(std::string_view) override {}
    void text(std::string_view) override {}

    std::string mainPart = "word/document.xml";
};

/// Which styles of paragraphs are headings. Their ids are translated, names such as "heading 1" are not.
class Styles final : public MarkupHandler {
  public:
    void begin(std::string_view element, Attributes attributes) override {
        if (element == "w:style") {
            m_id = attribute(attributes, "styleId");
            m_styles[m_id] = {};
        } else if (element == "w:name" && !m_id.empty()) {
            m_styles[m_id].level = levelOfName(attribute(attributes, "val"));
        } else if (element == "w:basedOn" && !m_id.empty()) {
            m_styles[m_id].base = attribute(attributes, "val");
        } else if (element == "w:outlineLvl" && !m_id.empty()) {
            m_styles[m_id].outline = numberOr(9, attribute(attributes, "val")) + 1;
        }
    }
    void end(std::string_view element) override {
        if (element == "w:style") m_id.clear();
    }
    void text(std::string_view) override {}

    /// 0: no heading.
    uint32_t level(const std::string& id) const {
        constexpr int kLongestChain = 10;
        const auto* name = &id;
        for (int i = 0; i < kLongestChain; ++i) {
            const auto found = m_styles.find(*name);
            if (found == m_styles.end()) return 0;
            const Style& style = found->second;
            if (style.level) return *style.level;
            if (style.outline) return *style.outline > 9 ? 0 : *style.outline;
            name = &style.base;
        }
        return 0;
    }

  private:
    struct Style {
        std::optional<uint32_t> level;
        std::optional<uint32_t> outline;
        std::string base;
    };

    static std::optional<uint32_t> levelOfName(std::string_view name) {
        if (name == "Title" || name == "title") return 1;
        if (!name.starts_with("heading ") && !name.starts_with("Heading ")) return std::nullopt;
        const uint32_t level = numberOr(0, name.substr(8));
        return level >= 1 && level <= 9 ? std::optional(level) : std::nullopt;
    }

    std::map<std::string, Style> m_styles;
    std::string m_id;  ///< of the open style
};

class Body final : public MarkupHandler {
  public:
    explicit Body(const Styles& styles) : m_styles(styles) {}

    void begin(std::string_view element, Attributes attributes) override {
        if (m_skipped > 0 || isSkipped(element)) {
            ++m_skipped;
            return;
        }
        if (element == "w:p") return beginParagraph();
        if (element == "w:t" || element == "m:t") {
            ++m_texts;
        } else if (element == "w:r" || element == "m:r") {
            m_isRun = true;
            m_isHidden = false;
        } else if (m_isRun) {
            inRun(element, attributes);
        } else if (element == "w:tbl") {
            endBlock();
            m_composer.beginTable();
        } else if (element == "w:footnote" || element == "w:endnote") {
            beginNote(element, attributes);
        } else {
            ofParagraph(element, attributes);
        }
    }

    void end(std::string_view element) override {
        if (m_skipped > 0) {
            --m_skipped;
        } else if (element == "w:p") {
            endBlock();
        } else if (element == "w:t" || element == "m:t") {
            m_texts -= m_texts > 0;
        } else if (element == "w:r" || element == "m:r") {
            m_isRun = false;
        } else if (element == "w:del") {
            if (std::exchange(m_hasDeleted, false)) m_composer.lost(LossKind::DeletedText);
        } else if (element == "w:tc") {
            m_composer.endCell();
        } else if (element == "w:tr") {
            m_composer.endRow();
        } else if (element == "w:tbl") {
            m_composer.endTable();
        }
    }

    void text(std::string_view piece) override {
        if (m_texts == 0 || m_skipped > 0 || m_isHidden) return;
        if (!m_note.empty()) m_composer.text(std::exchange(m_note, {}));
        m_composer.text(piece);
    }

    bool isDone() const override { return m_composer.isFull(); }
    Result<Document> finish(std::string_view title) { return m_composer.finish(title); }
    bool hasNotes() const { return !m_notes.empty(); }

  private:
    /// What is there for other programs, or has been taken away.
    static bool isSkipped(std::string_view element) {
        constexpr std::array<std::string_view, 6> kSkipped{"mc:Fallback", "w:moveFrom",     "w:pPrChange",
                                                           "w:rPrChange", "w:sectPrChange", "w:tblPrChange"};
        return std::ranges::find(kSkipped, element) != kSkipped.end();
    }

    void beginParagraph() {
        // Text boxes stand in the middle of a paragraph.
        endBlock();
        m_isRun = false;
    }

    void inRun(std::string_view element, Attributes attributes) {
        if (element == "w:vanish") m_isHidden = isOn(attributes);
        if (element == "w:tab" || element == "w:ptab") m_composer.text("\t");
        if (element == "w:br" || element == "w:cr") m_composer.lineBreak();
        if (element == "w:noBreakHyphen") m_composer.text("-");
        if (element == "w:delText") m_hasDeleted = true;
        if (element == "pic:pic" || element == "v:imagedata") m_composer.lost(LossKind::Images);
        if (element == "w:commentReference") m_composer.lost(LossKind::Comments);
        if (element == "w:footnoteReference" || element == "w:endnoteReference") {
            const std::string note = noteName(element, attributes);
            m_notes.insert(note);
            m_composer.text(note);
        }
    }

    void ofParagraph(std::string_view element, Attributes attributes) {
        const std::string_view value = attribute(attributes, "val");
        if (element == "w:pStyle") m_level = m_styles.level(std::string(value));
        if (element == "w:outlineLvl") m_level = numberOr(9, value) < 9 ? numberOr(9, value) + 1 : m_level;
        if (element == "w:ilvl") m_depth = numberOr(0, value);
        if (element == "w:numId") m_isItem = value != "0";
    }

    /// "[^1]" of footnotes, "[^e1]" of endnotes.
    static std::string noteName(std::string_view element, Attributes attributes) {
        const bool isEnd = element.starts_with("w:endnote");
        return fmt::format("[^{}{}]", isEnd ? "e" : "", numberOr(0, attribute(attributes, "id")));
    }

    /// Notes that nothing refers to are the lines that separate them.
    void beginNote(std::string_view element, Attributes attributes) {
        const std::string note = noteName(element, attributes);
        if (m_notes.contains(note))
            m_note = note + ": ";
        else
            m_skipped = 1;
    }

    void endBlock() {
        const uint32_t level = std::exchange(m_level, 0), depth = std::exchange(m_depth, 0);
        if (std::exchange(m_isItem, false) && level == 0) return m_composer.endItem(depth);
        if (level > 0) return m_composer.endHeading(level);
        m_composer.endParagraph();
    }

    const Styles& m_styles;
    TextComposer m_composer{kFormat};
    std::set<std::string> m_notes;  ///< that the text refers to
    std::string m_note;             ///< what the next text begins with
    size_t m_skipped = 0;           ///< open elements of what is skipped
    size_t m_texts = 0;
    uint32_t m_level = 0;  ///< of the open paragraph; 0: no heading
    uint32_t m_depth = 0;
    bool m_isItem = false;
    bool m_isRun = false;
    bool m_isHidden = false;
    bool m_hasDeleted = false;
};

Result<Document> read(const Input& input) {
    if (isEncrypted(input)) return refuse(Refusal::Encrypted, kFormat);
    INGLE_TRY_ASSIGN(const ZipArchive archive, ZipArchive::open(input.bytes, kFormat));
    Relationships relationships;
    INGLE_TRY(parsePart(archive, "_rels/.rels", kNamespaces, relationships, kFormat));
    const std::string& mainPart = relationships.mainPart;
    if (!archive.has(mainPart)) return refuse(Refusal::Damaged, kFormat);
    const std::string folder = mainPart.substr(0, mainPart.rfind('/') + 1);

    Styles styles;
    INGLE_TRY(parsePart(archive, folder + "styles.xml", kNamespaces, styles, kFormat));
    Body body(styles);
    INGLE_TRY(parsePart(archive, mainPart, kNamespaces, body, kFormat));
    if (body.hasNotes()) {
        for (const char* notes : {"footnotes.xml", "endnotes.xml"})
            INGLE_TRY(parsePart(archive, folder + notes, kNamespaces, body, kFormat));
    }
    INGLE_TRY_ASSIGN(const std::string title, titleIn(archive, "docProps/core.xml", kFormat));
    return body.finish(title);
}

}  // namespace

extern const Reader reader{.format = kFormat, .match = match, .read = read, .prepare = prepareMarkup};

}  // namespace ingle::documents::word_reader
