/// Texts that commands are given as files.
#pragma once

#include <string>

#include "ingle/result.h"

namespace ingle::cli {

/// All of it. Errors: Io.
Result<std::string> readTextFile(const std::string& path);

}  // namespace ingle::cli
