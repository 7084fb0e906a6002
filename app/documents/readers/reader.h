/// Readers of document formats. One file per format: app/documents/readers/formats/<name>.cpp defines `extern
/// const Reader reader` in the namespace `<name>_reader`. They run in `ingle-documents` only.
#pragma once

#include <span>
#include <string_view>

#include "app/documents/document.h"
#include "app/documents/page_answer.h"
#include "app/documents/text_encoding.h"
#include "ingle/result.h"

namespace ingle::documents {

/// A file as it was opened.
struct Input {
    std::string_view bytes;
    std::string_view name;  ///< without its folder
};

/// What a reader thinks of a file. The surest one reads it; of equals, the first by name of format.
enum class Match { No, ByDefault, ByName, ByContent };

/// What a page without text of its own is to become.
enum class PageWish { Text, Picture };

struct Reader {
    std::string_view format;  ///< in words, as sentences speak of it: "Word document"
    Match (*match)(const Input&);
    /// Errors: those of refusals.h. Document::format is set by readBytes(), and a title where the reader
    /// found none.
    Result<Document> (*read)(const Input&);
    /// Has the libraries open what they open once, before the process locks itself; null: nothing.
    void (*prepare)() = nullptr;
    /// One page, from 1: its text, or what is recognised in its picture, or the picture; null: such documents
    /// have no pages. Errors: as read(); Scanned where nothing can be recognised.
    Result<RecognisedPage> (*page)(const Input&, uint32_t number, PageWish wish) = nullptr;
};

std::span<const Reader* const> allDocumentReaders();

/// Everything that readers need from files. Call before the lock.
void prepareReaders();

/// A text that is its own document. Errors: TooMuchText, Empty.
Result<Document> textDocument(ReadText read, std::string_view format);

/// Recognised and read. Errors: those of refusals.h.
Result<Document> readBytes(const Input& input);
/// One page, from 1, see Reader::page.
Result<RecognisedPage> readPage(const Input& input, uint32_t number, PageWish wish = PageWish::Text);

}  // namespace ingle::documents
