/// Runs `ingle-documents` on one opened file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/documents/read_document.h"

namespace ingle::documents {

/// What asks it for a picture, behind the name.
inline constexpr std::string_view kPictureTask = "picture";
/// The same, put on white.
inline constexpr std::string_view kPictureOnWhiteTask = "picture-on-white";
/// What asks it for a page by recognition, behind no name, and is followed by the page's number.
inline constexpr std::string_view kPageTask = "page";
/// The same for a picture of the page instead, where it has no text of its own.
inline constexpr std::string_view kPagePictureTask = "page-picture";

/// What it wrote, all of it, at most `mostBytes`. The child has three descriptors: `file`, our end of a pipe,
/// and /dev/null. `arguments`: the name of the file, without its folder, and what is asked of it where that
/// is no document. Errors: ReaderMissing, ReaderFailed (it crashed, or wrote too much), ReaderTooSlow,
/// Cancelled; it is gone by then.
Result<std::string> runReader(const std::string& program, int file, const std::vector<std::string>& arguments,
                              const ReadOptions& options, size_t mostBytes);

}  // namespace ingle::documents
