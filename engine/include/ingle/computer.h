/// This computer, as far as it decides which models fit. Implemented in engine/session.
#pragma once

#include <string>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// Reads what the system tells, and how fast memory is: as measured earlier, at most a day ago, or now (a
/// third of a second at most), where there is memory for that. `folder`: of DriverTrials; there it is
/// remembered. Errors: Io, Corrupt (/proc/meminfo).
Result<ComputerInfo> describeComputer(const std::string& folder);

}  // namespace ingle
