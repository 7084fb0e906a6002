/// How a caged host has pictures decoded: by `ingle-documents`, which its broker starts. The file and the
/// answer go through a socket, so that the host never parses a picture.
#pragma once

#include <functional>
#include <string_view>

#include "ingle/file_descriptor.h"
#include "ingle/pictures.h"
#include "ingle/result.h"

namespace ingle::cli {

/// The broker's side, in a process of its own: has the file that comes from `socket` decoded, and answers.
void decodeOutside(int socket);

/// The host's side. Errors: those of picture_refusals.h; Cancelled.
Result<Picture> decodeBy(const FileDescriptor& socket, std::string_view file,
                         const std::function<bool()>& isCancelled);

}  // namespace ingle::cli
