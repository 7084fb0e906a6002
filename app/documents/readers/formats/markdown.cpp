/// Markdown stays as it is; its headings are places. Source: CommonMark 0.31, sections 4.2, 4.3 and 4.5.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "app/documents/limits.h"
#include "app/documents/names.h"
#include "app/documents/readers/reader.h"
#include "app/documents/refusals.h"
#include "app/documents/text_encoding.h"

namespace ingle::documents::markdown_reader {
namespace {

constexpr std::string_view kFormat = "Markdown text";
constexpr size_t kMostBytes = 2 * limits::kTextBytes;  // UTF-16 has two where the text has one
constexpr std::array<std::string_view, 4> kEndings{".md", ".markdown", ".mdown", ".mkd"};

Match match(const Input& input) {
    const bool isNamed = std::ranges::any_of(kEndings, [&](auto each) { return endsIn(input.name, each); });
    return isNamed && textEncoding(input.bytes) ? Match::ByName : Match::No;
}

std::string_view trimmed(std::string_view line) {
    const size_t begin = line.find_first_not_of(" \t"), end = line.find_last_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin, end - begin + 1);
}

/// Without up to three spaces; a line with more is code.
std::optional<std::string_view> unindented(std::string_view line) {
    const size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    if (spaces > 3 || line.substr(spaces).starts_with('\t')) return std::nullopt;
    return line.substr(spaces);
}

struct Heading {
    uint32_t level;
    std::string_view words;
};

/// "## Words ##"
std::optional<Heading> hashHeading(std::string_view line) {
    const size_t level = std::min(line.find_first_not_of('#'), line.size());
    if (level < 1 || level > 6 || (level < line.size() && line[level] != ' ' && line[level] != '\t'))
        return std::nullopt;
    std::string_view words = trimmed(line.substr(level));
    const size_t last = words.find_last_not_of('#');
    const size_t closing = last == std::string_view::npos ? 0 : last + 1;
    if (closing < words.size() && (closing == 0 || words[closing - 1] == ' ' || words[closing - 1] == '\t'))
        words = trimmed(words.substr(0, closing));
    return Heading{static_cast<uint32_t>(level), words};
}

/// The level of a line of = or - below a heading's words.
std::optional<uint32_t> underline(std::string_view line) {
    line = trimmed(line);
    if (line.empty()) return std::nullopt;
    if (line.find_first_not_of('=') == std::string_view::npos) return 1;
    if (line.find_first_not_of('-') == std::string_view::npos) return 2;
    return std::nullopt;
}

class Headings {
  public:
    explicit Headings(std::vector<Place>& places) : m_places(places) {}

    void takeLine(size_t offset, std::string_view line) {
        const auto text = unindented(line);
        if (!m_fence.empty()) {
            if (text && text->starts_with(m_fence) &&
                trimmed(*text).find_first_not_of(m_fence[0]) == std::string_view::npos)
                m_fence.clear();
            return endParagraph();
        }
        if (!text) return;  // code, or more of a paragraph
        if (text->starts_with("```") || text->starts_with("~~~")) {
            m_fence = text->substr(0, std::min(text->find_first_not_of((*text)[0]), text->size()));
            return endParagraph();
        }
        if (const auto heading = hashHeading(*text)) {
            add(offset, *heading);
            return endParagraph();
        }
        if (const auto level = underline(*text); level && m_numLines > 0) {
            add(m_paragraph, {*level, m_words});
            return endParagraph();
        }
        if (trimmed(*text).empty() || text->starts_with('>') || text->starts_with('|')) return endParagraph();
        if (m_numLines++ == 0) {
            m_paragraph = offset;
            m_words = trimmed(*text);
        }
    }

  private:
    void endParagraph() { m_numLines = 0; }
    void add(size_t offset, const Heading& heading) {
        std::string words = oneLine(heading.words);
        if (words.empty() || m_places.size() == limits::kPlaces) return;
        m_places.push_back({offset, PlaceKind::Heading, heading.level, std::move(words)});
    }

    std::vector<Place>& m_places;
    std::string m_fence;       ///< the one that is open
    size_t m_numLines = 0;     ///< of the paragraph
    size_t m_paragraph = 0;    ///< where it begins
    std::string_view m_words;  ///< its first line
};

Result<Document> read(const Input& input) {
    if (input.bytes.size() > kMostBytes) return refuse(Refusal::TooMuchText, kFormat);
    auto read = readText(input.bytes);
    if (!read) return refuse(Refusal::Unknown);
    INGLE_TRY_ASSIGN(Document document, textDocument(std::move(*read), kFormat));
    Headings headings(document.places);
    for (size_t at = 0; at < document.text.size();) {
        const size_t end = std::min(document.text.find('\n', at), document.text.size());
        headings.takeLine(at, std::string_view(document.text).substr(at, end - at));
        at = end + 1;
    }
    if (!document.places.empty()) document.title = document.places.front().words;
    return document;
}

}  // namespace

extern const Reader reader{.format = kFormat, .match = match, .read = read};

}  // namespace ingle::documents::markdown_reader
