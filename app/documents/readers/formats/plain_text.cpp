/// Text, and everything that is text: program code, tables as CSV, logs.
#include "app/documents/limits.h"
#include "app/documents/readers/reader.h"
#include "app/documents/refusals.h"
#include "app/documents/text_encoding.h"

namespace ingle::documents::plain_text_reader {
namespace {

constexpr std::string_view kFormat = "text";
constexpr size_t kMostBytes = 2 * limits::kTextBytes;  // UTF-16 has two where the text has one

Match match(const Input& input) {
    return textEncoding(input.bytes) ? Match::ByDefault : Match::No;
}

Result<Document> read(const Input& input) {
    if (input.bytes.size() > kMostBytes) return refuse(Refusal::TooMuchText, kFormat);
    auto read = readText(input.bytes);
    if (!read) return refuse(Refusal::Unknown);
    return textDocument(std::move(*read), kFormat);
}

}  // namespace

extern const Reader reader{.format = kFormat, .match = match, .read = read};

}  // namespace ingle::documents::plain_text_reader
