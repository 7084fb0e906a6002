/// PDF, by poppler. Its tables of characters for fonts that are not embedded (package poppler-data: Chinese,
/// Japanese and Korean files of old programs) are not used, since nothing can be opened once the process is
/// locked.
#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page-renderer.h>
#include <poppler-page.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <string>

#include "app/documents/iconv_text.h"
#include "app/documents/limits.h"
#include "app/documents/names.h"
#include "app/documents/readers/pictures/pixels.h"
#include "app/documents/readers/reader.h"
#include "app/documents/readers/scans/recogniser.h"
#include "app/documents/readers/text_composer.h"
#include "app/documents/refusals.h"

namespace ingle::documents::pdf_reader {
namespace {

constexpr std::string_view kFormat = "PDF";
constexpr std::string_view kMark = "%PDF-";
constexpr size_t kMarkWithin = 1024;  // bytes; ISO 32000-1, annex H.3.4.1

/// What poppler says about fonts whose characters it cannot tell.
constexpr std::array<std::string_view, 3> kFontComplaints{"CMap file for", "language pack for",
                                                          "Unknown character collection"};

/// A page with one letter. It has no table of objects: poppler looks for them then.
constexpr std::string_view kSmallest =
    "%PDF-1.4\n"
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 "
    "R>>>>>>endobj\n"
    "4 0 obj<</Length 25>>stream\nBT /F 9 Tf 9 9 Td(A)Tj ET\nendstream endobj\n"
    "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>endobj\n"
    "trailer<</Root 1 0 R>>\n";

/// Fonts complained about while it lives, each once.
class FontComplaints {
  public:
    FontComplaints() { poppler::set_debug_error_function(&take, this); }
    ~FontComplaints() { poppler::set_debug_error_function(&ignore, nullptr); }
    FontComplaints(const FontComplaints&) = delete;
    FontComplaints& operator=(const FontComplaints&) = delete;

    size_t count() const { return m_seen.size(); }

  private:
    static void ignore(const std::string&, void*) {}
    static void take(const std::string& message, void* self) {
        constexpr size_t kMost = 1000;
        auto& seen = static_cast<FontComplaints*>(self)->m_seen;
        const bool isOne = std::ranges::any_of(
            kFontComplaints, [&](auto each) { return message.find(each) != std::string::npos; });
        if (isOne && seen.size() < kMost) seen.insert(message);
    }

    std::set<std::string> m_seen;
};

using Pdf = std::unique_ptr<poppler::document>;

Pdf opened(std::string_view bytes) {
    return Pdf(poppler::document::load_from_raw_data(bytes.data(), static_cast<int>(bytes.size())));
}

/// Poppler gives UTF-16 in this computer's order.
std::string toUtf8(const poppler::ustring& text) {
    std::string bytes;
    for (const unsigned short unit : text) {
        bytes += static_cast<char>(unit & 0xFF);
        bytes += static_cast<char>(unit >> 8);
    }
    return decodedText(bytes, {"UTF-16LE"});
}

std::string textOf(const poppler::document& pdf, int index) {
    const std::unique_ptr<poppler::page> page(pdf.create_page(index));
    return page ? toUtf8(page->text(poppler::rectf(), poppler::page::non_raw_non_physical_layout))
                : std::string();
}

Match match(const Input& input) {
    if (input.bytes.substr(0, kMarkWithin).find(kMark) != std::string_view::npos) return Match::ByContent;
    const bool isNamed = endsIn(input.name, ".pdf") && !textEncoding(input.bytes);
    return isNamed ? Match::ByName : Match::No;
}

/// Paragraphs have an empty line between them.
void addParagraphs(TextComposer& composer, std::string_view text) {
    while (!text.empty()) {
        const size_t end = std::min(text.find("\n\n"), text.size());
        composer.text(text.substr(0, end));
        composer.endParagraph();
        text.remove_prefix(std::min(text.find_first_not_of('\n', end), text.size()));
    }
}

/// With at least one page.
Result<Pdf> readable(const Input& input) {
    Pdf pdf = opened(input.bytes);
    if (!pdf) return refuse(Refusal::Damaged, kFormat);
    if (pdf->is_locked()) return refuse(Refusal::Encrypted, kFormat);
    if (pdf->pages() <= 0) return refuse(Refusal::Damaged, kFormat);
    if (static_cast<size_t>(pdf->pages()) > limits::kPages) return refuse(Refusal::TooMuchText, kFormat);
    return pdf;
}

bool isBlank(std::string_view text) {
    return text.find_first_not_of(" \t\n") == std::string_view::npos;
}

Result<Document> read(const Input& input) {
    const FontComplaints complaints;
    INGLE_TRY_ASSIGN(const Pdf pdf, readable(input));
    const int numPages = pdf->pages();
    TextComposer composer(kFormat);
    int numEmpty = 0;
    for (int i = 0; i < numPages && !composer.isFull(); ++i) {
        composer.beginPage(static_cast<uint32_t>(i) + 1);
        std::string text;
        appendClean(text, textOf(*pdf, i));
        if (isBlank(text)) ++numEmpty;
        addParagraphs(composer, text);
    }
    if (numEmpty == numPages)
        return refuse(complaints.count() > 0 ? Refusal::UnknownCharacters : Refusal::Scanned, kFormat);
    composer.lost(LossKind::PagesWithoutText, static_cast<uint64_t>(numEmpty));
    composer.lost(LossKind::UnknownCharacters, complaints.count());
    return composer.finish(toUtf8(pdf->get_title()));
}

/// As Tesseract wants it, or with fewer dots where a page is large.
constexpr int kDotsPerInch = 300;
constexpr double kPointsPerInch = 72, kMostDots = 20e6;

GreyPicture pictureOf(const poppler::page& page, int dotsPerInch) {
    poppler::page_renderer renderer;
    renderer.set_image_format(poppler::image::format_gray8);
    renderer.set_render_hint(poppler::page_renderer::antialiasing);
    const poppler::image image = renderer.render_page(&page, dotsPerInch, dotsPerInch);
    GreyPicture picture;
    if (!image.is_valid() || image.format() != poppler::image::format_gray8) return picture;
    picture.width = static_cast<uint32_t>(image.width());
    picture.height = static_cast<uint32_t>(image.height());
    for (uint32_t row = 0; row < picture.height; ++row) {
        const auto* line = reinterpret_cast<const uint8_t*>(image.const_data()) +
                           static_cast<size_t>(image.bytes_per_row()) * row;
        picture.dots.insert(picture.dots.end(), line, line + picture.width);
    }
    return picture;
}

/// What models that see get: as large as they look at a page.
constexpr int kSeenDotsPerInch = 150;
constexpr double kMostSeenDots = 4e6;

/// A PNG file; empty: the page cannot be drawn.
std::string pictureFileOf(const poppler::page& page, int dotsPerInch) {
    poppler::page_renderer renderer;
    renderer.set_image_format(poppler::image::format_rgb24);
    renderer.set_render_hint(poppler::page_renderer::antialiasing);
    renderer.set_render_hint(poppler::page_renderer::text_antialiasing);
    const poppler::image image = renderer.render_page(&page, dotsPerInch, dotsPerInch);
    if (!image.is_valid() || image.format() != poppler::image::format_rgb24) return {};
    Picture picture{static_cast<uint32_t>(image.width()), static_cast<uint32_t>(image.height()), {}};
    for (uint32_t row = 0; row < picture.height; ++row) {
        const auto* line = reinterpret_cast<const uint8_t*>(image.const_data()) +
                           static_cast<size_t>(image.bytes_per_row()) * row;
        picture.rgb.insert(picture.rgb.end(), line, line + size_t{3} * picture.width);
    }
    return encodePng(picture);
}

/// The dots an inch that a page is drawn with; 0: it cannot be drawn.
int dotsFor(const poppler::page& page, int usual, double most) {
    const poppler::rectf size = page.page_rect();
    const double inches = size.width() / kPointsPerInch * size.height() / kPointsPerInch;
    return inches > 0 ? std::min(usual, static_cast<int>(std::sqrt(most / inches))) : 0;
}

Result<RecognisedPage> pageOf(const Input& input, uint32_t number, PageWish wish) {
    INGLE_TRY_ASSIGN(const Pdf pdf, readable(input));
    RecognisedPage out{.numPages = static_cast<uint32_t>(pdf->pages()), .text = {}};
    if (number == 0 || number > out.numPages) return refuse(Refusal::Damaged, kFormat);
    const int index = static_cast<int>(number) - 1;
    const auto trim = [&out] { out.text.resize(out.text.find_last_not_of(" \t\n") + 1); };
    appendClean(out.text, textOf(*pdf, index));
    trim();
    if (!out.text.empty()) return out;
    const bool isSeen = wish == PageWish::Picture;
    if (!isSeen && !canRecognise()) return refuse(Refusal::Scanned, kFormat);
    const std::unique_ptr<poppler::page> page(pdf->create_page(index));
    if (!page) return out;
    const int dots =
        isSeen ? dotsFor(*page, kSeenDotsPerInch, kMostSeenDots) : dotsFor(*page, kDotsPerInch, kMostDots);
    if (dots > 0 && isSeen) out.picture = pictureFileOf(*page, dots);
    if (dots > 0 && !isSeen) appendClean(out.text, recognisedText(pictureOf(*page, dots), dots));
    trim();
    return out;
}

/// Poppler reads its settings when a document is opened while none is, and the C library opens a file for the
/// first conversion of a text.
void prepare() {
    const FontComplaints none;
    poppler::set_data_dir("/dev/null/poppler");  // what is installed there shall make no difference
    keepEncoding("UTF-16");
    static const Pdf kHeld = opened(kSmallest);
    if (kHeld) (void)textOf(*kHeld, 0);
}

}  // namespace

extern const Reader reader{
    .format = kFormat, .match = match, .read = read, .prepare = prepare, .page = pageOf};

}  // namespace ingle::documents::pdf_reader
