/// Pages of the web. What a page hides, its scripts and its styles are no text.
#include <algorithm>
#include <array>
#include <utility>

#include "app/documents/limits.h"
#include "app/documents/names.h"
#include "app/documents/readers/markup.h"
#include "app/documents/readers/reader.h"
#include "app/documents/readers/text_composer.h"
#include "app/documents/refusals.h"
#include "app/documents/text_encoding.h"

namespace ingle::documents::html_reader {
namespace {

constexpr std::string_view kFormat = "web page";
constexpr std::array<std::string_view, 3> kEndings{".html", ".htm", ".xhtml"};
constexpr size_t kBeginning = 2048;                    ///< where a page says what it is
constexpr size_t kMostBytes = 4 * limits::kTextBytes;  // markup is several times its text

std::string smallLetters(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return small;
}

std::string beginningOf(std::string_view bytes) {
    const std::string beginning = smallLetters(bytes.substr(0, kBeginning));
    return beginning.substr(std::min(beginning.find('<'), beginning.size()));
}

Match match(const Input& input) {
    if (!textEncoding(input.bytes)) return Match::No;
    // Nothing but white space and a byte order mark stands before the first element.
    const size_t first = input.bytes.find('<');
    const bool isMarkup =
        first != std::string_view::npos &&
        input.bytes.substr(0, first).find_first_not_of(" \t\r\n\xEF\xBB\xBF") == std::string_view::npos;
    const std::string beginning = beginningOf(input.bytes);
    if (isMarkup && (beginning.starts_with("<!doctype html") || beginning.starts_with("<html")))
        return Match::ByContent;
    const bool isProlog = beginning.starts_with("<?xml") || beginning.starts_with("<!--");
    if (isMarkup && isProlog && beginning.find("<html") != std::string::npos) return Match::ByContent;
    const bool isNamed = std::ranges::any_of(kEndings, [&](auto each) { return endsIn(input.name, each); });
    return isNamed ? Match::ByName : Match::No;
}

/// What the page itself says; empty where it says nothing.
std::string declaredEncoding(std::string_view bytes) {
    const std::string beginning = beginningOf(bytes);
    const size_t found = beginning.find("charset=");
    if (found == std::string::npos) return {};
    const size_t begin = beginning.find_first_not_of("\"' ", found + 8);
    if (begin == std::string::npos) return {};
    return beginning.substr(begin, beginning.find_first_of("\"' ;/>", begin) - begin);
}

enum class Role { Block, Heading, List, Item, Code, Break, Image, Title, Table, Row, Cell, Hidden };

struct Element {
    std::string_view name;
    Role role;
    uint32_t level = 0;
};

constexpr std::array kElements{
    Element{"address", Role::Block},    Element{"article", Role::Block},  Element{"aside", Role::Block},
    Element{"blockquote", Role::Block}, Element{"body", Role::Block},     Element{"br", Role::Break},
    Element{"canvas", Role::Hidden},    Element{"caption", Role::Block},  Element{"dd", Role::Block},
    Element{"details", Role::Block},    Element{"div", Role::Block},      Element{"dl", Role::Block},
    Element{"dt", Role::Block},         Element{"fieldset", Role::Block}, Element{"figcaption", Role::Block},
    Element{"figure", Role::Block},     Element{"footer", Role::Block},   Element{"form", Role::Block},
    Element{"h1", Role::Heading, 1},    Element{"h2", Role::Heading, 2},  Element{"h3", Role::Heading, 3},
    Element{"h4", Role::Heading, 4},    Element{"h5", Role::Heading, 5},  Element{"h6", Role::Heading, 6},
    Element{"header", Role::Block},     Element{"hr", Role::Block},       Element{"iframe", Role::Hidden},
    Element{"img", Role::Image},        Element{"li", Role::Item},        Element{"main", Role::Block},
    Element{"nav", Role::Block},        Element{"noscript", Role::Block}, Element{"object", Role::Hidden},
    Element{"ol", Role::List},          Element{"option", Role::Block},   Element{"p", Role::Block},
    Element{"pre", Role::Code},         Element{"script", Role::Hidden},  Element{"section", Role::Block},
    Element{"style", Role::Hidden},     Element{"summary", Role::Block},  Element{"svg", Role::Hidden},
    Element{"table", Role::Table},      Element{"td", Role::Cell},        Element{"template", Role::Hidden},
    Element{"textarea", Role::Hidden},  Element{"th", Role::Cell},        Element{"title", Role::Title},
    Element{"tr", Role::Row},           Element{"ul", Role::List},
};
static_assert(std::ranges::is_sorted(kElements, {}, &Element::name));

const Element* elementOf(std::string_view name) {
    const auto found = std::ranges::lower_bound(kElements, name, {}, &Element::name);
    return found != kElements.end() && found->name == name ? &*found : nullptr;
}

/// What a reader of the page would not see either.
bool isHidden(Attributes attributes) {
    if (std::ranges::find(attributes, "hidden", &Attribute::name) != attributes.end()) return true;
    std::string style = smallLetters(attribute(attributes, "style"));
    std::erase(style, ' ');
    return style.find("display:none") != std::string::npos ||
           style.find("visibility:hidden") != std::string::npos;
}

class Page final : public MarkupHandler {
  public:
    void begin(std::string_view name, Attributes attributes) override {
        const Element* element = elementOf(name);
        if (!m_hiddenBy.empty()) {
            m_hiddenDepth += name == m_hiddenBy;
            return;
        }
        if (isHidden(attributes) || (element && element->role == Role::Hidden)) {
            m_hiddenBy = name;
            m_hiddenDepth = 1;
            return;
        }
        if (element) open(element->role);
    }

    void end(std::string_view name) override {
        if (!m_hiddenBy.empty()) {
            if (name == m_hiddenBy && --m_hiddenDepth == 0) m_hiddenBy.clear();
            return;
        }
        if (const Element* element = elementOf(name)) close(*element);
    }

    void text(std::string_view piece) override {
        if (!m_hiddenBy.empty()) return;
        if (m_isTitle) {
            if (m_title.size() < kBeginning) m_title += piece;
        } else if (m_codes > 0) {
            m_composer.text(piece);
        } else {
            m_composer.words(piece);
        }
    }

    bool isDone() const override { return m_composer.isFull(); }

    Result<Document> finish() {
        closeBlock();
        return m_composer.finish(m_title);
    }

  private:
    void open(Role role) {
        if (role == Role::Image) return m_composer.lost(LossKind::Images);
        if (role == Role::Break) return m_composer.lineBreak();
        if (role == Role::Title) {
            m_isTitle = m_title.empty();
            return;
        }
        closeBlock();
        m_lists += role == Role::List;
        m_codes += role == Role::Code;
        m_isItem = m_isItem || role == Role::Item;
        if (role == Role::Table) m_composer.beginTable();
    }

    void close(const Element& element) {
        if (element.role == Role::Image || element.role == Role::Break) return;
        if (element.role == Role::Title) {
            m_isTitle = false;
            return;
        }
        if (element.role == Role::Heading) return m_composer.endHeading(element.level);
        closeBlock();
        if (element.role == Role::Cell) m_composer.endCell();
        if (element.role == Role::Row) m_composer.endRow();
        if (element.role == Role::Table) m_composer.endTable();
        if (element.role == Role::Item) m_isItem = false;
        if (element.role == Role::List && m_lists > 0) --m_lists;
        if (element.role == Role::Code && m_codes > 0) --m_codes;
    }

    /// Text so far is a block of what is open; of an item, its first.
    void closeBlock() {
        if (m_codes > 0) return m_composer.endCode();
        if (!m_isItem) return m_composer.endParagraph();
        if (m_composer.hasBlock()) m_isItem = false;
        m_composer.endItem(m_lists > 0 ? m_lists - 1 : 0);
    }

    TextComposer m_composer{kFormat};
    std::string m_title;
    std::string m_hiddenBy;  ///< name of the element; empty: what comes is seen
    size_t m_hiddenDepth = 0;
    uint32_t m_lists = 0;
    uint32_t m_codes = 0;
    bool m_isTitle = false;
    bool m_isItem = false;  ///< the block that comes is the first of an item
};

Result<Document> read(const Input& input) {
    if (input.bytes.size() > kMostBytes) return refuse(Refusal::TooMuchText, kFormat);
    auto encoding = textEncoding(input.bytes);
    if (!encoding) return refuse(Refusal::Unknown);
    // What a page says of itself is surer than a guess, and less sure than what Unicode looks like.
    if (encoding->isGuess) encoding = namedEncoding(declaredEncoding(input.bytes)).value_or(*encoding);
    std::string text;
    appendClean(text, decodedText(input.bytes, *encoding));
    Page page;
    parseHtml(text, page);
    INGLE_TRY_ASSIGN(Document document, page.finish());
    if (encoding->isGuess) document.leftOut.push_back({LossKind::OtherEncoding, 1, encoding->name});
    return document;
}

}  // namespace

extern const Reader reader{.format = kFormat, .match = match, .read = read, .prepare = prepareMarkup};

}  // namespace ingle::documents::html_reader
