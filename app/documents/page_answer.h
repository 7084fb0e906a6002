/// What `ingle-documents` writes of one page whose text is recognised: a line with the number of pages there
/// are, or the id of an error, and behind it the text. As of documents (answer.h), nothing in it is taken on
/// trust.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingle/result.h"

namespace ingle::documents {

struct RecognisedPage {
    uint32_t numPages = 0;  ///< of the document
    std::string text;       ///< UTF-8; empty: there is none on it
};

std::string encodePage(const Result<RecognisedPage>& answer);

/// The page, or the error that was answered. Errors: also ReaderFailed, for what no reader would answer.
Result<RecognisedPage> decodePage(std::string_view bytes);

}  // namespace ingle::documents
