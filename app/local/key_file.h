/// The key of the far server, which lies in a file that nobody else can read.
#pragma once

#include <string>

#include "ingle/result.h"

namespace ingle::local {

/// The file's only line. Errors: Io; InvalidArgument (others may read it, it is somebody else's, empty, too
/// long, or has more in it than one line of what may stand in a header).
Result<std::string> readKeyFile(const std::string& path);

}  // namespace ingle::local
