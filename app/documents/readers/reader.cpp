#include "app/documents/readers/reader.h"

#include "app/documents/limits.h"
#include "app/documents/other_formats.h"
#include "app/documents/refusals.h"

namespace ingle::documents {
namespace {

/// The surest reader whose match is at least `least`; null: none.
const Reader* readerFor(const Input& input, Match least) {
    const Reader* best = nullptr;
    Match surest = Match::No;
    for (const Reader* each : allDocumentReaders()) {
        const Match match = each->match(input);
        if (match < least || match <= surest) continue;
        best = each;
        surest = match;
    }
    return best;
}

const Reader* readerFor(const Input& input, const OtherFormat* other) {
    if (const Reader* sure = readerFor(input, Match::ByContent)) return sure;
    return other ? nullptr : readerFor(input, Match::ByDefault);
}

}  // namespace

void prepareReaders() {
    prepareEncodings();
    for (const Reader* each : allDocumentReaders())
        if (each->prepare) each->prepare();
}

Result<Document> textDocument(ReadText read, std::string_view format) {
    read.text.resize(read.text.find_last_not_of(" \t\n") + 1);
    if (read.text.empty()) return refuse(Refusal::Empty, format);
    if (read.text.size() > limits::kTextBytes) return refuse(Refusal::TooMuchText, format);
    Document document{.text = std::move(read.text)};
    if (!read.guess.empty()) document.leftOut.push_back({LossKind::OtherEncoding, 1, std::move(read.guess)});
    return document;
}

Result<Document> readBytes(const Input& input) {
    if (input.bytes.empty()) return refuse(Refusal::Empty, "file");
    const OtherFormat* other = recogniseOtherFormat(input.bytes, input.name);
    const Reader* reader = readerFor(input, other);
    if (!reader) return other ? refuse(Refusal::OtherFormat, other->key) : refuse(Refusal::Unknown);
    Result<Document> document = reader->read(input);
    if (document) document->format = reader->format;
    return document;
}

Result<RecognisedPage> readPage(const Input& input, uint32_t number, PageWish wish) {
    const Reader* reader = readerFor(input, Match::ByContent);
    return reader && reader->page ? reader->page(input, number, wish) : refuse(Refusal::Unknown);
}

}  // namespace ingle::documents
