/// Whether another program has the history open.
#pragma once

#include <string>

#include "ingle/result.h"

namespace ingle::history {

/// For whoever writes the file without being the window: two that write it would take each other for a
/// stranger (History::whereabouts()). A file that is not there is nobody's. Errors: InvalidArgument when
/// somebody has it open; Io.
Status checkSoleUse(const std::string& path);

}  // namespace ingle::history
