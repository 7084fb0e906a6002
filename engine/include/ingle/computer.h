/// This computer, as far as it decides which models fit. Implemented in engine/session.
#pragma once

#include <string>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// Reads what the system tells, and what was measured earlier. `folder`: of DriverTrials. Errors: Io, Corrupt
/// (/proc/meminfo).
Result<ComputerInfo> describeComputer(const std::string& folder);

}  // namespace ingle
