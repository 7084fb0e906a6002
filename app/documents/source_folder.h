/// A folder of source text as one document.
#pragma once

#include "app/documents/read_document.h"

namespace ingle::documents {

/// Every file of the folder and its folders that is text by content, by path: a heading with the path, and
/// the text in a fence. Each is a place. Hidden files, folders that build tools and package managers make,
/// links, and what is no text are left out and counted (links only where they lead out of the folder).
/// Nothing is parsed, so this needs no process of its own. `folder`: opened; no name is followed out of it,
/// whatever changes meanwhile. Errors: Empty, TooMuchText, Cancelled.
Result<Document> readSourceFolder(int folder, const ReadOptions& options);

}  // namespace ingle::documents
