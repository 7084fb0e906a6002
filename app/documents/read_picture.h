/// Decodes a picture. What parses it is never in this process: it is `ingle-documents`, as for documents.
#pragma once

#include <string_view>

#include "app/documents/picture_answer.h"
#include "app/documents/read_document.h"
#include "ingle/pictures.h"

namespace ingle::documents {

/// PNG, JPEG or WebP, turned as its EXIF data say; of several frames the first. Transparency is dropped.
/// Takes as long as decoding takes; any number of threads may call it. Errors: those of picture_refusals.h
/// and refusals.h, and of the file system.
Result<Picture> readPicture(const std::string& path, const ReadOptions& options = {});
/// The same of the bytes of such a file.
Result<Picture> readPictureBytes(std::string_view bytes, const ReadOptions& options = {},
                                 Transparency transparency = Transparency::Dropped);

}  // namespace ingle::documents
