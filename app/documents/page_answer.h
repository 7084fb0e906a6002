/// What `ingle-documents` writes of one page: a line with the number of pages there are, or the id of an
/// error, and behind it the text, or a picture of the page. As of documents (answer.h), nothing in it is
/// taken on trust.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingle/result.h"

namespace ingle::documents {

struct RecognisedPage {
    uint32_t numPages = 0;  ///< of the document
    std::string text;       ///< UTF-8; empty: there is none on it
    /// A PNG, JPEG or WebP file of the page, where it has no text of its own and a picture was asked for.
    std::string picture = {};
};

std::string encodePage(const Result<RecognisedPage>& answer);

/// The page, or the error that was answered, which speaks of that `format`. Errors: also ReaderFailed, for
/// what no reader would answer.
Result<RecognisedPage> decodePage(std::string_view bytes, std::string_view format = "PDF");

}  // namespace ingle::documents
