/// What `ingle-documents` writes: one line of JSON, and behind it the text as it is. The process that wrote
/// it has read a file of unknown origin, so nothing in it is taken on trust.
#pragma once

#include <string>
#include <string_view>

#include "app/documents/document.h"
#include "ingle/result.h"

namespace ingle::documents {

/// Of an error its id and argument travel; the sentence is made where it is read.
std::string encodeAnswer(const Result<Document>& answer);

/// The document, or the error that was answered. Errors: also ReaderFailed, for what no reader would answer.
Result<Document> decodeAnswer(std::string_view bytes);

/// Whether it keeps what document.h and limits.h promise.
bool isSound(const Document& document);

}  // namespace ingle::documents
