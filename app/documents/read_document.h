/// Reads a document, or a folder of source text. What parses files of other programs is never in this
/// process: it is `ingle-documents`, which is given the opened file and can open nothing itself.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "app/documents/document.h"
#include "app/documents/limits.h"
#include "ingle/result.h"

namespace ingle::documents {

struct ReadOptions {
    std::function<bool()> isCancelled = [] { return false; };  ///< asked about 20 times a second
    std::string program = {};                                  ///< empty: findReader()
    std::chrono::milliseconds patience = limits::kPatience;
};

/// Takes as long as reading takes: not for a thread that paints. Any number of threads may call it. Errors:
/// those of refusals.h, and of the file system (ids fileMissing, fileForbidden, fileUnreadable). Their
/// sentences do not name the path.
Result<Document> readDocument(const std::string& path, const ReadOptions& options = {});

/// `ingle-documents`, beside the running program or where an installation has it; empty when there is none.
std::string findReader();

}  // namespace ingle::documents
