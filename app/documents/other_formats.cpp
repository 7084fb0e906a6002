#include "app/documents/other_formats.h"

#include <algorithm>
#include <array>

#include "app/documents/names.h"

namespace ingle::documents {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kOle = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
constexpr std::string_view kZip = "PK\x03\x04";
constexpr std::string_view kAsDocument = "save it as .docx or PDF";
constexpr std::string_view kAsPdf = "save it as PDF";
constexpr std::string_view kAsTable = "save the sheet as CSV, or print it to a PDF";
constexpr std::string_view kAsPicture = "save it as PNG or JPEG";

/// From the special to the general: the first that fits is taken.
const std::vector<OtherFormat>& table() {
    static const std::vector<OtherFormat> kTable{
        {"doc", "an old Word document (.doc)", kAsDocument, kOle, {".doc", ".dot"}},
        {"xls", "an old Excel workbook (.xls)", kAsTable, kOle, {".xls", ".xlt"}},
        {"ppt", "an old PowerPoint presentation (.ppt)", kAsPdf, kOle, {".ppt", ".pps"}},
        {"msg", "a message of Outlook (.msg)", "save it as text or HTML", kOle, {".msg"}},
        {"ole", "a file of an old Office program, or one with a password", kAsDocument, kOle, {}},
        {"xlsx", "an Excel workbook (.xlsx)", kAsTable, kZip, {".xlsx", ".xlsm"}},
        {"pptx", "a PowerPoint presentation (.pptx)", kAsPdf, kZip, {".pptx", ".ppsx"}},
        {"ods",
         "an OpenDocument spreadsheet (.ods)",
         kAsTable,
         "mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
         {},
         30},
        {"odp",
         "an OpenDocument presentation (.odp)",
         kAsPdf,
         "mimetypeapplication/vnd.oasis.opendocument.presentation",
         {},
         30},
        {"fodt", "a flat OpenDocument text (.fodt)", "save it as .odt", "<?xml", {".fodt"}},
        {"epub",
         "an e-book (.epub)",
         "convert it to HTML, .docx or PDF",
         "mimetypeapplication/epub+zip",
         {},
         30},
        {"mobi", "an e-book (.mobi)", "convert it to HTML, .docx or PDF", "BOOKMOBI", {}, 60},
        {"pages", "a document of Apple's Pages", kAsDocument, kZip, {".pages"}},
        {"rtf", "a Rich Text document (.rtf)", kAsDocument, "{\\rtf", {}},
        {"ps", "a PostScript file", "convert it to PDF", "%!PS", {}},
        {"djvu", "a DjVu document", "convert it to PDF with text", "AT&TFORM", {}},
        {"gif", "a picture (GIF)", kAsPicture, "GIF8", {}},
        {"tiff", "a picture (TIFF)", kAsPicture, "II*\0"sv, {}},
        {"tiff", "a picture (TIFF)", kAsPicture, "MM\0*"sv, {}},
        {"heic", "a picture (HEIC)", kAsPicture, "ftypheic", {}, 4},
        {"avif", "a picture (AVIF)", kAsPicture, "ftypavif", {}, 4},
        {"media", "a video or sound file", "only text can be read", "ftyp", {}, 4},
        {"mp3", "a sound file", "only text can be read", "ID3", {}},
        {"ogg", "a sound or video file", "only text can be read", "OggS", {}},
        {"gguf", "a model, not a document", "open it as a model", "GGUF", {}},
        {"sqlite", "a database", "save what you need of it as text", "SQLite format 3", {}},
        {"program",
         "a program",
         "only text can be read",
         "\x7f"
         "ELF",
         {}},
        {"zip", "an archive", "unpack it, and choose a file or the folder", kZip, {}},
        {"gzip", "an archive", "unpack it, and choose a file or the folder", "\x1f\x8b", {}},
        {"zstd", "an archive", "unpack it, and choose a file or the folder", "\x28\xb5\x2f\xfd", {}},
        {"xz",
         "an archive",
         "unpack it, and choose a file or the folder",
         "\xfd"
         "7zXZ",
         {}},
        {"7z", "an archive", "unpack it, and choose a file or the folder", "7z\xbc\xaf", {}},
        {"rar", "an archive", "unpack it, and choose a file or the folder", "Rar!", {}},
        {"tar", "an archive", "unpack it, and choose a file or the folder", "ustar", {}, 257},
    };
    return kTable;
}

bool fits(const OtherFormat& row, std::string_view bytes, std::string_view name) {
    const bool begins = bytes.size() >= row.at && bytes.substr(row.at).starts_with(row.beginning);
    return begins && (row.endings.empty() || std::ranges::any_of(row.endings, [&](std::string_view each) {
                          return endsIn(name, each);
                      }));
}

}  // namespace

std::span<const OtherFormat> allOtherFormats() {
    return table();
}

const OtherFormat* otherFormat(std::string_view key) {
    const auto found = std::ranges::find(table(), key, &OtherFormat::key);
    return found == table().end() ? nullptr : &*found;
}

const OtherFormat* recogniseOtherFormat(std::string_view bytes, std::string_view name) {
    const auto found = std::ranges::find_if(table(), [&](const auto& row) { return fits(row, bytes, name); });
    return found == table().end() ? nullptr : &*found;
}

}  // namespace ingle::documents
