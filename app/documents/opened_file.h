/// A file or folder that somebody named, opened without waiting for what has no end.
#pragma once

#include <cstdint>
#include <string>

#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::documents {

struct OpenedFile {
    FileDescriptor descriptor;
    bool isFolder = false;
    uint64_t bytes = 0;  ///< of a file
};

/// Errors: of the file system (ids fileMissing, fileForbidden, fileUnreadable); documentNotAFile.
Result<OpenedFile> openFile(const std::string& path);

}  // namespace ingle::documents
