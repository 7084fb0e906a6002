/// Runs `ingle-documents` on one opened file.
#pragma once

#include <string>

#include "app/documents/read_document.h"

namespace ingle::documents {

/// What it wrote, all of it. The child has three descriptors: `file`, our end of a pipe, and /dev/null.
/// `name`: of the file, without its folder. Errors: ReaderMissing, ReaderFailed (it crashed, or wrote too
/// much), ReaderTooSlow, Cancelled; it is gone by then.
Result<std::string> runReader(const std::string& program, int file, const std::string& name,
                              const ReadOptions& options);

}  // namespace ingle::documents
