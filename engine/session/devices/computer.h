/// What this computer offers to models.
#pragma once

#include <optional>

#include "engine/base/system_memory.h"

namespace ingle::session {

/// As base::readSystemMemory(); tests put a folder before all paths by INGLE_SYSTEM_ROOT.
Result<base::SystemMemory> systemMemory();
/// Nothing where that cannot be read.
std::optional<base::SystemMemory> knownSystemMemory();

}  // namespace ingle::session
